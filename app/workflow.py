"""What people do with a project: open it, run it, look at it, release it. The command line and the window use this."""

from __future__ import annotations

import csv
import getpass
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import structlog

from deidra.app.dating import Dating, conflicts
from deidra.app.decide.policy import DEFAULT_PRESET, Policy, dump_policy, load_policy, parse_policy
from deidra.app.decoys import Decoys
from deidra.app.defining import KeptText, Place, places_in, texts_on
from deidra.app.detect.definitions.matcher import Matcher
from deidra.app.detect.devices import Device, DeviceRule
from deidra.app.detect.fields import is_read
from deidra.app.domain.errors import Cancelled, InputError, KnownError, StoreError
from deidra.app.domain.model import Action, Asset, AssetKind, AssetStatus, Finding
from deidra.app.load.contrast import FrameView
from deidra.app.load.dicom import read_dataset
from deidra.app.load.embedded import embedded_pdf
from deidra.app.load.encoded import Splitter
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import ENCRYPTED, Passwords
from deidra.app.load.pictures import frame_view
from deidra.app.load.sources import Source
from deidra.app.logs import log_to
from deidra.app.metadata.engine import HeaderEngine
from deidra.app.metadata.identity import patient_key
from deidra.app.metadata.keys import KEY_BYTES, ProjectKey
from deidra.app.metadata.recipe_ctp import read_ctp_script
from deidra.app.metadata.recipe_deid import read_deid_recipe
from deidra.app.metadata.recipe_import import to_toml
from deidra.app.pipeline import Pipeline, RunSummary, summary
from deidra.app.progress import Control, ProgressSink
from deidra.app.redact.documents import redact_page
from deidra.app.redact.header import clean_pixels
from deidra.app.redact.plan import marks, overrides
from deidra.app.release.job import Pending, ReleaseJob, ReleaseSummary
from deidra.app.release.plan import remember_release
from deidra.app.review import ReviewDesk
from deidra.app.review.second import SecondDesk, blinded
from deidra.app.subjects import DatedEvent, Subjects, subject_of
from deidra.storage import ProjectStore
from deidra.storage.database import sqlite_url
from deidra.storage.findings import FindingFilter

__all__ = ["HeaderRow", "Pending", "Project", "ReleaseSummary", "RunSummary"]

DATABASE = "project.db"
KEY = "project.key"
LOG = "deidra.log"
STORE_URL = "store.url"
"""A project folder may hold a file of this name with one line: the SQLAlchemy URL of its database."""
LEAST_FREE_BYTES = 50 << 20
_KEPT_OPEN_BYTES = 512 << 20
"""Larger files are read again for each frame that is looked at."""
PRIVATE_FOLDER = 0o700
"""Project folders and crosswalks are for their owner alone (where the system knows permissions)."""
_POLICY = "policy"
_KEY_CHECK = "key_check"
"""A mark of the key, from which nobody gets the key."""
_Result = TypeVar("_Result")

log = structlog.get_logger("deidra")


@dataclass(frozen=True, slots=True)
class HeaderRow:
    """One header element before and after; ``after`` None means that it is removed."""

    tag: str
    keyword: str
    vr: str
    before: str
    after: str | None
    action: str
    reason: str
    finding_id: str | None


@dataclass(frozen=True, slots=True)
class DeviceMatch:
    """A device rule in force, whether the policy brings it, and the ids of the loaded files that it matches."""

    rule: DeviceRule
    own: bool
    assets: tuple[str, ...]


def device_matches(policy: Policy, assets: Sequence[Asset] = ()) -> list[DeviceMatch]:
    """All device rules in force, each with those of the assets that it matches."""
    known = [(asset.id, Device.stored(asset.info["device"])) for asset in assets if "device" in asset.info]
    return [
        DeviceMatch(rule, rule in policy.devices, tuple(key for key, device in known if rule.matches(device)))
        for rule in policy.device_rules
    ]


