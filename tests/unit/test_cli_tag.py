"""``deidra tag``: a JSON line in, a JSON line out; places in characters; verdicts of the policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from deidra.app.cli import cli
from deidra.app.decide.policy import PolicyError
from deidra.app.domain.errors import KnownError


def run(lines: str | bytes, *options: str) -> Result:
    return CliRunner().invoke(cli, ["tag", "-", *options], input=lines)


def tagged(entry: dict[str, Any], *options: str) -> list[dict[str, Any]]:
    result = run(json.dumps(entry), *options)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["id"] == entry["id"]
    assert set(answer) == {"id", "spans"}
    return answer["spans"]


def test_a_span_holds_its_place_type_text_score_variance_and_verdict() -> None:
    [span] = tagged({"id": 7, "text": "MRN: A-4711 seen"})
    score, variance = span.pop("score"), span.pop("variance")
    assert span == {"start": 5, "end": 11, "type": "ID.mrn", "text": "A-4711", "verdict": "auto"}
    assert 0.97 <= score <= 1
    assert 0 <= variance < 0.05


def test_without_the_network_there_is_no_variance(tmp_path: Path) -> None:
    policy = tmp_path / "rules.toml"
    policy.write_text("[detect]\nnetwork = false\n")
    [span] = tagged({"id": 7, "text": "MRN: A-4711 seen"}, "--policy", str(policy))
    assert (span["score"], span["variance"]) == (0.97, None)


@pytest.mark.parametrize("lead", ["", "é ", "日本 ", "𝒳𝒴 ", "e\u0301 "])
def test_places_are_counted_in_characters_whatever_stands_before(lead: str) -> None:
    text = f"{lead}mail jo@mail.example.org"
    [span] = [s for s in tagged({"id": "a", "text": text}) if s["type"] == "EMAIL"]
    assert text[span["start"] : span["end"]] == span["text"] == "jo@mail.example.org"


@pytest.mark.parametrize(
    ("tag", "text", "kind"),
    [
        ("PatientName", "QUILL^ADA", "PATIENT"),
        ("PatientID", "4711", "ID.mrn"),
        ("PatientBirthDate", "19530417", "DATE.birth"),
        ("InstitutionName", "Quillfeather", "HOSPITAL"),
        ("OperatorsName", "aq", "STAFF"),
    ],
)
def test_a_value_is_private_as_a_whole_where_its_attribute_says_so(tag: str, text: str, kind: str) -> None:
    [span] = tagged({"id": 1, "text": f"{text} ", "tag": tag})
    assert (span["start"], span["end"], span["type"], span["verdict"]) == (0, len(text), kind, "auto")


@pytest.mark.parametrize("tag", ["SeriesDescription", "StudyDescription", "ProtocolName", "ImageComments"])
def test_descriptions_are_read_also_where_the_policy_removes_them(tag: str) -> None:
    assert tagged({"id": 1, "text": "T1 SE head", "tag": tag}) == []
    [span] = tagged({"id": 1, "text": "T1 SE head, DOB 17.04.1953", "tag": tag})
    assert (span["text"], span["type"]) == ("17.04.1953", "DATE.birth")


def test_a_value_that_the_policy_keeps_is_not_private() -> None:
    entry = {"id": 1, "text": "M", "tag": "PatientSex"}
    assert [s["type"] for s in tagged(entry)] == ["DEMOG"]
    assert tagged(entry, "--policy", "tcia") == []


@pytest.mark.parametrize(("tag", "text"), [("PatientPosition", "HFS"), ("Modality", "MR"), ("PatientName", "  ")])
def test_terms_and_empty_values_are_not_private(tag: str, text: str) -> None:
    assert tagged({"id": 1, "text": text, "tag": tag}) == []


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("Manufacturer", "Quillfeather Heavy Inc"),
        ("ClinicalTrialSponsorName", "QUILLHAVEN Oncology Foundation"),
        ("CodeValue", "103339001"),
        ("CodeValue", "4711471147"),
    ],
)
def test_makers_sponsors_and_codes_are_nobodys_employer_or_number(tag: str, text: str) -> None:
    assert [s for s in tagged({"id": 1, "text": text, "tag": tag}, "--policy", "tcia") if s["type"] != "OTHERPHI"] == []


def test_a_tag_that_the_standard_does_not_list_is_read_as_a_private_attribute() -> None:
    [span] = tagged({"id": 1, "text": "for MRN 4711471", "tag": "OurComment"})
    assert span["text"] == "4711471"


def test_the_label_beside_a_text_gives_it_its_meaning() -> None:
    assert tagged({"id": 1, "text": "Supine"}) == []
    [span] = tagged({"id": 1, "text": "A-4711", "label": "Patient ID"})
    assert (span["start"], span["end"], span["type"]) == (0, 6, "ID.mrn")


def test_types_that_are_off_are_never_told(tmp_path: Path) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text('extends = "basic"\n[detect]\ntypes_off = ["ID.mrn", "DATE.birth", "DATE.other", "PATIENT"]\n')
    options = ("--policy", str(policy))
    assert tagged({"id": 1, "text": "MRN: A-4711, 17.04.1953"}, *options) == []
    assert tagged({"id": 1, "text": "QUILL^ADA", "tag": "PatientName"}, *options) == []


def test_the_verdict_is_that_of_the_policy(tmp_path: Path) -> None:
    entry = {"id": 1, "text": "MRN: A-4711"}
    policy = tmp_path / "own.toml"
    policy.write_text("[detect]\nnetwork = false\n[thresholds]\nauto_score = 0.99\n")
    assert [s["verdict"] for s in tagged(entry, "--policy", str(policy))] == ["queue"]
    policy.write_text("[detect]\nnetwork = false\n[thresholds]\nqueue_score = 0.98\n")
    assert [s["verdict"] for s in tagged(entry, "--policy", str(policy))] == ["ignore"]


@pytest.mark.parametrize(
    "line",
    [
        b"QUILL",
        b"[1]",
        b'{"id": 1}',
        b'{"text": "QUILL"}',
        b'{"id": 1, "text": 5}',
        b'{"id": [1], "text": "QUILL"}',
        b'{"id": 1, "text": "QUILL", "tag": 5}',
        b'{"id": 1, "text": "QUILL \\ud800"}',
        b'{"id": 1, "text": "QUILL \xff"}',
        b"[" * 100_000,
    ],
)
def test_a_malformed_line_is_named_by_its_number_and_the_others_are_tagged(line: bytes) -> None:
    good = b'{"id": "x", "text": "MRN 4711471"}'
    result = run(b"\n".join([good, b"", line, good]))
    assert isinstance(result.exception, KnownError)
    assert result.exception.exit_status != 0
    assert "line 3 " in result.stderr
    assert "QUILL" not in result.stderr
    assert [json.loads(one)["id"] for one in result.stdout.splitlines()] == ["x", "x"]


def test_a_file_is_read_like_the_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    file.write_text('\ufeff{"id": 1, "text": "no"}\r\n{"id": 2, "text": "no", "tag": null, "label": null}', "utf-8")
    result = CliRunner().invoke(cli, ["tag", str(file)])
    assert [json.loads(one) for one in result.stdout.splitlines()] == [{"id": 1, "spans": []}, {"id": 2, "spans": []}]


def test_an_unknown_policy_is_named() -> None:
    assert isinstance(run("{}", "--policy", "none-such").exception, PolicyError)
