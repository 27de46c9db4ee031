from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pydicom
import pytest
from PIL import Image
from pydicom import config
from release_files import OneByOne

from deidra.app.decide.policy import Policy
from deidra.app.decide.second import ReviewSection
from deidra.app.domain.errors import Cancelled, KnownError, ReleaseBlocked, VerificationFailed
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, DecisionKind, Finding, Identifier, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.profile import Option, Profile
from deidra.app.progress import Control, ProgressEvent
from deidra.app.redact.plan import Mark
from deidra.app.release.export import FileMaker, Made, Order
from deidra.app.release.job import Pending, ReleaseJob
from deidra.app.release.manifest import INCOMPLETE, MANIFEST, ReleasedFile, verify
from deidra.app.release.report import TypeCounts, write_reports
from deidra.app.release.rescan import Leak
from deidra.app.review import ReviewDesk
from deidra.app.review.second import SecondDesk
from deidra.storage import ProjectStore

AssetOf = Callable[..., Asset]
ReportFile = Callable[..., bytes]
QUEUED = Finding(
    "f", "a", None, None, None, "(0008,1030)", "x", EntityType.PATIENT, 0.5, 0.0, 40, Verdict.QUEUE, Action.CLEAN
)


class NoLeak:
    def __init__(self, leak: Leak | None = None) -> None:
        self.leak = leak
        self.seen: list[object] = []

    def scan(self, data: bytes, kind: AssetKind, covered: object, kept: object) -> Leak | None:
        self.seen.append((kind, covered, kept))
        return self.leak


@pytest.fixture
def exporter(tmp_path: Path, engine: HeaderEngine, subject: Subject) -> Callable[..., OneByOne]:
    def make(rescanner: object = None, accept: bool = False) -> OneByOne:
        folder = tmp_path / "out"
        folder.mkdir(exist_ok=True)
        return OneByOne(folder, engine, Policy(), rescanner or NoLeak(), lambda _: subject, accept)

    return make