class Project:
    """A project: one folder with a database, a secret key and a log."""

    def __init__(self, folder: Path, store: ProjectStore, key: ProjectKey) -> None:
        self.folder = folder
        self.store = store
        self.desk = ReviewDesk(store)
        self.passwords = Passwords()
        """Tried on encrypted documents; kept in memory alone."""
        self._key = key
        self._last_frames: tuple[str, Frames] | None = None

    @classmethod
    def open(cls, folder: Path, create: bool = True, database: str | None = None) -> Project:
        """Open a project folder, or make one.

        Args:
            folder: the project folder.
            create: make a project where there is none.
            database: of a new project, the URL of a database elsewhere, which several machines may share.

        Raises:
            KnownError: the folder holds no project (and ``create`` is False) or one with another database, cannot be
                written, is used by another program, or was made by a newer Deidra; its key is not the database's.
        """
        exists = (folder / DATABASE).exists() or (folder / STORE_URL).exists()
        if not exists and not create:
            raise KnownError("There is no project in this folder.", "Make one with: deidra run INPUT... --project DIR")
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            url_file = folder / STORE_URL
            shared = url_file.read_text("utf-8").strip() if url_file.exists() else ""
        except OSError as error:
            raise StoreError("The project folder cannot be made or read.", "Choose another folder.") from error
        if database is not None and exists and database != shared:
            raise KnownError("This project has another database.", "Leave --database out, or choose another folder.")
        log_to(folder / LOG)
        # Before the key: a database that cannot be opened makes no project.
        url = database or shared or sqlite_url(folder / DATABASE)
        store = ProjectStore(url)
        try:
            key = _key_of(folder, store, not url.startswith("sqlite"))
            if database is not None and not shared:
                _keep_url(url_file, database)
        except BaseException:
            store.close()
            raise
        return cls(folder, store, key)

    def close(self) -> None:
        """Release the database."""
        self.store.close()

    def add_password(self, word: str) -> None:
        """Try one more password on encrypted documents, until the project is closed; it is kept in memory alone."""
        self.passwords = Passwords((*self.passwords.words, word))

    def encrypted_files(self) -> list[Path]:
        """Files that are held back because no password is known that opens them."""
        held = self.store.assets.all(AssetStatus.QUARANTINED)
        return sorted({Path(asset.path) for asset in held if asset.reason.startswith(ENCRYPTED)})

    @property
    def policy(self) -> Policy:
        """The policy of the newest run, or the default preset."""
        stored = self.store.value(_POLICY)
        return parse_policy(stored) if stored else load_policy(DEFAULT_PRESET)

    def device_matches(self) -> list[DeviceMatch]:
        """The device rules of the policy in force, each with the files of the project that it matches."""
        return device_matches(self.policy, self.store.assets.all())

    @property
    def second(self) -> SecondDesk:
        """The second reading under the policy in force."""
        return SecondDesk(self.store, self.policy.review)

    @property
    def policy_name(self) -> str:
        """The policy's name, for display."""
        return self.policy.name

    def run(
        self,
        inputs: Sequence[Path],
        progress: ProgressSink | None = None,
        control: Control | None = None,
        policy: str | None = None,
        workers: int = 1,
    ) -> RunSummary:
        """Load, detect and decide. Inputs are only read. A run that was interrupted goes on.

        Args:
            inputs: files, folders and zip archives.
            progress: told after each item of each stage.
            control: pauses and cancels.
            policy: a preset's name or a policy file; the project's own policy when None.
            workers: processes that compute at the same time; the result is the same.

        Raises:
            KnownError: the policy is not valid, an input does not exist, the disk is full, the
                database is locked, a model is missing. Everything finished before is stored.
            Cancelled: ``control`` was cancelled.
        """
        self._check_disk()
        chosen = load_policy(policy) if policy else self.policy
        self.store.set_value(_POLICY, dump_policy(chosen))
        pipeline = Pipeline(self.store, self._key, chosen, workers, self.folder / LOG, self.passwords)
        result = self._job("run", lambda: pipeline.run(inputs, progress, control))
        Decoys(self.store, self._key, chosen).plant(current_user())
        return result

    def apply_policy(
        self, policy: Policy, progress: ProgressSink | None = None, control: Control | None = None
    ) -> RunSummary:
        """Put a policy in force and decide on everything that was found once more; no pixels are searched again.

        Decisions of curators stay. What was cancelled goes on with the next run, or when this is called again.

        Raises:
            KnownError: the disk is full, the database is locked.
            Cancelled: ``control`` was cancelled.
        """
        self._check_disk()
        self.store.set_value(_POLICY, dump_policy(policy))
        pipeline = Pipeline(self.store, self._key, policy, 1, self.folder / LOG, self.passwords)
        result = self._job("policy", lambda: pipeline.decide(progress, control))
        Decoys(self.store, self._key, policy).plant(current_user())
        return result

    def judged_findings(self) -> list[Finding]:
        """All findings with their evidence, those of files in quarantine left out: what :func:`forecast` takes."""
        held = {asset.id for asset in self.store.assets.all(AssetStatus.QUARANTINED)}
        return [finding for finding in self.store.findings.select() if finding.asset_id not in held]

    def release(
        self,
        out: Path,
        pending: str = Pending.REFUSE.value,
        progress: ProgressSink | None = None,
        control: Control | None = None,
        workers: int = 1,
    ) -> ReleaseSummary:
        """Write an audited release into a new folder.

        Args:
            out: the release folder; it must be empty or not exist.
            pending: ``refuse`` while findings wait, ``accept`` their proposals, or ``quarantine`` their files.
            progress: told after each asset.
            control: pauses and cancels; a cancelled release stays marked incomplete.
            workers: processes that write at the same time; the release is the same.

        Raises:
            ReleaseBlocked: findings wait and ``pending`` is ``refuse``.
            KnownError: the folder is not empty or cannot be written.
            Cancelled: ``control`` was cancelled.
        """
        policy = self.policy
        job = ReleaseJob(
            self.store,
            self._key,
            policy,
            Subjects(self.store, self._key, policy).of,
            workers,
            self.folder / LOG,
            self.passwords,
        )
        software = version("deidra")
        result = self._job("release", lambda: job.run(out, Pending(pending), software, progress, control))
        remember_release(self.store, result.folder)
        return result

    def _job(self, kind: str, work: Callable[[], _Result]) -> _Result:
        actor = current_user()
        number = self.store.start_job(kind, actor, {"policy": self.policy.digest})
        try:
            result = work()
        except Cancelled:
            self.store.end_job(number, kind, "cancelled", actor, {})
            raise
        except KnownError as error:
            if not isinstance(error, StoreError):
                self.store.end_job(number, kind, "failed", actor, {"error": type(error).__name__})
            raise
        facts = {k: len(v) if isinstance(v, list) else v for k, v in asdict(result).items() if k != "folder"}  # type: ignore[call-overload]
        self.store.end_job(number, kind, "done", actor, facts)
        return result

    def _check_disk(self) -> None:
        free = shutil.disk_usage(self.folder).free
        if free < LEAST_FREE_BYTES:
            raise StoreError(
                f"Only {free >> 20} MB are free on the disk that holds the project.", "Free some space and start again."
            )

    def summary(self) -> RunSummary:
        """The present state in numbers."""
        return summary(self.store, 0.0)

    def frame_count(self, asset_id: str) -> int:
        """Frames or pages of an asset; 0 when it has no pictures."""
        info = self.store.assets.get(asset_id).info
        return int(info.get("pages", info.get("frames", 0)))

    def frame_view(self, asset_id: str, index: int) -> FrameView:
        """Frame or page ``index`` (from 0) as the original shows it.

        Raises:
            InputError: it cannot be read.
        """
        asset = self.store.assets.get(asset_id)
        if asset.has_pages:
            return FrameView(self._pages(asset, _read(asset)).page(index))
        frames = self._frames(asset)
        return frame_view(frames.dataset, frames.frame(index).values)

    def _frames(self, asset: Asset) -> Frames:
        """The frames of a file; those of the last one are kept open, since whoever plays a clip wants all of them."""
        kept = self._last_frames
        if kept is not None and kept[0] == asset.id:
            return kept[1]
        frames = Frames(read_dataset(_read(asset)))
        several = frames.count > 1 and asset.size <= _KEPT_OPEN_BYTES
        self._last_frames = (asset.id, frames) if several else None
        return frames

    def _pages(self, asset: Asset, data: bytes) -> Pages:
        """The pages of a document, also of one inside a DICOM file."""
        document = embedded_pdf(read_dataset(data)) if asset.kind is AssetKind.DICOM else data
        kind = AssetKind.PDF if asset.kind is AssetKind.DICOM else asset.kind
        return Pages(document or b"", kind, self.passwords)

    def preview_view(self, asset_id: str, index: int, blind: bool = False) -> FrameView:
        """As :meth:`frame_view`, but as it would be released with the decisions so far; ``blind``: without any."""
        asset = self.store.assets.get(asset_id)
        findings = self.store.findings.select(FindingFilter(asset_id=asset_id), with_evidence=False)
        findings = blinded(findings) if blind else findings
        policy = self.policy
        data = _read(asset)
        if asset.has_pages:
            covered = marks(findings, accept_pending=True, surrogates=policy.redact.surrogates)
            return FrameView(redact_page(self._pages(asset, data).page(index), index, covered, policy.redact))
        dataset = read_dataset(data)
        clean_pixels(dataset, findings, policy, accept_pending=True)
        return frame_view(dataset, Frames(dataset).frame(index).values)

    def header(self, asset_id: str, blind: bool = False) -> list[HeaderRow]:
        """Every header element with its value before and after, in file order; empty for scans.

        ``blind`` tells the values as if no curator had decided on anything.
        """
        asset = self.store.assets.get(asset_id)
        if asset.kind is not AssetKind.DICOM:
            return []
        policy = self.policy
        findings = self.store.findings.select(FindingFilter(asset_id=asset_id, regions=False), with_evidence=False)
        findings = blinded(findings) if blind else findings
        by_tag = {finding.tag: finding.id for finding in findings}
        engine = HeaderEngine(policy.profile, self._key)
        subject = Subjects(self.store, self._key, policy).of(asset)
        result = engine.process(Splitter().split(_read(asset)), subject, overrides(findings, accept_pending=True))
        return [
            HeaderRow(c.path, c.keyword, c.vr, c.before, c.after, c.action.value, c.reason, by_tag.get(c.path))
            for c in result.changes
        ]

    def kept_texts(self, control: Control | None = None) -> list[KeptText]:
        """Every text of the project that a definition could find: on images and pages, and in headers where it is kept.

        Files that can no longer be read are left out; what is known of their pixels is not.

        Raises:
            Cancelled: ``control`` was cancelled.
        """
        found: list[KeptText] = []
        for asset in self.store.assets.all():
            if control is not None:
                control.checkpoint()
            found += texts_on(asset.id, self.store.assets.text(asset.id))
            if asset.status is not AssetStatus.QUARANTINED:
                found += self._header_texts(asset)
        return found

    def definition_matches(self, matcher: Matcher) -> list[Place]:
        """What a definition would find in the project. Nothing is stored."""
        return places_in(self.kept_texts(), matcher)

    def _header_texts(self, asset: Asset) -> list[KeptText]:
        try:
            rows = self.header(asset.id)
        except InputError:
            return []
        kept = [row for row in rows if row.action in (Action.KEEP, Action.CLEAN) and is_read(row.vr, row.before)]
        return [KeptText(asset.id, None, row.tag, row.keyword, (row.before,)) for row in kept]

    def import_patients(self, path: Path) -> int:
        """Take pseudonyms, date shifts and baselines of patients from a CSV file; the next run uses them.

        Raises:
            KnownError: the file cannot be read or a line of it is not valid; nothing is taken then.
        """
        subjects = Subjects(self.store, self._key, self.policy)
        count = subjects.read_table(path)
        self.store.log(current_user(), "patients-imported", {"patients": count})
        return count

    def dating(self, policy: Policy) -> Dating:
        """Every date before and after as a policy would have it, and what about them cannot be right."""
        subjects = Subjects(self.store, self._key, policy)
        baselines = subjects.suppose_baselines()
        events = tuple(subjects.dated_events())
        today = datetime.now(UTC).date()
        return Dating(events, tuple(conflicts(events, policy.dates.mode, today)), baselines, subjects.patient_rows())

    def set_baseline(self, patient: str, day: date) -> None:
        """Make a day the baseline of a patient key; dates follow with the next run or applied policy."""
        Subjects(self.store, self._key, self.policy).set_baseline(patient, day)
        self.store.log(current_user(), "baseline-set", {"patients": 1})

    def is_current(self) -> bool:
        """Whether everything was decided under the policy in force and with the patients' dates as they are now."""
        return Pipeline(self.store, self._key, self.policy).is_current

    def dated_events(self) -> list[DatedEvent]:
        """Every date of every patient's headers before and after, by patient and date."""
        return list(Subjects(self.store, self._key, self.policy).dated_events())

    def write_crosswalk(self, out: Path) -> list[Path]:
        """Write ``uid_map.csv``, ``patid_map.csv`` and ``assets.csv``: secret, never part of a release.

        Raises:
            KnownError: the folder cannot be written, or is a release.
        """
        if (out / "manifest.json").exists():
            raise KnownError("This is a release folder; the crosswalk must not enter it.", "Choose another folder.")
        outputs = self.store.assets.outputs()
        assets = self.store.assets.all()
        rows = []
        for asset in assets:
            known = outputs.get(asset.id)
            status = known.status if known else asset.status.value
            rows.append(
                (asset.location, known.output if known else "", status, known.reason if known else asset.reason)
            )
        tables = {
            "uid_map.csv": (("id_old", "id_new"), self.store.crosswalk("uid").items()),
            "patid_map.csv": (("id_old", "id_new"), self.store.crosswalk("patient").items()),
            "assets.csv": (("path", "output", "status", "reason"), rows),
        }
        try:
            out.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            for name, (header, content) in tables.items():
                with (out / name).open("w", newline="", encoding="utf-8") as stream:
                    writer = csv.writer(stream)
                    writer.writerow(header)
                    writer.writerows(content)
        except OSError as error:
            raise KnownError("The crosswalk cannot be written.", "Choose another folder or free some space.") from error
        self.store.log(current_user(), "crosswalk-exported", {"uids": len(self.store.crosswalk("uid"))})
        return [out / name for name in tables]


