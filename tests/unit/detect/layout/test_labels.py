from __future__ import annotations

import pytest

from deidra.app.detect.layout.forms import DOUBTED, LIKELY, values_in
from deidra.app.detect.layout.inline import labels_in
from deidra.app.detect.layout.wordings import Side, label_meaning, meaning_named, meanings
from deidra.app.domain.taxonomy import EntityType


def told(text: str) -> list[tuple[str, str, str]]:
    return [(text[one.start : one.end], text[one.end : one.until].strip(), one.meaning.name) for one in labels_in(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Date of Birth (mm/dd/yyyy)", "birth date"),
        ("DateofBirth", "birth date"),
        ("Dete of Birlh", "birth date"),
        ("3. Place of birth", "birth place"),
        ("Social Security #", "social security number"),
        ("Geburtsdatum", "birth date"),
        ("Nacionalidad", "citizenship or nationality"),
        ("Employer's phone", "office phone"),
        ("Patient's phone number", "home phone"),
        ("Patient's address", "home address"),
        ("Telephone", "phone"),
        ("Physician name", "name of staff"),
        ("Last name, first name", "name"),
        ("Grant No.", "number of a grant, order or form"),
    ],
)
def test_a_label_is_known_by_its_wording(text: str, name: str) -> None:
    meaning = label_meaning(text)
    assert meaning is not None
    assert meaning.name == name


@pytest.mark.parametrize(
    "text", ["", "X", "12/11/1950", "John Smith", "The patient was born in Boston", "Dave", "Seat"]
)
def test_other_text_is_no_label(text: str) -> None:
    assert label_meaning(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Name: Ada Byron DOB: 1/2/1970", [("Name:", "Ada Byron", "name"), ("DOB:", "1/2/1970", "birth date")]),
        ("SSN 123-45-6789", [("SSN", "123-45-6789", "social security number")]),
        ("Age 45", [("Age", "45", "age")]),
        (
            "Shoe size: 44 Religion: Quaker",
            [("Shoe size:", "44", "a label of no list"), ("Religion:", "Quaker", "religion")],
        ),
        ("Grant No. 123-45-6789", [("Grant No", "123-45-6789", "number of a grant, order or form")]),
    ],
)
def test_a_line_is_taken_apart_into_labels_and_values(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(a.rstrip("."), b, c) for a, b, c in told(text)] == expected


def test_a_post_box_is_no_label_of_what_stands_behind_it() -> None:
    assert labels_in("P.O. Box 12, Xyzburg, NJ 07001") == []
    (label,) = labels_in("P.O. Box: 12")
    assert label.meaning.form == "address"


@pytest.mark.parametrize(
    "text", ["We met at 10:30 today.", "The age of the building was 45 years.", "Call home soon", "12 Oak Street"]
)
def test_prose_has_no_labels(text: str) -> None:
    assert labels_in(text) == []


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("birth date", "3/2/70 in Boston", "3/2/70"),
        ("social security number", "(l23-45-6789)", "l23-45-6789"),
        ("phone", "(555) 123-4567 or call back", "(555) 123-4567"),
        ("age", "45 years", "45 years"),
        ("sex or gender", "[X] Male", "[X] Male"),
        ("religion", "Roman Catholic", "Roman Catholic"),
        ("name", "Xqzyk, Barto", "Xqzyk, Barto"),
        ("birth place", "Lyon, France", "Lyon, France"),
        ("home address", "12 Oak Street", "12 Oak Street"),
        ("home address", "Quux Terrace,", "Quux Terrace"),
        ("home address", "Xyzburg MO", "Xyzburg MO"),
        ("home address", "P.O. Box 12, Xyzburg, NJ 07001", "P.O. Box 12, Xyzburg, NJ 07001"),
        ("home address", "07001-1234", "07001-1234"),
        ("citizenship or nationality", "Tanzanian", "Tanzanian"),
    ],
)
def test_the_value_of_a_label_is_what_has_its_form(name: str, text: str, value: str) -> None:
    (found,) = values_in(meaning_named(name), text, 0, len(text))
    assert text[found.start : found.end] == value
    assert found.score >= LIKELY


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("birth date", "l2/O3/5"),
        ("religion", "Frisbee club"),
        ("social security number", "123-45-67"),
        ("home address", "123/4567"),
    ],
)
def test_what_may_be_the_value_is_doubted(name: str, text: str) -> None:
    (found,) = values_in(meaning_named(name), text, 0, len(text))
    assert found.score == DOUBTED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("birth date", "Signature of a parent"),
        ("name", "please print in capital letters"),
        ("age", "the building was erected in 1952"),
        ("phone", "see the other side"),
        ("name", "N/A"),
        ("home address", "______"),
        ("medical record number", "March 04, 2020"),
        ("religion", "Paid on arrival"),
    ],
)
def test_a_text_of_another_form_is_no_value(name: str, text: str) -> None:
    assert values_in(meaning_named(name), text, 0, len(text)) == []


def test_phones_and_addresses_have_a_meaning_for_each_side() -> None:
    for form, home, office in (
        ("phone", EntityType.PHONE_HOME, EntityType.PHONE_OTHER),
        ("address", EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_ADDRESS),
    ):
        types = {one.side: one.type for one in meanings() if one.form == form}
        assert (types[Side.HOME], types[Side.OFFICE]) == (home, office)
