"""Definitions written into policy files, and the command that does so."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deidra.app.cli import cli
from deidra.app.decide.policy import load_policy
from deidra.app.defining import defined_in, merged, places_in, texts_on, write_definition
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Evidence, FrameText, TextLine

PASSPORT = Definition("passport numbers", "a letter and eight digits", ("A12345678",))
OWN = '# ours\nextends = "tcia"  # base\n\n[detect]\nnetwork = false # quick\n'


def define(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["define", *arguments])


def answer(*arguments: str) -> dict[str, Any]:
    result = define(*arguments, "--json")
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


def test_a_definition_is_added_and_the_rest_of_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, "utf-8")
    assert write_definition(path, PASSPORT) is False
    assert path.read_text("utf-8").startswith(OWN)
    assert defined_in(path, "Passport number") == PASSPORT
    assert [m.definition for m in load_policy(str(path)).matchers] == [PASSPORT]
    assert [p.name for p in tmp_path.iterdir()] == ["own.toml"]


def test_a_definition_of_the_same_name_is_replaced_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, "utf-8")
    other = Definition("badge numbers", "six digits")
    for one in (PASSPORT, other, merged(PASSPORT, Definition("passport numbers", examples=("B12345678",)))):
        write_definition(path, one)
    assert [entry.definition.examples for entry in load_policy(str(path)).definitions] == [
        ("A12345678", "B12345678"),
        (),
    ]


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    write_definition(path, PASSPORT)
    assert load_policy(str(path)).matchers
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_sentence_that_names_all_types_names_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[detect]\nonly = "names and ages."\n', "utf-8")
    assert write_definition(path, PASSPORT) is True
    assert load_policy(str(path)).detect.only == "names and ages, passport numbers"
    assert write_definition(path, PASSPORT) is False


@pytest.mark.parametrize("name", ["basic", "broken.toml"])
def test_what_is_no_policy_file_is_not_written_to(tmp_path: Path, name: str) -> None:
    path = Path(name) if name == "basic" else tmp_path / name
    if name != "basic":
        path.write_text("[detect\n", "utf-8")
    with pytest.raises(PolicyError):
        write_definition(path, PASSPORT)
    assert name == "basic" or path.read_text("utf-8") == "[detect\n"


def test_a_text_that_both_readers_read_is_one_place_and_what_one_alone_reads_another() -> None:
    evidence = (
        Evidence("ppocr-rec", "A12345678 B1", None, 0.9, 0),
        Evidence("tesseract", "A12345678 B87654321", None, 0.9, 0),
    )
    line = TextLine(box_polygon(0, 0, 90, 10), "A12345678 B1", (), evidence)
    places = places_in(texts_on("asset", [FrameText(2, 100, 100, (line,))]), induced(PASSPORT))
    assert [(place.frame, place.tag, place.match.text) for place in places] == [
        (2, "", "A12345678"),
        (2, "", "B87654321"),
    ]


def test_the_command_tells_what_was_induced_and_writes_it(tmp_path: Path) -> None:
    path = str(tmp_path / "own.toml")
    told = answer("passport numbers", "--policy", path, "--description", PASSPORT.description, "--example", "A12345678")
    assert [form["words"] for form in told["forms"]] == ["1 letter, 8 digits"]
    assert (told["context"], told["questions"], told["type"]) == (["passport"], [], "ID.other")
    more = answer("passport numbers", "--policy", path, "--example", "B12345678", "--context", "travel")
    assert (more["examples"], more["context"]) == (["A12345678", "B12345678"], ["travel", "passport"])


def test_an_example_that_contradicts_the_description_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    result = define("passport numbers", "--policy", str(path), "--description", "eight digits", "--example", "A1")
    assert isinstance(result.exception, PolicyError)
    assert not path.exists()


def test_answers_without_questions_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "own.toml")
    result = define("badge numbers", "--policy", path, "--description", "six digits", "--answers", "yes")
    assert result.exit_code == 2
    assert "0 questions" in result.output
    assert define("x", "--policy", path, "--example", "A1", "--answers", "perhaps").exit_code == 2