def _key_of(folder: Path, store: ProjectStore, is_shared: bool) -> ProjectKey:
    """The key of a project folder; where machines share a database, it must be that of the others."""
    path = folder / KEY
    known = store.value(_KEY_CHECK) if is_shared else None
    advice = "Copy project.key from a machine that has the project, to this folder."
    if known is not None and not path.exists():
        raise KnownError("This folder lacks the key of the project in that database.", advice)
    key = ProjectKey.load_or_create(path)
    mark = key.token("key", "check")
    if known is not None and known != mark:
        raise KnownError("The key in this folder is not that of the project in that database.", advice)
    if is_shared and known is None:
        store.set_value(_KEY_CHECK, mark)
    return key


def _keep_url(path: Path, url: str) -> None:
    try:
        path.write_text(f"{url}\n", "utf-8")
    except OSError as error:
        raise StoreError("The project folder cannot be written.", "Choose another folder.") from error


def explain_header(path: Path, policy: Policy) -> list[HeaderRow]:
    """What a policy would do with each header element of a DICOM file, outside any project.

    Pseudonyms and the date shift are examples: each project has its own key.

    Raises:
        InputError: the file is no readable DICOM file.
    """
    data = Source(path).read()
    key = ProjectKey(bytes(KEY_BYTES))
    subject = subject_of(patient_key(read_dataset(data), key), key, policy)
    changes = HeaderEngine(policy.profile, key).process(Splitter().split(data), subject).changes
    return [HeaderRow(c.path, c.keyword, c.vr, c.before, c.after, c.action.value, c.reason, None) for c in changes]


