"""Paper 002's experiments: what is redacted, how pages are compared, and what a classifier says of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from deidra.app.domain.geometry import as_polygon, bounding_box, box_polygon
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.page_classifier import trained
from deidra.app.evaluate.replacement import (
    Plan,
    Seen,
    View,
    areas,
    compared,
    figures,
    flips,
    measure_replacement,
    spearman,
    summary,
)
from deidra.app.evaluate.replacement_pages import (
    PAPER_METHODS,
    Method,
    Row,
    area,
    pages_redacted,
    private_rows,
    redacted,
    surrogate,
)
from deidra.app.synth.filled.files import filled_page
from deidra.app.synth.filled.pages import Page, Placed


def placed(
    text: str, box: tuple[int, int, int, int], value: int, private: bool = True, neutral: bool = False
) -> Placed:
    return Placed(text, box_polygon(*box), "name", EntityType.PATIENT.value, private, neutral, "Name", value)


def page_of(*texts: Placed) -> Page:
    return Page(np.full((200, 400), 250, np.uint8), "letter", "A", texts)


def test_words_of_a_value_on_one_row_are_one_place_and_other_rows_and_values_are_others() -> None:
    page = page_of(
        placed("Ada", (10, 10, 40, 24), 1),
        placed("Byron", (46, 10, 90, 26), 1),
        placed("Lovelace", (10, 40, 80, 54), 1),
        placed("Eve", (90, 40, 120, 54), 2),
        placed("Dr. Who", (10, 70, 80, 84), 3, neutral=True),
        placed("Office", (10, 100, 80, 114), 4, private=False),
    )
    rows = private_rows(page)
    assert [row.text for row in rows] == ["Ada Byron", "Lovelace", "Eve"]
    assert bounding_box(rows[0].polygon) == (10, 10, 90, 26)


def test_a_row_of_words_on_a_sloping_page_is_one_sloping_place() -> None:
    page = filled_page(0, 4, "test", 1)
    rows = private_rows(page)
    assert page.kind == "letter"
    assert any(" " in row.text for row in rows)
    boxes = [bounding_box(row.polygon) for row in rows]
    for text in (t for t in page.texts if t.private and not t.neutral):
        x, y = np.mean(text.polygon, axis=0)
        assert any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes)


def test_area_is_that_of_the_polygon() -> None:
    assert area(box_polygon(0, 0, 10, 4)) == 40
    assert area(as_polygon([(5, 0), (10, 5), (5, 10), (0, 5)])) == 50


@pytest.mark.parametrize("method", list(Method))
def test_each_method_changes_the_private_places_alone(method: Method) -> None:
    page = filled_page(0, 1, "test", 1)
    original = np.repeat(page.image[:, :, None], 3, axis=2)
    rows = private_rows(page)
    after = redacted(original, rows, method)
    changed = (after != original).any(axis=2)
    near = np.zeros(changed.shape, bool)
    for row in rows:
        left, top, right, bottom = bounding_box(row.polygon)
        near[max(0, top - 14) : bottom + 14, max(0, left - 14) : right + 14] = True
        assert changed[top:bottom, left:right].mean() > 0.3
    if method is not Method.SYNTHETIC:
        assert not changed[~near].any()
    # A longer value may run on behind its place, never over other rows.
    assert changed[~near].mean() < 0.002


def test_a_made_up_value_has_the_form_of_its_type_and_some_types_have_none() -> None:
    place = box_polygon(0, 0, 9, 9)
    ssn = surrogate(Row("123-45-6789", place, EntityType.ID_SSN))
    assert ssn is not None
    assert ssn != "123-45-6789"
    assert [len(part) for part in ssn.split("-")] == [3, 2, 4]
    assert surrogate(Row("Lutheran", place, EntityType.DEMOG)) is None


def test_pages_are_the_same_for_the_same_seed_and_tell_how_much_of_them_is_private() -> None:
    (first,), (again,) = (list(pages_redacted(1, "test", 1, 3, PAPER_METHODS)) for _ in range(2))
    assert set(first.made) == set(PAPER_METHODS)
    for method in PAPER_METHODS:
        np.testing.assert_array_equal(first.made[method], again.made[method])
    assert 0 < first.area < 0.2
    assert 0 < first.replaced < first.values


def test_areas_are_counted_in_bins_and_the_share_of_small_ones_is_told() -> None:
    told = areas([0.004, 0.012, 0.02, 0.05])
    assert told["below"] == 0.5
    assert dict(zip(told["ends"], told["counts"], strict=False)) == {
        0: 1, 0.005: 0, 0.01: 1, 0.015: 0, 0.02: 1, 0.03: 0, 0.04: 1, 0.06: 0, 0.1: 0
    }  # fmt: skip
    assert told["mean"] == pytest.approx(0.0215)


def test_ranks_correlate_whatever_the_scale_and_equal_values_share_their_rank() -> None:
    assert spearman([1, 2, 3, 4], [10, 100, 1000, 10000]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 2], [5, 5, 9]) == pytest.approx(1)
    assert spearman([1, 2, 3], [7, 7, 7]) == 0


def like(synthetic: float, white: float, black: float = 9.0) -> dict[str, dict[str, float]]:
    pairs = {"black": black, "white": white, "synthetic": synthetic}
    return {method: {"similarity": 1 - value / 100, "distance": value} for method, value in pairs.items()}


def test_the_nearer_of_white_and_made_up_is_counted_and_nearly_equal_ones_are_equal() -> None:
    told = compared([0.01, 0.02, 0.03, 0.04], [like(1, 2), like(3, 2), like(2, 2.001), like(1, 4, black=0.5)])
    for what in ("similarity", "distance"):
        assert told["synthetic_or_white"][what] == {"synthetic": 0.5, "white": 0.25, "equal": 0.25}
    assert told["nearest"] == {"black": 1, "white": 1, "synthetic": 2}
    assert told["methods"]["synthetic"]["distance"] == pytest.approx(1.75)


def test_a_classifier_learns_what_can_be_learnt_and_gives_confidences_that_sum_to_one() -> None:
    rng = np.random.default_rng(0)
    kinds = ["a", "b", "c"] * 20
    centres = rng.normal(size=(3, 12))
    features = centres[[0, 1, 2] * 20] + 0.1 * rng.normal(size=(60, 12))
    classifier = trained(features[:30], kinds[:30])
    told = classifier.probabilities(features[30:])
    np.testing.assert_allclose(told.sum(1), 1)
    assert [classifier.classes[n] for n in told.argmax(1)] == kinds[30:]
    assert told.max(1).mean() > 0.9
    np.testing.assert_array_equal(told, trained(features[:30], kinds[:30]).probabilities(features[30:]))


def seen(number: int, kind: str, place: float, moved: dict[Method, float]) -> Seen:
    views = {None: View(np.array([1, place], np.float32), np.array([place, 0], np.float32))}
    for method, by in moved.items():
        views[method] = View(np.array([1, place + by], np.float32), np.array([place + by, 0], np.float32))
    return Seen(number, kind, 0.01 * number, 2, 1, {"trial": views})


def test_flipped_labels_and_changes_of_confidence_are_told_by_method() -> None:
    known = [seen(n, "left" if n % 2 else "right", -1.0 if n % 2 else 1.0, {}) for n in range(20)]
    still = dict.fromkeys(Method, 0.0)
    pages = [
        seen(1, "left", -1.0, still | {Method.BLACK: 2.0}),
        seen(2, "right", 1.0, still | {Method.WHITE: -0.1}),
        seen(3, "left", 1.0, still),
    ]
    told = figures(pages, pages[:1], known)
    labels = told["encoders"]["trial"]["other_templates"]
    assert (labels["pages"], labels["right"]) == (3, 2)
    assert {m: row["flipped"] for m, row in labels["methods"].items()} == {
        "black": 1, "white": 0, "synthetic": 0, "inpaint": 0, "blur": 0
    }  # fmt: skip
    assert labels["methods"]["black"]["largest"] > 0.5
    assert 0 < labels["methods"]["white"]["largest"] < 0.1
    assert labels["methods"]["synthetic"]["mean"] == 0
    assert labels["points"] == [(0.01, 0), (0.02, 0), (0.03, 0)]
    assert told["encoders"]["trial"]["same_templates"]["pages"] == 1
    assert told["replaced"] == {"values": 6, "made_up": 3}
    assert told["encoders"]["trial"]["similarity"]["methods"]["inpaint"]["similarity"] == pytest.approx(1)


def test_outliers_are_those_above_the_papers_limit() -> None:
    answers = [
        {"label": "a", "confidence": 0.9, "synthetic": {"label": "a", "flipped": False, "change": change}}
        for change in (0.001, -0.003, 0.006, -0.05)
    ]
    pages = [seen(n, "a", 0, {}) for n in range(4)]
    told = flips(pages, answers)["methods"]["synthetic"]
    assert told["outliers"] == 2
    assert told["outliers_median"] == pytest.approx(0.028)
    assert told["mean"] == pytest.approx(0.015)
    assert told["area_rank"] == pytest.approx(1)


def test_the_command_writes_figures_a_table_of_pages_and_a_page_to_look_at(tmp_path: Path) -> None:
    result = measure_replacement(Plan(tmp_path, pages=2, again=1, training=8, noise=0))
    stored = json.loads((tmp_path / "replacement.json").read_text("utf-8"))
    assert stored["area"]["pages"] == 2
    with (tmp_path / "replacement.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * 2 * len(Method)
    assert {row["encoder"] for row in rows} == {"deidra-det", "ppocr-det"}
    assert all(0 < float(row["similarity"]) <= 1 for row in rows)
    assert "CLIP" in (tmp_path / "replacement.html").read_text("utf-8")
    lines = summary(result)
    assert any("61.6" in line for line in lines)
