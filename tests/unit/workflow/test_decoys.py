"""Decoys: made-up private values among the items that wait, in a real project with the real detection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from pydicom import Dataset, FileDataset
from pydicom.dataset import FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian, generate_uid

from deidra.app import decoys
from deidra.app.cli import cli
from deidra.app.decide.editing import changed
from deidra.app.decide.explain import explained
from deidra.app.decide.forecast import forecast
from deidra.app.decide.policy import Policy, load_policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import DecisionKind, Remark, Verdict
from deidra.app.review.decoys import sensitivity
from deidra.app.workflow import Project
from deidra.storage.decoys import DecoyDecision
from deidra.storage.findings import FindingFilter
from deidra.ui.header_panel import with_decoys

ACCEPT, REPLACE, BLANK, KEEP = DecisionKind.ACCEPT, DecisionKind.REPLACE, DecisionKind.BLANK, DecisionKind.KEEP
SHOWN = FindingFilter(pending=True, with_decoys=True, free_for="ann")
ASKED = ("cmp 82528947", "t1 melissa costa", "as Miller", "from New Jeffreymouth")


def policy_with(share: float, seed: int = 0) -> Policy:
    return changed(load_policy("tcia"), "review", decoys=share, seed=seed)


def write_file(path: Path, number: int) -> None:
    dataset = Dataset()
    dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.66"
    dataset.SOPInstanceUID = generate_uid(entropy_srcs=[f"{number}"])
    dataset.StudyInstanceUID = dataset.SeriesInstanceUID = generate_uid(entropy_srcs=["study"])
    dataset.Modality = "OT"
    dataset.PatientName = "Okonkwo^Ada"
    dataset.PatientID = "4711"
    dataset.StudyDate = "20190304"
    dataset.StudyDescription = ASKED[number % len(ASKED)]
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    file = FileDataset(str(path), dataset, file_meta=meta, preamble=bytes(128))
    file.save_as(path, enforce_file_format=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Twelve files, of each of which a description is asked about."""
    base = tmp_path_factory.mktemp("decoys")
    (base / "in").mkdir()
    for number in range(12):
        write_file(base / "in" / f"{number:02}.dcm", number)
    project = Project.open(base / "project")
    policy = policy_with(0)
    project.store.set_value("policy", policy.model_dump_json())
    project.run([base / "in"])
    assert project.desk.count() > 8
    project.close()
    return base


@pytest.fixture
def project(folder: Path, tmp_path: Path):
    """A project of those files with a decoy for every second item."""
    opened = Project.open(tmp_path / "p")
    opened.store.set_value("policy", policy_with(0.5).model_dump_json())
    opened.run([folder / "in"])
    yield opened
    opened.close()


def planted(project: Project) -> list[str]:
    real = {finding.id for finding in project.store.findings.select()}
    return [finding.id for finding in project.desk.queue(SHOWN) if finding.id not in real]


def test_there_are_none_where_the_policy_asks_for_none(folder: Path) -> None:
    project = Project.open(folder / "project")
    assert planted(project) == []
    assert [row for row in project.store.audit_rows() if "decoy" in row.event] == []
    project.close()


