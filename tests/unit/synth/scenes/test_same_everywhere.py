"""A scene depends on its number and the fonts alone: not on the process that makes it."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import zlib
from deidra.app.synth.scenes.scene import scene
from deidra.app.synth.scenes.words import pool
for split in ("train", "calibrate", "test"):
    print(zlib.crc32(repr(pool(split)).encode()))
for number in range(4):
    print(zlib.crc32(scene("papers", "test", number, (320, 320)).image.tobytes()))
"""


@pytest.mark.parametrize("order", ["1", "77"])
def test_words_and_scenes_are_the_same_whatever_the_order_of_sets(order: str) -> None:
    def made(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert made("0") == made(order)
