"""Writing a release: one asset after the other, each re-scanned before it stays."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import Asset, AssetKind, Finding
from deidra.app.load.encoded import Splitter
from deidra.app.load.pages import Pages
from deidra.app.load.sources import Source
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.redact.documents import write_document
from deidra.app.redact.header import redact_dicom
from deidra.app.redact.plan import applies, kept, marks
from deidra.app.release.manifest import ReleasedFile
from deidra.app.release.rescan import Rescanner

_INSTANCE, _STUDY, _SERIES = 0x00080018, 0x0020000D, 0x0020000E


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one asset: a released file, or None with the reason why it is held back."""

    file: ReleasedFile | None
    reason: str = ""


class Exporter:
    """Writes assets into a release folder.

    Args:
        folder: the release folder; it must exist.
        engine: the header engine of the project.
        policy: the project's policy.
        rescanner: searches each written file.
        subject_of: pseudonym and date shift of an asset's patient.
        accept_pending: carry out proposals that nobody has decided on.
    """

    def __init__(
        self,
        folder: Path,
        engine: HeaderEngine,
        policy: Policy,
        rescanner: Rescanner,
        subject_of: Callable[[Asset], Subject],
        accept_pending: bool,
    ) -> None:
        self._folder = folder
        self._engine = engine
        self._policy = policy
        self._rescanner = rescanner
        self._subject_of = subject_of
        self._accept_pending = accept_pending
        self._hashes: dict[str, str] = {}

    def write(self, asset: Asset, findings: Sequence[Finding]) -> Written:
        """De-identify one asset, write it, read it back and search it; a leaking file is deleted again."""
        try:
            original = Source(Path(asset.path), asset.member).read()
            if hashlib.sha256(original).hexdigest() != asset.sha256:
                raise InputError("The file was changed since it was searched.", "Run again before releasing.")
            if asset.kind is AssetKind.DICOM:
                data, place, pixels, actions = self._dicom(asset, original, findings)
            else:
                data, place, pixels, actions = self._document(asset, original, findings)
        except InputError as error:
            return Written(None, str(error))
        digest = hashlib.sha256(data).hexdigest()
        if place in self._hashes:
            same = self._hashes[place] == digest
            reason = "an identical copy was released" if same else "another file has the same SOP Instance UID"
            return Written(None, reason)
        # Whatever was covered, replaced or kept was seen and decided on.
        seen = [f.polygon for f in findings if f.polygon and (applies(f, self._accept_pending) or f.decision)]
        path = self._folder / place
        if not path.resolve().is_relative_to(self._folder.resolve()):
            return Written(None, "its identifiers cannot name a file")
        _write_file(path, data)
        clean = False
        try:
            leak = self._rescanner.scan(path.read_bytes(), asset.kind, seen, [f.text for f in kept(findings)])
            clean = leak is None
        finally:
            if not clean:
                path.unlink()
        if leak is not None:
            return Written(None, f"re-scan: {leak.type.value} found in {leak.where}")
        self._hashes[place] = digest
        file = ReleasedFile(place, digest, asset.id, asset.kind.value, pixels, dict(sorted(actions.items())))
        return Written(file)

    def _dicom(
        self, asset: Asset, original: bytes, findings: Sequence[Finding]
    ) -> tuple[bytes, str, str, Counter[str]]:
        subject = self._subject_of(asset)
        redacted = redact_dicom(original, findings, self._engine, subject, self._policy, self._accept_pending)
        actions = Counter(change.action.value for change in redacted.header.changes)
        actions["redact"] = len(marks(findings, self._accept_pending))
        written = Splitter().split(redacted.data)
        study = _folder_name(written.value(_STUDY), "no-study")
        series = _folder_name(written.value(_SERIES), "no-series")
        instance = _folder_name(written.value(_INSTANCE), "")
        place = f"{subject.pseudonym}/{study}/{series}/{instance}.dcm"
        return redacted.data, place, redacted.pixels, actions

    def _document(
        self, asset: Asset, original: bytes, findings: Sequence[Finding]
    ) -> tuple[bytes, str, str, Counter[str]]:
        covered = marks(findings, self._accept_pending)
        data, suffix = write_document(Pages(original, asset.kind), asset.kind, covered, self._policy.redact)
        return data, f"documents/{asset.id}{suffix}", "rendered", Counter({"redact": len(covered)})


def _folder_name(value: bytes, default: str) -> str:
    """An encoded UID as part of a path: digits and dots, nothing else.

    Raises:
        InputError: the element holds something else, which could lead anywhere or tell anything.
    """
    text = value.rstrip(b"\0 ").decode("latin-1") or default
    if text != default and not re.fullmatch(r"(?=.{1,64}$)[0-9]+(\.[0-9]+)*", text):
        raise InputError("A UID of the file is malformed.", "Export it again.")
    return text


def _write_file(path: Path, data: bytes) -> None:
    """Write through a neighbouring name, so that a file under its own name is always whole."""
    partial = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise KnownError(
            "The release folder cannot be written (disk full or read-only?).",
            "Free some space or choose another folder, then release again; the project is unchanged.",
        ) from error
