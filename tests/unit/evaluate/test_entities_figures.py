"""Figures of the entity tagger, computed by hand on small examples."""

from __future__ import annotations

import pytest

from deidra.app.evaluate.entity_figures import (
    Case,
    by_label,
    by_source,
    calibration_figures,
    is_right,
    overall,
    rates,
    review_curve,
)
from deidra.app.evaluate.entity_sets import Example, Mark


def case(
    text: str, known: list[tuple[int, int, str]], found: list[tuple[int, int, str, float]], source: str = ""
) -> Case:
    marks = tuple(Mark(*mark) for mark in known)
    return Case(Example(text, marks, source=source), tuple(Mark(*mark) for mark in found))


# "Ada Quill came on Monday": a name of two words and a day; the tagger finds the surname alone, and "came".
HALF = case(
    "Ada Quill came on Monday",
    [(0, 9, "PATIENT"), (18, 24, "DATE")],
    [(4, 9, "PATIENT", 0.9), (10, 14, "PATIENT", 0.3)],
)
# "MRN 4711": found where it is, by another label.
OTHER = case("MRN 4711", [(4, 8, "ID")], [(4, 8, "DATE", 0.6)])
EXACT = case("for Quill", [(4, 9, "PATIENT")], [(4, 9, "PATIENT", 0.97)])
CASES = [HALF, OTHER, EXACT]


def test_rates_of_nothing_are_none() -> None:
    assert rates(0, 0, 0) == {"precision": None, "recall": None, "f": None}
    assert rates(0, 0, 4) == {"precision": None, "recall": 0.0, "f": 0.0}
    assert rates(1, 2, 4) == {"precision": 0.5, "recall": 0.25, "f": 0.3333}


def test_exact_spans_overlap_and_tokens_of_all_types_together() -> None:
    figures = overall(CASES)
    # Four known, four found; one has place and label, two the place.
    assert (figures["texts"], figures["spans"]) == (3, 4)
    assert figures["exact"] == {"precision": 0.25, "recall": 0.25, "f": 0.25}
    assert figures["exact_place"] == {"precision": 0.5, "recall": 0.5, "f": 0.5}
    # The day alone is not touched.
    assert figures["overlap_recall"] == 0.75
    # Known tokens: Ada Quill Monday 4711 Quill; found: Quill came 4711 Quill.
    assert figures["tokens"] == {"precision": 0.75, "recall": 0.6, "f": 0.6667}


def test_every_label_has_its_own_figures() -> None:
    rows = by_label(CASES)
    assert rows["PATIENT"] == {
        "spans": 2,
        "precision": 0.3333,
        "recall": 0.5,
        "f": 0.4,
        "overlap_recall": 1.0,
        "covered": 1.0,
        # Known Ada Quill Quill, found Quill came Quill.
        "token_f": 0.6667,
    }
    assert (rows["ID"]["overlap_recall"], rows["ID"]["covered"], rows["ID"]["precision"]) == (0.0, 1.0, None)
    assert (rows["DATE"]["recall"], rows["DATE"]["precision"], rows["DATE"]["covered"]) == (0.0, 0.0, 0.0)


def test_sources_are_counted_apart() -> None:
    rows = by_source([case("a", [], [], "notes"), case("Quill", [(0, 5, "PATIENT")], [], "fields")])
    assert rows["notes"]["overlap_recall"] is None
    assert rows["fields"]["overlap_recall"] == 0.0


def test_a_span_that_shares_one_character_with_a_token_makes_it_private() -> None:
    figures = overall([case("Quillfeather", [(0, 5, "PATIENT")], [(4, 12, "PATIENT", 1.0)])])
    assert figures["tokens"]["f"] == 1.0
    assert figures["exact"]["f"] == 0.0


@pytest.mark.parametrize(
    ("found", "right"),
    [((0, 4), True), ((2, 6), True), ((3, 7), False), ((4, 8), False), ((0, 8), True), ((0, 9), False)],
)
def test_a_found_span_is_right_if_half_of_it_is_private(found: tuple[int, int], right: bool) -> None:
    assert is_right(Mark(*found, "ID"), [Mark(0, 4, "PATIENT")]) is right


def test_the_calibration_error_is_the_mean_gap_between_score_and_share_right() -> None:
    # Bins: .3 (one, wrong), .6 (one, right), .9 and .97 (two, right).
    figures = calibration_figures(CASES)
    assert [(b["from"], b["spans"], b["score"], b["right"]) for b in figures["bins"]] == [
        (0.3, 1, 0.3, 0.0),
        (0.6, 1, 0.6, 1.0),
        (0.9, 2, 0.935, 1.0),
    ]
    assert figures["ece"] == pytest.approx((0.3 + 0.4 + 2 * 0.065) / 4, abs=1e-4)
    assert calibration_figures([]) == {"spans": 0, "ece": None, "bins": []}


def test_a_score_of_one_falls_into_the_last_bin() -> None:
    figures = calibration_figures([case("Quill", [(0, 5, "PATIENT")], [(0, 5, "PATIENT", 1.0)])])
    assert figures["bins"][0]["from"] == 0.9


def test_more_review_misses_less() -> None:
    points = {point["least_score"]: point for point in review_curve(CASES, auto_score=0.88)}
    # Everything counts: the first and second text hold something to ask about.
    assert points[0.0] == {"least_score": 0.0, "review": 0.6667, "questions": 2, "missed": 0.25, "wrong": 0}
    # From .6 on "came" is ignored, and only the second text is asked about.
    assert (points[0.6]["review"], points[0.6]["questions"], points[0.6]["missed"]) == (0.3333, 1, 0.25)
    # Above all scores nothing counts.
    assert (points[1.01]["review"], points[1.01]["missed"]) == (0.0, 1.0)
    # Without asking "came" would be wrong.
    assert review_curve(CASES, auto_score=0.0)[0]["wrong"] == 1


def test_a_varying_span_is_asked_about_however_high_its_score() -> None:
    marks = (Mark(0, 5, "PATIENT", 0.97, variance=0.06),)
    one = [Case(Example("Quill", (Mark(0, 5, "PATIENT"),)), marks)]
    assert review_curve(one, 0.88)[0]["review"] == 0.0
    assert review_curve(one, 0.88, auto_variance=0.05)[0]["review"] == 1.0


def test_without_known_spans_there_is_no_curve() -> None:
    assert review_curve([case("a", [], [])], 0.88) == []
