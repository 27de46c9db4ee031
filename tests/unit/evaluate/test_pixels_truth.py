from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from deidra.app.domain.errors import KnownError
from deidra.app.evaluate.pixels_truth import annotated, synthetic
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames


def test_synthetic_texts_lie_on_their_frames_and_differ_from_what_is_around_them(tmp_path: Path) -> None:
    images = synthetic(tmp_path, [7])
    assert len(images) > 12
    assert any(not one.texts for one in images)
    assert {text.private for one in images for text in one.texts} == {False, True}
    for one in images:
        frames = Frames(read_dataset(one.path.read_bytes()))
        for text in one.texts:
            left, top, right, bottom = text.box
            part = frames.frame(text.frame).values[top:bottom, left:right]
            assert part.shape[:2] == (bottom - top, right - left)
            assert np.ptp(part) > 0


def test_annotated_images_have_the_legible_texts_and_absent_ones_are_named(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(b"")
    items = [
        {"box": [1, 2, 30, 40], "text": "Okonkwo", "legible": True, "phi": "name"},
        {"box": [1, 50, 30, 60], "text": "?", "legible": False, "phi": "name"},
        {"box": [1, 70, 30, 80], "text": "120 kV"},
    ]
    row = {"size": [100, 90], "frame": 2, "frames": 3, "group": "g", "items": items}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({"one.png": row, "two.png": row}), "utf-8")
    (one,), absent = annotated(path, [tmp_path])
    assert absent == ["two.png"]
    assert (one.name, one.group) == ("one.png", "g")
    assert [(t.frame, t.box, t.kind, t.text, t.private) for t in one.texts] == [
        (2, (1, 2, 30, 40), "name", "Okonkwo", True),
        (2, (1, 70, 30, 80), "none", "120 kV", False),
    ]


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": {"items": 1}}'])
def test_other_files_are_refused_as_annotations(tmp_path: Path, content: str) -> None:
    path = tmp_path / "annotations.json"
    path.write_text(content, "utf-8")
    with pytest.raises(KnownError, match="annotations"):
        annotated(path, [tmp_path])