def files_in(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_file_is_written_under_its_new_names(
    exporter: Callable[..., OneByOne], asset_of: AssetOf, report_file: ReportFile, key: ProjectKey, tmp_path: Path
) -> None:
    asset = asset_of(report_file(StudyDescription="CT"))
    written = exporter().write(asset, [])
    assert written.reason == ""
    study, series, instance = (key.uid(f"1.2.3.4.{n}") for n in (1111111, 2222222, 5678901))
    assert files_in(tmp_path / "out") == [f"P0123/{study}/{series}/{instance}.dcm"]
    dataset = pydicom.dcmread(tmp_path / "out" / written.file.path)
    assert dataset.PatientName == "P0123"
    assert "StudyDescription" not in dataset
    assert written.file.actions["remove"] == 1
    assert "Okonkwo" not in str(written)


def test_a_file_that_leaks_is_deleted_again(
    exporter: Callable[..., OneByOne], asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    leak = Leak("the bytes of the file", EntityType.PATIENT)
    written = exporter(NoLeak(leak)).write(asset_of(report_file()), [])
    assert (written.file, written.reason) == (None, "re-scan: PATIENT found in the bytes of the file")
    assert files_in(tmp_path / "out") == []


def test_a_file_that_was_changed_since_it_was_searched_is_held_back(
    exporter: Callable[..., OneByOne], asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    asset = asset_of(report_file())
    Path(asset.path).write_bytes(report_file(StudyDescription="new"))
    written = exporter().write(asset, [])
    assert "changed since it was searched" in written.reason
    assert files_in(tmp_path / "out") == []


@pytest.mark.parametrize(
    ("other", "reason"), [({}, "an identical copy was released"), ({"Modality": "OT"}, "another file has the same SOP")]
)
def test_a_second_file_with_the_same_uid_is_held_back(
    exporter: Callable[..., OneByOne],
    asset_of: AssetOf,
    report_file: ReportFile,
    tmp_path: Path,
    other: dict[str, str],
    reason: str,
) -> None:
    writer = exporter()
    first = writer.write(asset_of(report_file()), [])
    second = writer.write(asset_of(report_file(**other), "b"), [])
    assert second.file is None
    assert second.reason.startswith(reason)
    assert files_in(tmp_path / "out") == [first.file.path]


def test_a_full_disk_stops_the_release_and_leaves_no_half_a_file(
    exporter: Callable[..., OneByOne],
    asset_of: AssetOf,
    report_file: ReportFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    asset = asset_of(report_file())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KnownError, match="release folder cannot be written") as caught:
        exporter().write(asset, [])
    assert "Free some space" in caught.value.advice
    assert files_in(tmp_path / "out") == []


def test_a_folder_that_cannot_be_made_stops_the_release(
    exporter: Callable[..., OneByOne], asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    writer = exporter()
    (tmp_path / "out" / "P0123").write_bytes(b"a file where the patient's folder should be")
    with pytest.raises(KnownError, match="release folder cannot be written"):
        writer.write(asset_of(report_file()), [])


def test_the_rescan_learns_what_was_decided(
    exporter: Callable[..., OneByOne], asset_of: AssetOf, tmp_path: Path
) -> None:
    Image.fromarray(np.full((60, 80), 200, np.uint8)).save(tmp_path / "x.png")
    asset = asset_of((tmp_path / "x.png").read_bytes(), kind=AssetKind.IMAGE)
    region = replace(
        QUEUED,
        tag=None,
        frame=None,
        page=0,
        polygon=box_polygon(0, 0, 5, 5),
        verdict=Verdict.AUTO,
        action=Action.REDACT,
    )
    kept = replace(region, polygon=box_polygon(20, 20, 25, 25), decision=DecisionKind.KEEP, text="kept")
    waiting = replace(region, polygon=box_polygon(40, 40, 45, 45), verdict=Verdict.QUEUE)
    scan = NoLeak()
    written = exporter(scan).write(asset, [region, kept, waiting])
    decided = [Mark(region.polygon, 0, was=region.text), Mark(kept.polygon, 0, "kept")]
    assert scan.seen == [(AssetKind.IMAGE, decided, ["kept"])]
    assert (written.file.path, written.file.pixels) == ("documents/a.png", "rendered")
    assert written.file.actions == {"redact": 1}


@pytest.fixture
def job(store: ProjectStore, key: ProjectKey, subject: Subject) -> ReleaseJob:
    return ReleaseJob(store, key, Policy(), lambda _: subject)


def fill(store: ProjectStore, assets: list[Asset], identifiers: list[Identifier]) -> None:
    store.assets.add(assets)
    for asset in assets:
        store.assets.save_loaded(asset, identifiers)


def release(job: ReleaseJob, out: Path, pending: Pending = Pending.REFUSE, **options: object) -> object:
    return job.run(out, pending, "0.1.0", options.get("sink"), options.get("control"))


def test_a_release_is_complete_verified_and_recorded(
    job: ReleaseJob,
    store: ProjectStore,
    asset_of: AssetOf,
    report_file: ReportFile,
    identifiers: list[Identifier],
    tmp_path: Path,
) -> None:
    good = asset_of(report_file(StudyDescription="Okonkwo"))
    good = replace(good, info={**good.info, "frames": 87, "searched": 3})
    bad = asset_of(b"x", "b", status=AssetStatus.QUARANTINED, reason="The file is damaged.")
    fill(store, [good, bad], identifiers)
    store.remember("uid", {"1.2.3.4.5678901": "2.25.1"})
    out = tmp_path / "out"
    summary = release(job, out)
    assert (summary.released, summary.quarantined) == (1, [(bad.location, "The file is damaged.")])
    assert not (out / INCOMPLETE).exists()
    assert verify(out) == 3
    manifest = json.loads((out / MANIFEST).read_text("utf-8"))
    assert (manifest["quarantined"], manifest["rescanned"], manifest["policy"]) == (1, 1, "custom")
    assert (manifest["frames"], manifest["frames_searched"]) == (87, 3)
    assert store.assets.outputs()["a"].output == manifest["files"][0]["path"]
    assert store.assets.outputs()["b"].status == "quarantined"
    for name in files_in(out):
        content = (out / name).read_bytes()
        assert b"konkwo" not in content
        assert b"1.2.3.4.5678901" not in content
        assert str(tmp_path).encode() not in content
        assert job.policy.digest.encode() not in content, "values in a policy could be guessed from its plain digest"


def test_waiting_findings_block_a_release_before_anything_is_written(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file())], [])
    store.findings.replace("a", [QUEUED])
    with pytest.raises(ReleaseBlocked, match="1 findings in 1 files"):
        release(job, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("pending", Pending)
def test_a_release_waits_for_the_second_reader_and_for_differences_to_be_settled(
    job: ReleaseJob,
    store: ProjectStore,
    asset_of: AssetOf,
    report_file: ReportFile,
    tmp_path: Path,
    pending: Pending,
) -> None:
    fill(store, [asset_of(report_file())], [])
    store.findings.replace("a", [QUEUED])
    ReviewDesk(store).decide(["f"], DecisionKind.KEEP, by="ann")
    wanted = ReviewSection(second_reader="types", types=("PATIENT",))
    strict = replace(job, policy=job.policy.model_copy(update={"review": wanted}))
    with pytest.raises(ReleaseBlocked, match="1 items are unread, 0 differences"):
        strict.run(tmp_path / "out", pending, "1.0", None, None)
    second = SecondDesk(store, wanted)
    second.decide("f", DecisionKind.BLANK, "bob")
    with pytest.raises(ReleaseBlocked, match="0 items are unread, 1 differences"):
        strict.run(tmp_path / "out", pending, "1.0", None, None)
    assert not (tmp_path / "out").exists()
    second.settle("f", DecisionKind.BLANK, "cleo")
    assert strict.run(tmp_path / "out", pending, "1.0", None, None).released == 1


def test_second_decisions_do_not_count_in_a_release_until_they_settle_a_difference(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file())], [])
    store.findings.replace("a", [QUEUED])
    ReviewDesk(store).decide(["f"], DecisionKind.KEEP, by="ann")
    second = SecondDesk(store, ReviewSection(second_reader="types", types=("PATIENT",)))
    second.decide("f", DecisionKind.BLANK, "bob")
    out = release(job, tmp_path / "out")
    assert json.loads((tmp_path / "out" / MANIFEST).read_text("utf-8"))["decisions"] == {"keep": 1}, out


def test_waiting_files_can_be_held_back_or_their_proposals_accepted(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file())], [])
    store.findings.replace("a", [QUEUED])
    held = release(job, tmp_path / "one", Pending.QUARANTINE)
    assert [reason for _, reason in held.quarantined] == ["findings wait for a curator"]
    assert release(job, tmp_path / "two", Pending.ACCEPT).released == 1


