"""Known names in other forms: what people are called, other endings, other scripts, initials."""

import pytest

from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.variants import in_latin, initials_of, other_genders, short_forms
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType


@pytest.fixture(scope="module")
def known() -> KnownIdentifiers:
    names = ["SMITH^ROBERT^JAMES", "Иванов^Сергей", "BILLINGS^WILLIAM", "Παπαδόπουλος^Γιώργος", "LEE^BOBBY"]
    items = [Identifier("P", EntityType.PATIENT, name, "PatientName") for name in names]
    return KnownIdentifiers([*items, Identifier("P", EntityType.STAFF, "KOWALSKI^KATARZYNA", "OperatorsName")])


def told(known: KnownIdentifiers, text: str) -> dict[str, float]:
    return {text[span.start : span.end]: span.score for span in known.spans(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Bob Smith", "Smith, Bobby", "SMITH^ROB", "Kasia Kowalska", "Sergey Ivanov", "Sergei Ivanov", "IVANOVA, S.",
        "Bill Billings", "Robert Lee", "Giorgos Papadopoulos",
    ],
)  # fmt: skip
def test_a_name_in_another_form_is_certain_beside_another_part_of_it(known: KnownIdentifiers, text: str) -> None:
    found = told(known, text)
    assert sum(len(part.strip(" .")) for part in found) >= sum(map(str.isalpha, text)) - 1
    assert min(found.values()) >= 0.9


@pytest.mark.parametrize("text", ["Bob", "bill", "Kasia", "billing", "BillCode"])
def test_what_somebody_is_called_counts_only_beside_another_part(known: KnownIdentifiers, text: str) -> None:
    assert told(known, text) == {}


def test_a_short_form_that_is_somebodys_name_counts_alone(known: KnownIdentifiers) -> None:
    assert told(known, "Bobby")["Bobby"] > 0.9


@pytest.mark.parametrize(
    ("text", "score"), [("R.J.S.", 0.6), ("R. J. S.", 0.6), ("S.R.J.", 0.6), ("R.S.", 0.35), ("K.K.", 0.35)]
)
def test_initials_with_dots_are_asked_about(known: KnownIdentifiers, text: str, score: float) -> None:
    assert told(known, f"seen with {text} today") == {text: score}


@pytest.mark.parametrize("text", ["Q.X.", "RJS", "R.J.S.T.", "v1.R.S.2", "a.m."])
def test_other_letters_are_no_initials(known: KnownIdentifiers, text: str) -> None:
    assert told(known, f"at {text} today") == {}


def test_forms_of_names() -> None:
    assert {"bob", "rob", "bobby"} <= short_forms(["robert"])
    assert {"robert"} <= short_forms(["bob"])
    assert "bob" not in short_forms(["bob"])
    assert other_genders(["kowalski"]) == {"kowalska"}
    assert other_genders(["petrova"]) == {"petrov"}
    assert other_genders(["martin"]) == frozenset(), "a short stem with an ending that any name may have"
    assert in_latin(["Иванов", "Smith", "Müller", "王"]) == ["ivanov", "wang"]
    assert initials_of(["smith"], ["robert", "james"]) == {"rjs", "srj", "rs", "sr"}
    assert initials_of(["smith"], []) == frozenset()
