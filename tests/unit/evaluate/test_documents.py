"""Figures of filled documents, on pages made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from deidra.app.domain.geometry import box_polygon
from deidra.app.evaluate.documents import _peer, figures, judged, summary
from deidra.app.evaluate.pixels_peer import PeerDone, PeerRun
from deidra.app.evaluate.pixels_product import Done, Mask
from deidra.app.synth.filled.pages import Page, Placed


def _placed(kind: str, box: tuple[int, int, int, int], private: bool, value: int, neutral: bool = False) -> Placed:
    return Placed("words", box_polygon(*box), kind, "", private, neutral, f"Label of {kind}", value)


SSN = _placed("ssn", (10, 10, 49, 19), True, 1)
FIRST_ROW, SECOND_ROW = (_placed("home_address", (10, y, 49, y + 9), True, 2) for y in (30, 40))
OFFICE = _placed("office_phone", (10, 60, 49, 69), False, 3)
STAFF = _placed("staff", (10, 75, 49, 84), False, 4, neutral=True)
TITLE = Placed("Title", box_polygon(10, 90, 49, 99))
PAGE = Page(np.full((110, 60), 255, np.uint8), "intake", "A", (SSN, FIRST_ROW, SECOND_ROW, OFFICE, STAFF, TITLE))


def _mask(*rows: tuple[int, int]) -> Mask:
    mask = np.zeros((110, 60), np.bool_)
    for top, bottom in rows:
        mask[top:bottom] = True
    return mask


def _done(auto: Mask, accepted: Mask, waiting: int = 0) -> Done:
    return Done(auto={0: auto}, accepted={0: accepted}, waiting=waiting, cpu={"find": 3.0, "decide": 1.0})


def test_a_value_on_two_rows_is_one_value_whose_share_is_of_both() -> None:
    rows = {row.text.kind: row for row in judged("a", PAGE, _done(_mask((30, 40)), _mask((30, 50))))}
    assert len(rows) == 5
    assert rows["home_address"].auto == pytest.approx(0.5)
    assert rows["home_address"].accepted == pytest.approx(1.0)
    assert rows["home_address"].area == 800


def test_values_count_as_covered_from_four_fifths_on_without_asking_and_after_questions() -> None:
    result = figures([("a", PAGE)], [_done(_mask((10, 18)), _mask((10, 20), (30, 50)), waiting=2)])
    assert result["overall"] == {"values": 2, "auto": 1, "accepted": 2}
    assert result["types"]["ssn"] == {"values": 1, "auto": 1, "accepted": 1}
    assert (result["clean_auto"], result["clean_asked"]) == (0, 1)
    assert (result["questions_per_page"], result["cpu_seconds_per_page"]) == (2.0, 4.0)
    assert [row["kind"] for row in result["asked"]] == ["home_address"]
    assert not result["missed"]


def test_seven_tenths_of_a_value_are_a_miss_with_the_wording_of_its_label() -> None:
    result = figures([("a", PAGE)], [_done(_mask((10, 17)), _mask((10, 17), (30, 50)))])
    assert [(row["kind"], row["label"], row["document"]) for row in result["missed"]] == [
        ("ssn", "Label of ssn", "intake")
    ]
    assert 'missed: ssn beside "Label of ssn" (intake, a)' in summary(result)


def test_offices_count_as_wrongly_covered_and_staff_counts_neither_way() -> None:
    result = figures([("a", PAGE)], [_done(_mask((60, 66), (75, 85)), _mask((60, 66), (75, 85)))])
    assert result["negatives"] == {"office_phone": {"values": 1, "auto": 1, "accepted": 1}}
    assert [row["kind"] for row in result["wrong"]] == ["office_phone"]
    assert result["overall"]["values"] == 2


def test_the_harmless_share_is_of_area() -> None:
    result = figures([("a", PAGE)], [_done(_mask((90, 95)), _mask((90, 100)))])
    assert result["harmless_area"] == {"auto": 0.5, "accepted": 1.0}


def test_nothing_of_a_refused_page_is_covered() -> None:
    result = figures([("a", PAGE)], [Done(refused="cannot be read")])
    assert result["refused"] == {"a": "cannot be read"}
    assert result["overall"] == {"values": 2, "auto": 0, "accepted": 0}
    assert result["clean_asked"] == 0


def test_presidio_is_measured_on_the_same_pages_and_asks_nobody() -> None:
    run = PeerRun("1", "m", (PeerDone(((10, 10, 50, 20), (10, 60, 50, 70)), 2.0, ""), PeerDone((), 0.0, "ValueError")))
    result = _peer([("a", PAGE), ("b", PAGE)], run)
    assert result["overall"] == {"values": 4, "auto": 1, "accepted": 1}
    assert result["negatives"]["office_phone"] == {"values": 2, "auto": 1, "accepted": 1}
    assert (result["clean_auto"], result["cpu_seconds_per_page"]) == (0, 1.0)
    told = figures([("a", PAGE)], [_done(_mask(), _mask())]) | {"peer": result}
    (line,) = (line for line in summary(told) if line.startswith("presidio"))
    assert "1 of 4 private values covered" in line
    assert "office_phone 1 of 2" in line


def test_a_peer_that_does_not_run_says_why() -> None:
    result = _peer([("a", PAGE)], PeerRun("", "", (), "not installed"))
    told = figures([("a", PAGE)], [_done(_mask(), _mask())]) | {"peer": result}
    assert "presidio-image-redactor: not installed" in summary(told)
