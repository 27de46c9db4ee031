from __future__ import annotations

from pathlib import Path

import pytest

from deidra.app.decide.explain import explained, type_rows
from deidra.app.decide.policy import PRESETS, Fill, Policy, RedactSection, load_policy
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.labels import PAPER_LABELS
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.recipes import RuleAction


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_explains_its_options_dates_and_thresholds(name: str) -> None:
    policy = load_policy(name)
    text = "\n".join(explained(policy))
    assert text.startswith(f"{name}: ")
    assert all(f"({option.value})" in text for option in policy.header.options)
    assert str(policy.thresholds.auto_score) in text
    assert "Dates" in text


@pytest.mark.parametrize("fill", list(Fill))
def test_every_fill_is_said_in_words_and_of_a_blur_that_it_is_weaker_than_black(fill: Fill) -> None:
    (line,) = [line for line in explained(Policy(redact=RedactSection(fill=fill))) if line.startswith("Covered areas")]
    assert ("of which black leaves nothing" in line) is (fill is Fill.BLUR)


def test_a_recipe_is_read_from_the_policy_file_and_explained(tmp_path: Path) -> None:
    path = tmp_path / "trial.toml"
    path.write_text(
        'extends = "basic"\n[[header.rules]]\nkeyword = "StudyDescription"\naction = "keep"\n'
        'when = { Modality = "CT" }\n[[header.rules]]\ntag = "(0010,21xx)"\naction = "replace"\nvalue = "none"\n',
        "utf-8",
    )
    policy = load_policy(str(path))
    assert [rule.action for rule in policy.profile.rules] == [RuleAction.KEEP, RuleAction.REPLACE]
    text = "\n".join(explained(policy))
    assert "rule 1: keep keyword StudyDescription, where Modality is CT" in text
    assert "rule 2: replace tag (0010,21xx) with 'none'" in text
    assert policy.digest != load_policy("basic").digest


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('action = "keep"', "header.rules.0: Value error, a rule names elements"),
        ('action = "burn"\nkeyword = "StudyDate"', "header.rules.0.action"),
        ('action = "keep"\ntag = "PatientName"', "is no tag"),
        ('action = "replace"\nkeyword = "StudyDate"', "needs a value"),
        ('action = "keep"\nkeyword = "StudyDate"\nwhen = { Modalty = "CT" }', "'Modalty' is no keyword"),
        ('action = "keep"\nkeyword = "StudyDate"\ncolour = "red"', "header.rules.0.colour"),
    ],
)
def test_a_wrong_rule_is_refused_with_its_number_and_key(tmp_path: Path, rule: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f"[[header.rules]]\n{rule}\n", "utf-8")
    with pytest.raises(PolicyError) as caught:
        load_policy(str(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said", "unsaid"),
    [
        (
            "",
            [
                "by the detector of Deidra and by the detector of PP-OCR.",
                "only where both detectors see",
                "few enough boxes were wrong",
                "of 0.5 on",
            ],
            ["variance of the detector of Deidra"],
        ),
        (
            "[thresholds]\ndoubt = 'paper'",
            ["both detectors see", "the variance of the detector of Deidra is below"],
            ["few enough"],
        ),
        ("[thresholds]\nboth_agents = false", ["only where the detector of Deidra is right"], ["both detectors"]),
        (
            "[thresholds]\nunread_score = 0.3",
            [
                "a probability of 0.3 on, what the detector of PP-OCR alone sees is not",
                "barcodes that cannot be decoded always are",
            ],
            [],
        ),
        (
            "[detect]\nagents = ['ppocr-det']",
            ["for text by the detector of PP-OCR."],
            ["of Deidra", "both detectors", "barcodes"],
        ),
        (
            "[detect]\nagents = ['deidra-det']",
            ["for text by the detector of Deidra.", "where the detector of Deidra is right"],
            ["both", "alone sees is not"],
        ),
    ],
)
def test_the_part_of_the_detectors_is_explained(
    tmp_path: Path, settings: str, said: list[str], unsaid: list[str]
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'extends = "basic"\n{settings}\n', "utf-8")
    text = "\n".join(explained(load_policy(str(path))))
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []


def test_every_type_is_listed_with_its_letter_its_labels_and_what_happens_to_it() -> None:
    rows = {row["type"]: row for row in type_rows(load_policy("basic"))}
    assert set(rows) == {kind.value for kind in EntityType} == {kind.value for kind in PAPER_LABELS}
    assert rows["ID.ssn"]["hipaa"] == "G"
    assert rows["ID.ssn"]["papers"] == {
        "000": "SSN",
        "001": "social security number",
        "002": "US SSN",
        "003": "ID",
    }
    assert rows["PATIENT"]["action"] == "removed"
    assert rows["DATE.other"]["action"] == "moved"
    assert rows["HEALTH"]["action"] == "kept"
    assert rows["UNREAD"]["action"] == "asked"


@pytest.mark.parametrize(
    ("paper", "labels"),
    [
        ("000", {"Name", "DOB", "SSN", "Phone", "Address", "Email", "Medical Numbers", "Disease Name"}),
        (
            "002",
            {
                "US SSN", "birth date", "birth place", "age", "marital/parental/spousal status", "home address",
                "home phone number", "religious affiliation", "citizenship/nationality", "sex/gender", "health status",
                "other",
            },
        ),
        (
            "003",
            {
                "PATIENT", "STAFF", "AGE", "DATE", "PHONE", "ID", "EMAIL", "LOCATION", "HOSPITAL", "PATORG", "OTHERPHI",
            },
        ),
    ],
)  # fmt: skip
def test_every_label_of_a_paper_belongs_to_a_type(paper: str, labels: set[str]) -> None:
    told = {label for row in type_rows(load_policy("basic")) for label in row["papers"].get(paper, "").split(", ")}
    assert told - {""} == labels


def test_types_that_are_off_or_on_are_told_as_such() -> None:
    policy = Policy.model_validate({"detect": {"types_off": ["AGE"], "health": True}})
    rows = {row["type"]: row["action"] for row in type_rows(policy)}
    assert rows["AGE"] == "kept"
    assert rows["HEALTH"] == "removed"


def test_what_is_not_private_on_pages_is_explained() -> None:
    text = "\n".join(explained(load_policy("documents")))
    assert "Not private there: date, phone, address, place, institution, employer or school." in text
    assert "States of health beside their labels are private there." in text
    assert "Not private there" not in "\n".join(explained(load_policy("basic")))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            'second_reader = "sample"\nshare = 0.2\nstrata = "risk"\nseed = 4',
            "are read by 2 curators, without sight of each other's decisions: 20% of them of each third of the risk, "
            "drawn by seed 4.",
        ),
        (
            'second_reader = "types"\ntypes = ["PATIENT"]\nreaders = 3',
            "by 3 curators, without sight of each other's decisions: all that are patient name.",
        ),
    ],
)
def test_what_a_second_reader_reads_is_explained(tmp_path: Path, settings: str, words: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'extends = "tcia"\n[review]\n{settings}\n', "utf-8")
    assert words in "\n".join(explained(load_policy(str(path))))
    assert "Decided items are read" not in "\n".join(explained(load_policy("tcia")))


@pytest.mark.parametrize("fault", ["share = 0", "share = 1.1", 'second_reader = "some"', "readers = 1", "sample = 3"])
def test_a_fault_in_the_review_section_is_told_with_its_key(tmp_path: Path, fault: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'extends = "tcia"\n[review]\n{fault}\n', "utf-8")
    with pytest.raises(PolicyError, match=f"review.{fault.split()[0]}"):
        load_policy(str(path))
