"""The commands of the second reader, as somebody types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deidra.app.cli import cli
from deidra.app.decide.second import ReviewSection
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, DecisionKind, Finding, Remark, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.workflow import Project

SCAN = Asset("scan", "/in/letter.pdf", "", "2" * 64, 9, AssetKind.PDF, AssetStatus.DECIDED, info={"pages": 1})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project in which ann has kept two names; its policy wants names read again."""
    project = Project.open(tmp_path / "project")
    project.store.assets.add([SCAN])
    plain = {"frame": None, "page": 0, "tag": None, "polygon": box_polygon(0, 0, 9, 9), "type": EntityType.PATIENT}
    project.store.findings.replace(
        "scan",
        [
            Finding(name, "scan", text=f"Text {name}", score=0.5, variance=0, risk=50, verdict=Verdict.QUEUE,
                    action=Action.REDACT, **plain)
            for name in ("f1", "f2")
        ],
    )  # fmt: skip
    project.desk.decide(["f1", "f2"], DecisionKind.KEEP, by="ann")
    project.desk.remark(["f1"], Remark(note="surely a street"), by="ann")
    policy = project.policy.model_copy(update={"review": ReviewSection(second_reader="types", types=("PATIENT",))})
    project.store.set_value("policy", policy.model_dump_json())
    project.close()
    return tmp_path / "project"


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["second", *words, "--project", str(folder)])


def test_the_list_shows_what_others_have_decided_without_their_decisions(folder: Path) -> None:
    result = run(folder, "list", "--by", "bob", "--json")
    rows = json.loads(result.stdout)
    assert [row["id"] for row in rows] == ["f1", "f2"]
    assert {row["decision"] for row in rows} == {None}
    assert "surely a street" not in result.output
    assert "ann" not in result.output
    assert run(folder, "list", "--by", "ann").output == "0 for you, 2 unread in all, 0 differences to settle\n"


def test_a_difference_is_listed_settled_and_counted(folder: Path) -> None:
    assert run(folder, "decide", "f1", "accept", "--by", "bob").exit_code == 0
    assert run(folder, "decide", "f2", "keep", "--by", "bob").exit_code == 0
    listed = run(folder, "differences").output
    assert listed == "f1  'Text f1'  ann: keep, bob: accept\n1 differences to settle\n"
    assert run(folder, "settle", "f1", "accept", "--by", "cleo").exit_code == 0
    assert run(folder, "differences").output == "0 differences to settle\n"
    project = Project.open(folder, create=False)
    assert project.desk.finding("f1").decision is DecisionKind.ACCEPT
    project.close()
    told = json.loads(run(folder, "agreement", "--json").stdout)
    assert told["agreement"]["all"]["readings"] == 2
    assert told["agreement"]["all"]["share"]["value"] == 0.5
    # By chance: the first reader keeps both, so half of the second's agree: kappa is 0.
    assert told["agreement"]["PATIENT"]["kappa"]["value"] == 0
    assert "same decision 50.0%" in run(folder, "agreement").output


def test_the_first_curator_is_told_that_another_one_has_to_read(folder: Path) -> None:
    result = run(folder, "decide", "f1", "keep", "--by", "ann")
    assert result.exit_code != 0
    assert "The first decision on this item is yours" in str(result.output) + str(result.exception)


def test_a_second_decision_and_a_settlement_are_taken_back(folder: Path) -> None:
    run(folder, "decide", "f1", "accept", "--by", "bob")
    run(folder, "settle", "f1", "accept", "--by", "cleo")
    assert "settled since" in str(run(folder, "undo", "--by", "bob").exception)
    assert run(folder, "undo", "--settled", "--by", "cleo").output == "taken back: f1\n"
    assert run(folder, "undo", "--by", "bob").output == "taken back: f1\n"
    assert run(folder, "undo", "--by", "bob").output == "there is nothing to take back\n"
    assert run(folder, "list", "--by", "bob").output.startswith("f1")
