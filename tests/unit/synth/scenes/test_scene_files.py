"""Scenes on disk."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from deidra.app.domain.errors import InputError
from deidra.app.synth.scenes.files import write_scenes
from deidra.app.synth.scenes.scene import scene


def test_what_is_written_is_the_scene(tmp_path: Path) -> None:
    count = write_scenes(tmp_path / "set", "papers", "test", range(4, 6), (256, 256))
    rows = [json.loads(line) for line in (tmp_path / "set" / "truth.jsonl").read_text("utf-8").splitlines()]
    assert [row["file"] for row in rows] == ["00000004.png", "00000005.png"]
    assert count == sum(len(row["texts"]) for row in rows)
    made = scene("papers", "test", 5, (256, 256))
    picture = np.array(Image.open(tmp_path / "set" / "00000005.png"))
    ink = np.array(Image.open(tmp_path / "set" / "00000005.ink.png"))
    assert np.array_equal(picture, made.image)
    assert np.array_equal(ink, made.ink)
    assert rows[1]["size"] == [picture.shape[1], picture.shape[0]]
    for row, text in zip(rows[1]["texts"], made.texts, strict=True):
        assert (row["text"], row["phi"], row["kind"]) == (text.text, text.phi, text.kind)
        assert [tuple(p) for p in row["polygon"]] == list(text.polygon)


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", "utf-8")
    with pytest.raises(InputError, match="not empty"):
        write_scenes(tmp_path, "papers", "test", range(1))