def test_a_decided_finding_no_longer_blocks(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file())], [])
    store.findings.replace("a", [QUEUED])
    ReviewDesk(store).decide(["f"], DecisionKind.ACCEPT)
    assert release(job, tmp_path / "out").released == 1
    assert json.loads((tmp_path / "out" / MANIFEST).read_text())["decisions"] == {"accept": 1}


@pytest.mark.parametrize("status", [AssetStatus.REGISTERED, AssetStatus.LOADED, AssetStatus.DETECTED])
def test_an_unfinished_run_is_not_released(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, tmp_path: Path, status: AssetStatus
) -> None:
    store.assets.add([asset_of(b"x", status=status)])
    with pytest.raises(KnownError, match="run is not finished"):
        release(job, tmp_path / "out")


def test_an_empty_project_is_not_released(job: ReleaseJob, tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="empty"):
        release(job, tmp_path / "out")


def test_releases_are_never_mixed(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file())], [])
    release(job, tmp_path / "out")
    before = files_in(tmp_path / "out")
    with pytest.raises(KnownError, match="not empty"):
        release(job, tmp_path / "out")
    assert files_in(tmp_path / "out") == before


def test_a_cancelled_release_stays_marked_incomplete(
    job: ReleaseJob, store: ProjectStore, asset_of: AssetOf, report_file: ReportFile, tmp_path: Path
) -> None:
    fill(store, [asset_of(report_file()), asset_of(report_file(SOPInstanceUID="1.2.3.4.77"), "b")], [])
    control = Control()

    def stop(event: ProgressEvent) -> None:
        if event.done == 1:
            control.cancel()

    with pytest.raises(Cancelled):
        release(job, tmp_path / "out", sink=stop, control=control)
    assert (tmp_path / "out" / INCOMPLETE).exists()
    with pytest.raises(VerificationFailed):
        verify(tmp_path / "out")


def test_findings_are_counted_by_who_carried_them_out() -> None:
    counts = TypeCounts()
    auto = replace(QUEUED, verdict=Verdict.AUTO)
    age = replace(auto, type=EntityType.AGE)
    keep = replace(QUEUED, decision=DecisionKind.KEEP)
    blank = replace(auto, decision=DecisionKind.BLANK)
    counts.add([auto, auto, QUEUED, blank, keep, age, replace(auto, type=None)])
    assert counts.rows() == [
        {"label": "patient name", "hipaa": "A", "auto": 2, "curated": 2, "kept": 1},
        {"label": "age", "hipaa": "C", "auto": 1, "curated": 0, "kept": 0},
    ]


