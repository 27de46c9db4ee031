"""Scenes on disk: pictures, masks of the ink, and the truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from PIL import Image

from deidra.app.domain.errors import InputError
from deidra.app.synth.scenes.scene import Scene, scene

TRUTH = "truth.jsonl"


def write_scenes(out: Path, suite: str, split: str, seeds: Sequence[int], view: tuple[int, int] | None = None) -> int:
    """Write scenes to a new folder; returns the number of texts.

    ``NUMBER.png`` is the picture, ``NUMBER.ink.png`` (16 bits) has n where the ink of the n-th text is, and
    each line of ``truth.jsonl`` is one picture: file, suite, split, seed, size ``[width, height]``, background and its
    texts in the order of their numbers (text, polygon in pixels, kind, entity type, phi, style, height).

    Raises:
        InputError: the folder exists and is not empty.
    """
    if out.exists() and any(out.iterdir()):
        raise InputError("The folder for the images is not empty.", "Choose a new folder.")
    out.mkdir(parents=True, exist_ok=True)
    texts = 0
    with (out / TRUTH).open("w", encoding="utf-8") as stream:
        for seed in seeds:
            made = scene(suite, split, seed, view)
            name = f"{seed:08d}"
            Image.fromarray(made.image).save(out / f"{name}.png")
            Image.fromarray(made.ink).save(out / f"{name}.ink.png")
            stream.write(json.dumps(_truth(made, f"{name}.png", split), ensure_ascii=False) + "\n")
            texts += len(made.texts)
    return texts


def _truth(made: Scene, name: str, split: str) -> dict[str, object]:
    height, width = made.ink.shape
    return {
        "file": name,
        "suite": made.suite,
        "split": split,
        "seed": made.seed,
        "size": [width, height],
        "background": made.background,
        "texts": [asdict(text) for text in made.texts],
    }
