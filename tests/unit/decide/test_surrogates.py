from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.surrogates import Surrogates
from deidra.app.detect.dates import written_dates
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey

MINE = Surrogates(ProjectKey(bytes(range(32))))
PATIENT = EntityType.PATIENT


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("OKONKWO^ADAEZE", r"[A-Z]+\^[A-Z]+"),
        ("Okonkwo^Adaeze", r"[A-Z]\w+\^[A-Z]\w+"),
        ("Okonkwo, Adaeze", r"[A-Z]\w+, [A-Z]\w+"),
        ("Adaeze Okonkwo", r"[A-Z]\w+ [A-Z]\w+"),
        ("Okonkwo", r"[A-Z]\w+"),
        ("OKONKWO", r"[A-Z]+"),
    ],
)
def test_a_name_keeps_its_form(text: str, form: str) -> None:
    new = MINE.of(PATIENT, text, 0)
    assert new is not None
    assert re.fullmatch(form, new)
    assert "okonkwo" not in new.lower()


def test_all_writings_of_a_name_get_the_same_person() -> None:
    writings = ["OKONKWO^ADAEZE", "Okonkwo, Adaeze", "Adaeze Okonkwo", "adaeze okonkwo"]
    made = [MINE.of(PATIENT, text, 0) for text in writings]
    assert len({frozenset(re.findall(r"\w+", (name or "").lower())) for name in made}) == 1


@given(st.text(min_size=1, max_size=20), st.sampled_from(list(EntityType)))
def test_the_same_value_gets_the_same_surrogate_in_any_order(text: str, kind: EntityType) -> None:
    first = MINE.of(kind, text, -10)
    MINE.of(PATIENT, "somebody else", 0)
    assert MINE.of(kind, text, -10) == first
    assert Surrogates(ProjectKey(bytes(range(32)))).of(kind, text, -10) == first


def test_another_key_gives_other_surrogates() -> None:
    other = Surrogates(ProjectKey(bytes(32)))
    names = [f"Okonkwo{n} Adaeze" for n in range(10)]
    assert [MINE.of(PATIENT, n, 0) for n in names] != [other.of(PATIENT, n, 0) for n in names]


@given(st.from_regex(r"[A-Za-z0-9\-/. ]{4,20}", fullmatch=True))
def test_an_id_keeps_letters_digits_and_separators_in_their_places(text: str) -> None:
    new = MINE.of(EntityType.ID_MRN, text, 0)
    assert new is not None

    def form(value: str) -> str:
        return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value)))

    assert form(new) == form(text)


def test_a_phone_number_keeps_its_form() -> None:
    new = MINE.of(EntityType.PHONE_HOME, "(212) 555-0147", 0)
    assert re.fullmatch(r"\(\d{3}\) \d{3}-\d{4}", new or "")
    assert new != "(212) 555-0147"


def test_one_id_written_in_two_ways_is_one_surrogate() -> None:
    assert MINE.of(EntityType.ID_MRN, "a-4711", 0) == (MINE.of(EntityType.ID_MRN, "A-4711", 0) or "").lower()


FORMS = {
    "%Y%m%d": "compact",
    "%Y-%m-%d": "iso",
    "%d/%m/%Y": "day first",
    "%d %b %Y": "with a month's name",
    "%d.%m.%Y": "dotted",
}


@pytest.mark.parametrize("form", FORMS)
@given(day=st.dates(date(1910, 1, 13), date(2090, 12, 31)), shift=st.integers(-3650, -30))
def test_a_date_moves_by_the_patients_shift_and_keeps_its_form(form: str, day: date, shift: int) -> None:
    # Days after the twelfth are not ambiguous.
    day = day.replace(day=max(13, day.day))
    new = MINE.of(EntityType.DATE_BIRTH, f"{day:{form}}", shift)
    assert new == f"{day + timedelta(days=shift):{form}}"


def test_text_around_a_date_stays() -> None:
    assert MINE.of(EntityType.DATE_OTHER, "seen 2024-03-01 at 10", -1) == "seen 2024-02-29 at 10"


def test_a_date_that_cannot_be_read_has_no_surrogate() -> None:
    assert MINE.of(EntityType.DATE_OTHER, "some day", -1) is None


@given(st.dates(date(1920, 1, 1), date(2060, 12, 31)), st.integers(-3650, -30))
def test_a_date_with_a_short_year_stays_a_date(day: date, shift: int) -> None:
    new = MINE.of(EntityType.DATE_OTHER, f"{day:%d/%m/%y}", shift) or ""
    assert re.fullmatch(r"\d\d/\d\d/\d\d", new)
    assert list(written_dates(new))


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (EntityType.EMAIL, r"\S+@example\.(com|org|net)"),
        (EntityType.LOCATION_HOME_ADDRESS, r"\d+ .+"),
        (EntityType.HOSPITAL, r".+ Hospital"),
        (EntityType.LOCATION_BIRTHPLACE, r"[A-Z].+"),
        (EntityType.PATORG, r".+"),
    ],
)
def test_places_and_addresses_become_others_of_their_kind(kind: EntityType, form: str) -> None:
    assert re.fullmatch(form, MINE.of(kind, "Okonkwo House", 0) or "")


@pytest.mark.parametrize("kind", [EntityType.AGE, EntityType.DEMOG, EntityType.HEALTH, EntityType.UNREAD])
def test_some_types_have_no_surrogate(kind: EntityType) -> None:
    assert MINE.of(kind, "61 years", 0) is None