def test_reports_hold_counts_and_escape_what_they_are_given(tmp_path: Path) -> None:
    files = [ReleasedFile("P1/<b>.dcm", "0" * 64, "asset1", "dicom", "native", {"remove": 2, "redact": 1})]
    facts = {
        **{"created": "now", "software": "1", "implementation": "D", "policy": "<script>", "policy_hmac": "00"},
        **{"models": {}, "quarantined": 1, "rescanned": 1, "decisions": {}},
        **{"frames": 87, "frames_searched": 3},
    }
    names = write_reports(tmp_path, files, facts, TypeCounts(), {"The file is <damaged>.": 1})
    assert names == ["report.html", "report.csv"]
    html = (tmp_path / "report.html").read_text("utf-8")
    assert "<script>" not in html.replace("<script>alert", "")
    assert "&lt;damaged&gt;" in html
    assert "Frames and pages: 87. Of these 3 were searched whole" in html
    rows = (tmp_path / "report.csv").read_text("utf-8").splitlines()
    assert rows[0] == "path,sha256,asset,kind,pixels,redact,remove"
    assert rows[1].endswith("asset1,dicom,native,1,2")


@pytest.mark.parametrize("keyword", ["StudyInstanceUID", "SeriesInstanceUID", "SOPInstanceUID"])
@pytest.mark.parametrize(
    "value",
    [
        "../../../outside",
        "/tmp/deidra_outside",
        "1.2.3/../../../outside",
        "..",
        ".",
        "OKONKWO",
        "1..2",
        "C:\\x",
        "1.2.3 x",
    ],
)
@pytest.mark.parametrize("retained", [True, False])
def test_nothing_is_written_outside_of_the_release_whatever_stands_in_a_uid(
    tmp_path: Path,
    key: ProjectKey,
    subject: Subject,
    asset_of: AssetOf,
    report_file: ReportFile,
    keyword: str,
    value: str,
    retained: bool,
) -> None:
    folder = tmp_path / "deep" / "er" / "out"
    folder.mkdir(parents=True)
    with config.disable_value_validation():
        asset = asset_of(report_file(**{keyword: value}))
        profile = Profile(frozenset({Option.UIDS} if retained else ()))
        exporter = OneByOne(folder, HeaderEngine(profile, key), Policy(), NoLeak(), lambda _: subject, False)
        written = exporter.write(asset, [])
    everything = [p for p in tmp_path.rglob("*") if p.is_file() and "in" not in p.relative_to(tmp_path).parts]
    assert [p for p in everything if folder not in p.parents] == []
    assert not Path("/tmp/deidra_outside.dcm").exists()
    if "\\" in value:  # two values in one element name no file
        assert written.file is None
        assert "malformed" in written.reason
        assert value not in written.reason or value == "."
        assert everything == []
    else:
        # What is no UID is replaced even where UIDs are retained.
        assert re.fullmatch(r"P0123/[\d.]+/[\d.]+/[\d.]+\.dcm", written.file.path)
        assert "2.25." in written.file.path


def test_a_pseudonym_that_leads_out_of_the_release_is_refused(
    tmp_path: Path, engine: HeaderEngine, asset_of: AssetOf, report_file: ReportFile
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    outside = OneByOne(folder, engine, Policy(), NoLeak(), lambda _: Subject("../..", -5), False)
    written = outside.write(asset_of(report_file()), [])
    assert written.file is None
    assert files_in(folder) == []


def test_a_fault_in_one_file_does_not_end_a_release(
    job: ReleaseJob,
    store: ProjectStore,
    asset_of: AssetOf,
    report_file: ReportFile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(store, [asset_of(report_file()), asset_of(report_file(SOPInstanceUID="1.2.3.4.999999"), "b")], [])
    make = FileMaker.make

    def fail(self: FileMaker, order: Order) -> Made:
        if order.asset.id == "a":
            raise RuntimeError("quotes Okonkwo")
        return make(self, order)

    monkeypatch.setattr(FileMaker, "make", fail)
    summary = release(job, tmp_path / "out")
    assert summary.released == 1
    ((_, reason),) = summary.quarantined
    assert "RuntimeError" in reason
    assert "Okonkwo" not in reason
