from __future__ import annotations

import re
from collections import Counter
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.metadata.content import content_code
from deidra.app.metadata.profile import EDITION, Code, Option

SOME_OPTIONS = st.frozensets(st.sampled_from(Option))


def text() -> str:
    return (resources.files("deidra.app.metadata") / "data" / "ps315_content_2026d.tsv").read_text("utf-8")


def table() -> list[list[str]]:
    return [line.split("\t") for line in text().splitlines() if not line.startswith("#")]


def test_the_table_is_of_the_edition_of_the_profile() -> None:
    assert EDITION in text().splitlines()[0]


def test_the_table_has_the_counts_of_its_edition() -> None:
    assert Counter(row[4] for row in table()) == {"X": 135, "D": 60, "X/D": 19}
    schemes = {"DCM": 189, "SCT": 11, "LN": 7, "NCDR [2.0b]": 4, "NCIt": 2, "UMLS": 1}
    assert Counter(row[1] for row in table()) == schemes


def test_every_row_of_the_table_can_be_used() -> None:
    names = [(value, scheme, value_type) for value, scheme, value_type, *_ in table()]
    assert len(set(names)) == len(names)
    for value, scheme, value_type, meaning, action, options in table():
        assert value
        assert meaning
        assert re.fullmatch(r"[A-Z]+", value_type)
        basic = content_code(value, scheme, frozenset(), value_type)
        assert basic is (Code.REMOVE if action == "X" else Code.DUMMY)
        for pair in options.split():
            option, code = pair.split("=")
            assert content_code(value, scheme, frozenset({Option(option)}), value_type) is Code(code)


@pytest.mark.parametrize(
    ("value", "scheme", "options", "code"),
    [
        ("121022", "DCM", [], Code.REMOVE),  # Accession Number
        ("121029", "DCM", [Option.PATIENT], Code.DUMMY),  # Subject Name
        ("121032", "DCM", [], Code.REMOVE),  # Subject Sex
        ("121032", "DCM", [Option.PATIENT], Code.KEEP),
        ("121071", "DCM", [], Code.DUMMY),  # Finding
        ("121071", "DCM", [Option.DESCRIPTORS], Code.CLEAN),
        ("111060", "DCM", [], Code.DUMMY),  # Study Date
        ("111060", "DCM", [Option.MODIFIED_DATES], Code.CLEAN),
        ("111060", "DCM", [Option.FULL_DATES], Code.KEEP),
        ("111060", "DCM", [Option.FULL_DATES, Option.MODIFIED_DATES], Code.KEEP),
        ("113795", "DCM", [Option.UIDS], Code.KEEP),  # Acquired Image
        ("121122", "DCM", [Option.DESCRIPTORS], Code.CLEAN),  # Equipment Identification
        ("121122", "DCM", [Option.DESCRIPTORS, Option.DEVICE], Code.KEEP),
        ("11778-8", "LN", [], Code.REMOVE),  # EDD
        ("363698007", "SCT", [Option.DESCRIPTORS], Code.CLEAN),  # Finding Site
        ("76", "NCDR [2.0b]", [], Code.DUMMY),  # Catheterization Operator
    ],
)
def test_content_items_get_the_action_of_the_standard(
    value: str, scheme: str, options: list[Option], code: Code
) -> None:
    assert content_code(value, scheme, frozenset(options)) is code


def test_the_value_type_tells_rows_of_one_concept_apart() -> None:
    # Clinical Report, once as a reference and once as text.
    assert content_code("371524004", "SCT", frozenset({Option.UIDS}), "COMPOSITE") is Code.KEEP
    assert content_code("371524004", "SCT", frozenset({Option.UIDS}), "TEXT") is Code.REMOVE
    assert content_code("371524004", "SCT", frozenset({Option.DESCRIPTORS}), "TEXT") is Code.CLEAN


def test_an_unknown_value_type_takes_the_strictest_action_of_the_concept() -> None:
    for value_type in ("", "PNAME"):
        assert content_code("371524004", "SCT", frozenset({Option.UIDS}), value_type) is Code.REMOVE
    assert content_code("121112", "DCM", frozenset()) is Code.REMOVE


def test_padding_of_a_code_does_not_matter() -> None:
    assert content_code("121022 ", "DCM\0", frozenset(), "TEXT ") is Code.REMOVE


@pytest.mark.parametrize(
    ("value", "scheme"), [("121022", "SCT"), ("121022", "99DCM"), ("", ""), ("G-D705", "SRT"), ("113014", "DCM")]
)
def test_a_concept_that_the_table_does_not_name_has_no_action(value: str, scheme: str) -> None:
    assert content_code(value, scheme, frozenset()) is None


@given(SOME_OPTIONS)
def test_names_of_people_stay_under_no_option(options: frozenset[Option]) -> None:
    for value, scheme, value_type, *_ in table():
        if value_type == "PNAME":
            assert content_code(value, scheme, options, value_type) in (Code.REMOVE, Code.DUMMY)


@given(st.text(max_size=12), st.text(max_size=8), SOME_OPTIONS, st.text(max_size=8))
def test_any_code_has_an_action_or_none(value: str, scheme: str, options: frozenset[Option], kind: str) -> None:
    assert content_code(value, scheme, options, kind) in (None, *Code)