def test_a_decoy_is_a_question_of_the_real_detection_about_a_header_value_that_the_file_lacks(
    project: Project,
) -> None:
    ids = planted(project)
    assert len(ids) == -(-project.desk.progress().queued // 2)
    for decoy in (project.desk.finding(name) for name in ids):
        assert decoy.verdict is Verdict.QUEUE
        assert decoy.pending
        assert decoy.polygon is None
        assert decoy.evidence
        assert decoy.reason
        assert decoy.tag not in [row.tag for row in project.header(decoy.asset_id)]


def test_a_decoy_cannot_be_told_from_an_item_by_what_is_stored_of_it(project: Project) -> None:
    found = project.desk.queue(SHOWN)
    ids = set(planted(project))
    real = [finding for finding in found if finding.id not in ids and finding.tag is not None]
    made = [finding for finding in found if finding.id in ids]
    assert {len(finding.id) for finding in made} == {len(finding.id) for finding in real}
    assert {finding.action for finding in made} <= {finding.action for finding in real}
    assert {e.agent for finding in made for e in finding.evidence} <= {
        "deidra-tag",
        "gazetteer",
        "rules",
        *(e.agent for finding in real for e in finding.evidence),
    }


def test_its_row_of_the_header_is_that_of_an_item_which_waits(project: Project) -> None:
    ids = set(planted(project))
    decoy = project.desk.finding(min(ids))
    rows = with_decoys(project.header(decoy.asset_id), project.desk.decoys_on(decoy.asset_id))
    assert [row.tag for row in rows] == sorted(row.tag for row in rows)
    made = [row for row in rows if row.finding_id in ids]
    real = [row for row in rows if row.keyword == "StudyDescription"]
    assert {(row.action, row.reason) for row in made} == {(row.action, row.reason) for row in real}
    (row,) = [row for row in made if row.finding_id == decoy.id]
    assert (row.before, row.after) == (decoy.text, decoy.proposal)


def test_decoys_stand_in_the_order_of_the_list_and_pages_do_not_overlap(project: Project) -> None:
    for sort in ("leak", "risk", "uncertain", "file"):
        whole = [finding.id for finding in project.desk.queue(SHOWN, sort)]
        pages = [f.id for start in range(0, len(whole), 4) for f in project.desk.queue(SHOWN, sort, start, 4)]
        assert pages == whole
        assert len(set(whole)) == len(whole) == project.desk.count(SHOWN)
    risks = [finding.risk for finding in project.desk.queue(SHOWN, "risk")]
    assert risks == sorted(risks, reverse=True)


def test_decoys_are_found_by_text_as_other_items_are(project: Project) -> None:
    decoy = project.desk.finding(planted(project)[0])
    wanted = FindingFilter(pending=True, with_decoys=True, text=decoy.text)
    assert decoy.id in [finding.id for finding in project.desk.queue(wanted)]


def test_nothing_but_the_queue_of_curators_knows_decoys(project: Project, folder: Path, tmp_path: Path) -> None:
    ids = planted(project)
    texts = {project.desk.finding(name).text for name in ids}
    plain = Project.open(tmp_path / "plain")
    plain.store.set_value("policy", policy_with(0).model_dump_json())
    plain.run([folder / "in"])
    for count in (lambda p: p.summary().findings, lambda p: p.summary().queued, lambda p: p.desk.progress()):
        assert count(project) == count(plain)
    assert forecast(project.judged_findings(), project.policy) == forecast(plain.judged_findings(), plain.policy)
    assert not set(ids) & {finding.id for finding in project.desk.queue()}
    assert project.store.findings.pending_by_reason() == plain.store.findings.pending_by_reason()
    for name in ids:
        project.desk.decide([name], REPLACE, "QUUX XYZZY", by="ann")
    kinds = ("patient", "uid", "baseline")
    assert not any("XYZZY" in str(project.store.crosswalk(kind)) for kind in kinds)
    out = tmp_path / "release"
    project.release(out, "accept")
    written = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert b"XYZZY" not in written
    assert [text for text in texts if text.encode() in written] == []
    assert project.second.agreement()[""].readings == 0
    plain.close()


def test_a_decision_on_a_decoy_is_told_is_final_and_no_undo_touches_it(project: Project) -> None:
    decoy = planted(project)[0]
    real = project.desk.queue()[0].id
    project.desk.decide([real], KEEP, by="ann")
    change = project.desk.decide([decoy], BLANK, by="ann")
    assert change.decoys == (decoy,)
    assert project.desk.finding(decoy).decision is BLANK
    with pytest.raises(KnownError, match="a decoy, and its decision is final"):
        project.desk.decide([decoy], KEEP, by="ann")
    undone = project.desk.undo("ann")
    assert undone is not None
    assert undone.findings == (real,)
    assert project.desk.finding(decoy).decision is BLANK
    assert decoy not in planted(project)


def test_the_audit_log_says_that_it_was_a_decoy(project: Project) -> None:
    decoy = planted(project)[0]
    project.desk.decide([decoy], KEEP, by="ann")
    rows = list(project.store.audit_rows())
    assert (rows[-1].event, rows[-1].actor) == ("decoy-decided", "ann")
    assert rows[-1].data == {"decoy": decoy, "kind": "keep"}
    assert project.store.broken_audit_row() is None


def test_a_decoy_can_be_leased_remarked_and_is_like_nothing(project: Project) -> None:
    decoy = project.desk.finding(planted(project)[0])
    assert project.desk.take(decoy, "ann")
    project.desk.remark([decoy.id], Remark(flagged=True, note="who is this"), by="ann")
    assert project.desk.finding(decoy.id).remark == Remark(flagged=True, note="who is this")
    assert project.desk.alike(decoy.id) == []


def test_decoys_wait_only_while_something_else_does(project: Project) -> None:
    assert project.desk.progress(with_decoys=True).waiting > project.desk.progress().waiting
    project.desk.decide([finding.id for finding in project.desk.queue()], ACCEPT, by="ann")
    assert planted(project) == []
    assert project.desk.progress(with_decoys=True).waiting == 0


def test_the_same_seed_plants_the_same_and_another_one_others(project: Project) -> None:
    before = planted(project)
    project.apply_policy(project.policy)
    assert planted(project) == before
    project.apply_policy(policy_with(0.5, seed=7))
    assert not set(planted(project)) & set(before)


def test_a_decoy_that_was_decided_on_is_not_planted_again(project: Project) -> None:
    before = planted(project)
    project.desk.decide([before[0]], KEEP, by="ann")
    project.apply_policy(policy_with(0.5, seed=7))
    project.apply_policy(policy_with(0.5, seed=0))
    assert set(planted(project)) == set(before[1:])
    assert len(project.store.decoys.decisions()) == 1


def test_decoys_that_are_no_longer_wanted_are_gone_and_what_they_told_stays(project: Project) -> None:
    first = planted(project)[0]
    project.desk.decide([first], KEEP, by="ann")
    project.apply_policy(policy_with(0))
    assert planted(project) == []
    assert project.second.sensitivity()["ann"].decoys == 1


def test_no_more_are_made_than_the_most(project: Project, monkeypatch) -> None:
    monkeypatch.setattr(decoys, "MOST", 2)
    project.apply_policy(policy_with(0.5, seed=3))
    assert len(planted(project)) == 2


def test_sensitivity_is_the_share_that_was_not_kept_by_curator() -> None:
    said = [("ann", ACCEPT), ("ann", REPLACE), ("ann", BLANK), ("ann", KEEP), ("bob", KEEP)]
    found = sensitivity(DecoyDecision(str(n), who, None, kind) for n, (who, kind) in enumerate(said))
    assert {name: (item.noticed, item.decoys) for name, item in found.items()} == {
        "": (3, 5),
        "ann": (3, 4),
        "bob": (0, 1),
    }
    ann = found["ann"].share
    assert ann is not None
    assert ann.value == 0.75
    # Wilson's interval of 3 in 4.
    assert (round(ann.low, 3), round(ann.high, 3)) == (0.301, 0.954)


def test_the_command_tells_sensitivity(project: Project) -> None:
    ids = planted(project)
    project.desk.decide(ids[:2], ACCEPT, by="ann")
    project.desk.decide(ids[2:3], KEEP, by="bob")
    words = ["second", "agreement", "--project", str(project.folder)]
    told = CliRunner().invoke(cli, words).output
    assert "decoys, all curators: 2 of 3 noticed, sensitivity 66.7%" in told
    assert "decoys, bob: 0 of 1 noticed" in told
    read = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert read["sensitivity"]["ann"]["noticed"] == 2


def test_the_policy_in_words_tells_of_decoys() -> None:
    assert any("Decoys: made-up values" in line and "50%" in line for line in explained(policy_with(0.5)))
    assert not any("Decoys" in line for line in explained(policy_with(0)))