def import_policy(recipe: Path, out: Path, base: str, partial: bool = False) -> tuple[int, list[str]]:
    """Make a policy file from another tool's recipe.

    Args:
        recipe: a recipe of pydicom/deid, or an anonymizer script of RSNA's CTP (XML).
        out: the policy file; it must not exist.
        base: the preset that decides on what no rule names.
        partial: leave out what has no counterpart instead of refusing the recipe.

    Returns:
        The number of rules, and what could not be taken over, with its lines.

    Raises:
        KnownError: a file cannot be read or written, or a line of the recipe is not valid.
    """
    try:
        text = recipe.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise KnownError("The recipe cannot be read.", "Give a text file in UTF-8.") from error
    skipped: list[str] = []
    read = read_ctp_script if text.lstrip().startswith("<") else read_deid_recipe
    rules = read(text, recipe.name, skipped if partial else None)
    try:
        with out.open("x", encoding="utf-8") as stream:
            stream.write(to_toml(rules, out.stem, base, skipped))
    except OSError as error:
        raise KnownError("The policy file cannot be written.", "Choose a name that does not exist yet.") from error
    return len(rules), skipped


def _read(asset: Asset) -> bytes:
    return Source(Path(asset.path), asset.member).read()


def current_user() -> str:
    """The name of the person at the computer, for the audit log."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return "unknown"
