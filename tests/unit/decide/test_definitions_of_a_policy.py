from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from deidra.app.decide.explain import explained
from deidra.app.decide.policy import Policy, dump_policy, load_policy, parse_policy
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import EntityType

TEXT = """
extends = "basic"

[detect]
only = "private information is: names, dates of birth and passport numbers"

[[definitions]]
name = "Passport numbers"
description = "a letter and eight digits"
examples = ["A12345678"]
"""


def written(folder: Path, text: str) -> str:
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    return str(path)


def test_a_sentence_turns_on_exactly_what_it_names(tmp_path: Path) -> None:
    policy = load_policy(written(tmp_path, TEXT))
    on = set(EntityType) - policy.types_off
    assert on == {EntityType.PATIENT, EntityType.STAFF, EntityType.DATE_BIRTH, EntityType.UNREAD}
    assert [m.definition.name for m in policy.matchers] == ["names", "dates of birth", "Passport numbers"]


def test_without_a_sentence_all_definitions_are_in_force_and_types_are_off_as_given(tmp_path: Path) -> None:
    text = TEXT.replace("only =", "types_off = ['AGE'] #")
    policy = load_policy(written(tmp_path, text))
    assert policy.types_off == {EntityType.AGE}
    assert [m.definition.name for m in policy.matchers] == ["Passport numbers"]


def test_a_form_can_stand_in_the_sentence_itself() -> None:
    policy = Policy.model_validate({"detect": {"only": "passport numbers, a letter and eight digits, and ages"}})
    assert [(m.definition.name, m.definition.description) for m in policy.matchers] == [
        ("passport numbers", "a letter and eight digits"),
        ("ages", ""),
    ]


def test_a_policy_with_definitions_survives_storage_and_other_processes(tmp_path: Path) -> None:
    policy = load_policy(written(tmp_path, TEXT))
    for again in (parse_policy(dump_policy(policy)), pickle.loads(pickle.dumps(policy))):
        assert again == policy
        assert again.digest == policy.digest
        assert again.matchers[2].matches("B87654321")[0].text == "B87654321"


def test_an_example_more_is_another_policy(tmp_path: Path) -> None:
    more = TEXT.replace('["A12345678"]', '["A12345678", "B12345678"]')
    assert load_policy(written(tmp_path, TEXT)).digest != load_policy(written(tmp_path, more)).digest


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("and passport numbers", "and frobnicators"), "nothing is known of 'frobnicators'"),
        (('["A12345678"]', '["12"]'), "example 1 is something else"),
        (('"private information is: names, dates of birth and passport numbers"', '" ,"'), "names nothing"),
        (("[[definitions]]", '[[definitions]]\ntype = "UNREAD"'), "cannot be defined"),
        (
            ("[[definitions]]", '[[definitions]]\nname = "passport number"\npattern = "x"\n[[definitions]]'),
            "There are two",
        ),
        (("examples =", "exampels ="), "definitions.0.exampels"),
    ],
)
def test_definitions_that_make_no_sense_are_refused_with_what_is_wrong(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    with pytest.raises(PolicyError, match=words):
        load_policy(written(tmp_path, TEXT.replace(*change)))


def test_diagnoses_are_read_where_they_are_named() -> None:
    assert Policy.model_validate({"detect": {"only": "disease names"}}).reads_health
    assert not Policy().reads_health


def test_definitions_are_explained_without_their_examples(tmp_path: Path) -> None:
    lines = list(explained(load_policy(written(tmp_path, TEXT))))
    assert any(line.startswith("Defined as private: Passport numbers") for line in lines)
    assert not any("A12345678" in line for line in lines)
