"""Filled documents: reproducible, divided by split, and true about where their ink is."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from deidra.app.cli_measure import synth
from deidra.app.domain.geometry import Polygon, area, bounding_box, intersection_area
from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.filled.files import filled_page, write_filled
from deidra.app.synth.filled.pages import HARMLESS, make_page, wordings
from deidra.app.synth.filled.values import FIELDS
from deidra.app.synth.scenes.fonts import BUILT_IN

SPLITS = ("train", "calibrate", "test")


@pytest.mark.parametrize("level", [0, 1, 2])
def test_the_same_seed_gives_the_same_page_and_another_seed_another(level: int) -> None:
    first, again, other = (
        filled_page(3, 1, "test", level),
        filled_page(3, 1, "test", level),
        filled_page(4, 1, "test", 0),
    )
    assert np.array_equal(first.image, again.image)
    assert first.texts == again.texts
    assert [text.text for text in first.texts] != [text.text for text in other.texts]


def _said(split: str, part: str) -> set[str]:
    words = wordings()[split][part]
    lists = words.values() if isinstance(words, dict) else [words]
    return {str(entry).lower() for entries in lists for entry in entries}


@pytest.mark.parametrize("part", ["labels", "titles", "sentences", "letters", "layouts"])
def test_no_wording_and_no_layout_is_in_two_splits(part: str) -> None:
    for one, other in combinations(SPLITS, 2):
        assert not _said(one, part) & _said(other, part)


def test_no_font_family_is_in_two_splits_but_the_one_that_stands_in_for_absent_ones() -> None:
    fonts = {split: {filled_page(0, n, split, 0).font for n in range(16)} - {BUILT_IN} for split in SPLITS}
    for one, other in combinations(SPLITS, 2):
        assert not fonts[one] & fonts[other]


def test_every_split_has_a_title_for_each_kind_and_a_label_for_each_field() -> None:
    for split in SPLITS:
        assert set(wordings()[split]["titles"]) == set(wordings()["kinds"])
        assert set(wordings()[split]["labels"]) == set(FIELDS)


def test_eight_pages_are_of_eight_kinds_and_have_the_eleven_types_and_what_looks_like_them() -> None:
    pages = [filled_page(0, number, "test", 0) for number in range(8)]
    kinds = {text.kind for page in pages for text in page.texts}
    eleven = {"ssn", "birth", "birthplace", "age", "marital", "home_address", "home_phone", "religion", "nationality"}
    assert len({page.kind for page in pages}) == 8
    assert eleven | {"sex", "health"} <= kinds
    assert {"office_phone", "employer_address", "other_date", "grant", "staff"} <= kinds


def test_what_may_stay_is_not_marked_private() -> None:
    texts = [text for number in range(8) for text in filled_page(0, number, "test", 0).texts]
    assert all(text.private is FIELDS[text.kind].private for text in texts if text.kind != HARMLESS)
    assert not any(text.private for text in texts if text.kind in {"office_phone", "grant", HARMLESS})


def _inside(polygon: Polygon, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.round(np.array(polygon)).astype(np.int32)], (1,))
    return mask


def _spread(points: NDArray[np.float64], along: NDArray[np.float64]) -> float:
    """How far ``points`` (N, 2: x, y) reach along the direction ``along``, in pixels."""
    return float(np.ptp(points @ (along / np.linalg.norm(along))))


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("number", [4, 5])
def test_each_polygon_has_ink_in_it_and_is_no_wider_than_the_ink(level: int, number: int) -> None:
    """Measured along the text and across it: in a sloping line no letter need reach the lowest corner."""
    page = filled_page(1, number, "test", level)
    for text in page.texts:
        rows, columns = np.nonzero((page.image < 150) & (_inside(text.polygon, page.image.shape) > 0))
        ink, corners = np.stack([columns, rows], axis=1).astype(np.float64), np.array(text.polygon)
        for side in (corners[1] - corners[0], corners[3] - corners[0]):
            assert _spread(ink, side) > np.linalg.norm(side) - 8, text.text


@pytest.mark.parametrize("level", [0, 1, 2])
def test_no_ink_of_a_page_without_frames_lies_outside_all_polygons(level: int) -> None:
    page = filled_page(1, 4, "test", level)
    inside = np.zeros(page.image.shape, np.uint8)
    for text in page.texts:
        inside |= _inside(text.polygon, page.image.shape)
    near = cv2.dilate(inside, np.ones((7, 7), np.uint8)) > 0
    dark = page.image < 120
    assert page.kind == "letter"
    assert dark.sum() > 3000
    assert not (dark & ~near).any()


def test_the_truth_in_the_file_says_what_stands_where(tmp_path: Path) -> None:
    (path, page), *_ = write_filled(tmp_path, 1, "test", 1, 2)
    truth = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert truth["document"] == page.kind
    assert page.kind == "card"
    assert [tuple(map(tuple, text["polygon"])) for text in truth["texts"]] == [text.polygon for text in page.texts]
    birth = next(text for text in truth["texts"] if text["kind"] == "birth")
    assert (birth["type"], birth["private"]) == (EntityType.DATE_BIRTH.value, True)


def test_the_command_writes_a_picture_and_its_truth_for_each_page(tmp_path: Path) -> None:
    done = CliRunner().invoke(synth, ["documents", "--out", str(tmp_path), "--pages", "2", "--split", "calibrate"])
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("page_000.json", "page_000.png", "page_001.json", "page_001.png")
    ]
    assert json.loads((tmp_path / "page_001.json").read_text("utf-8"))["document"] == "intake"


@pytest.mark.parametrize("split", ["train", "calibrate", "test"])
def test_no_value_is_printed_over_other_text(split: str) -> None:
    for number in range(16):
        texts = make_page(0, number, split).texts
        boxes = [bounding_box(text.polygon) for text in texts]
        for value, place in zip(texts, boxes, strict=True):
            others = [box for text, box in zip(texts, boxes, strict=True) if text.value != value.value]
            assert not value.value or all(intersection_area(place, box) <= 0.05 * area(place) for box in others)
