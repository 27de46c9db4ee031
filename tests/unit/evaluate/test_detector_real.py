from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import box_polygon
from deidra.app.evaluate.detector_real import (
    Item,
    Marked,
    Shown,
    find_file,
    measure_real,
    read_annotations,
    real_figures,
    seen,
    united,
)
from deidra.models.text_detector import DetectedBox


def box(left: float, top: float, right: float, bottom: float) -> DetectedBox:
    return DetectedBox(box_polygon(left, top, right, bottom), 0.9, 0.01)


class Fixed:
    name = "fixed"

    def __init__(self, *boxes: DetectedBox) -> None:
        self._boxes = list(boxes)

    def detect(self, image: np.ndarray) -> list[DetectedBox]:
        return self._boxes


def marked(*items: Item, group: str = "g") -> Marked:
    return Marked("x", (100, 60), 0, group, items)


NAME = Item((10, 10, 50, 20), 8, True, "name")
LETTER = Item((80, 10, 90, 20), 1, True, "none")


def test_items_are_covered_by_boxes_together_and_false_boxes_lie_on_none() -> None:
    did = seen(
        marked(NAME, LETTER), [box(10, 10, 30, 20), box(30, 10, 46, 20), box(60, 40, 90, 50), box(80, 12, 90, 40)]
    )
    assert did.bare.tolist() == pytest.approx([0.9, 0.8])
    assert did.padded.tolist() == pytest.approx([0.95, 1.0])
    assert (did.boxes, did.false) == (4, 1)  # the last lies on the letter by 8 of 28 rows


def test_figures_by_share_length_and_kind() -> None:
    images = [
        Shown(marked(NAME, LETTER), {"a": seen(marked(NAME, LETTER), [box(10, 10, 42, 20)])}),
        Shown(marked(group="h"), {"a": seen(marked(group="h"), [box(0, 0, 9, 9), box(20, 0, 29, 9)])}),
    ]
    figures = real_figures(images, "a")
    assert figures["items"] == 2
    assert figures["covered"] == {"0.5": 0.5, "0.8": 0.5, "0.9": 0}
    assert figures["phi_covered"] == {"0.5": 1, "0.8": 1, "0.9": 0}
    assert figures["missed_by_length"]["1-2"] == {"items": 1, "missed": 1}
    assert figures["missed_by_length"]["7+"] == {"items": 1, "missed": 0}
    assert figures["text_images"]["false_boxes_per_image"] == 0
    assert figures["text_free_images"] == {"images": 1, "false_boxes_per_image": 2}


def test_images_of_a_group_count_once() -> None:
    good, bad = [box(10, 10, 50, 20)], [box(0, 0, 1, 1)]
    shown = [Shown(marked(NAME), {"a": seen(marked(NAME), good)}) for _ in range(3)]
    shown.append(Shown(marked(NAME, group="h"), {"a": seen(marked(NAME, group="h"), bad)}))
    assert real_figures(shown, "a")["covered"]["0.8"] == 0.75
    assert real_figures(shown, "a", grouped=True)["covered"]["0.8"] == pytest.approx(0.5)


def test_illegible_items_do_not_count_and_boxes_on_them_are_not_false() -> None:
    smear = Item((10, 10, 50, 20), 0, False, "none")
    did = seen(marked(smear), [box(10, 10, 50, 20)])
    figures = real_figures([Shown(marked(smear), {"a": did})], "a")
    assert (figures["items"], did.false) == (0, 0)


def test_files_are_found_by_name_or_as_the_only_longer_one(tmp_path: Path) -> None:
    for name in ("a.png", "120_b.dcm", "130_c", "130_d"):
        (tmp_path / name).touch()
    assert find_file("a.png", [tmp_path]) == tmp_path / "a.png"
    assert find_file("120", [tmp_path]) == tmp_path / "120_b.dcm"
    assert find_file("130", [tmp_path]) is None


def test_annotated_pictures_are_measured_and_drawn(tmp_path: Path) -> None:
    Image.new("RGB", (100, 60)).save(tmp_path / "a.png")
    item = {"box": [10, 10, 50, 20], "text": "DOE JANE", "legible": True, "phi": "name"}
    rows = {
        "a.png": {"size": [100, 60], "frame": 0, "frames": 1, "items": [item]},
        "gone.png": {"size": [100, 60], "frame": 0, "frames": 1, "items": []},
    }
    (tmp_path / "marks.json").write_text(json.dumps(rows), "utf-8")
    agents = Fixed(box(10, 10, 50, 20)), Fixed()
    result = measure_real(tmp_path / "marks.json", [tmp_path], *agents, overlays=tmp_path / "drawn")
    assert (result["images"], result["refused"]) == (1, 1)
    assert result["each_image"]["detector"]["phi_covered"]["0.9"] == 1
    assert result["each_image"]["ppocr"]["covered"]["0.5"] == 0
    assert result["groups_once"]["union"]["covered"]["0.8"] == 1
    assert Image.open(tmp_path / "drawn" / "a.png.png").getpixel((10, 15)) == (255, 40, 40)


def test_what_two_detectors_see_on_two_renderings_is_one_box_of_their_union() -> None:
    class OnEach(Fixed):
        """Sees other boxes on a dark picture than on a bright one."""

        def __init__(self, dark: DetectedBox, bright: DetectedBox) -> None:
            super().__init__()
            self.on = {0: dark, 255: bright}

        def detect(self, image: np.ndarray) -> list[DetectedBox]:
            return [self.on[int(image[0, 0, 0])]]

    views = [np.full((60, 100, 3), grey, np.uint8) for grey in (0, 255)]
    agents = OnEach(box(10, 10, 50, 20), box(11, 10, 52, 21)), OnEach(box(9, 9, 50, 20), box(70, 40, 90, 50))
    agents[1].name = "ppocr-det"
    both = united(agents, views, 0.02)
    assert len(both) == 2
    assert seen(marked(), both).false == 2
    assert seen(marked(NAME), both).bare.tolist() == [1.0]


def test_annotations_that_are_none_are_said(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": {"size": [1, 2]}}', "utf-8")
    with pytest.raises(KnownError, match="annotations"):
        read_annotations(tmp_path / "x.json")
