"""Writing a release: one asset after the other, each re-scanned before it stays."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import Asset, AssetKind, Finding, FrameText
from deidra.app.load.encoded import Splitter
from deidra.app.load.pages import Pages
from deidra.app.load.pdf import Passwords
from deidra.app.load.sources import Source
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.metadata.place import dicom_place
from deidra.app.redact.documents import WrittenDocument, write_document
from deidra.app.redact.header import redact_dicom
from deidra.app.redact.plan import Mark, kept, kept_marks, marks
from deidra.app.redact.text_layer import scaled
from deidra.app.release.manifest import ReleasedFile
from deidra.app.release.rescan import Leak, Rescanner

PROVISIONAL = ".part"
"""Ending of files that are not part of the release yet."""
_INSTANCE, _STUDY, _SERIES = 0x00080018, 0x0020000D, 0x0020000E


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one asset: a released file, or None with the reason why it is held back."""

    file: ReleasedFile | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Made:
    """A file written under a provisional name, searched and clean; or the reason why there is none.

    Args:
        file: what the manifest will say of it.
        provisional: where it lies; None when it is held back.
        reason: why it is held back.
    """

    file: ReleasedFile | None
    provisional: Path | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """One asset to be released.

    Args:
        asset: the asset.
        findings: its findings with their decisions.
        subject: what its patient becomes.
        texts: the text located on its pages, if it is a document: what is not covered can be read in the copy.
    """

    asset: Asset
    findings: Sequence[Finding]
    subject: Subject
    texts: Sequence[FrameText] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """A file written under a provisional name that has not been searched yet.

    Args:
        path: where it lies.
        kind: what it is.
        file: what the manifest will say of it.
        decided: places in it that were decided on; see :meth:`Rescanner.scan`.
        kept: originals that a curator chose to keep.
    """

    path: Path
    kind: AssetKind
    file: ReleasedFile
    decided: Sequence[Mark]
    kept: Sequence[str]


class FileMaker:
    """De-identifies assets into a release folder, each under a provisional name.

    Args:
        folder: the release folder; it must exist.
        engine: the header engine of the project.
        policy: the project's policy.
        rescanner: searches each written file.
        accept_pending: carry out proposals that nobody has decided on.
        passwords: tried on encrypted documents.
    """

    def __init__(
        self,
        folder: Path,
        engine: HeaderEngine,
        policy: Policy,
        rescanner: Rescanner,
        accept_pending: bool,
        passwords: Passwords = Passwords(),  # noqa: B008 (frozen)
    ) -> None:
        self._folder = folder
        self._engine = engine
        self._policy = policy
        self._rescanner = rescanner
        self._accept_pending = accept_pending
        self._passwords = passwords

    def make(self, order: Order) -> Made:
        """De-identify one asset, write it, read it back and search it; a leaking file is deleted again.

        Words of a document that look private where they are read without their picture are left out: it is written
        once more as pictures alone, and searched again.
        """
        for words in (True, False):
            try:
                copy = self.copy(order, words)
            except InputError as error:
                return Made(None, None, str(error))
            with kept_if_clean([copy]) as clean:
                leak = self._rescanner.scan(copy.path.read_bytes(), copy.kind, copy.decided, copy.kept)
                if leak is None:
                    clean.append(copy)
            if leak is None or not leak.in_words or order.asset.kind is AssetKind.DICOM:
                break
        return made(copy, leak)

    def copy(self, order: Order, words: bool = True) -> Copy:
        """De-identify one asset and write it; it has not been searched yet.

        Args:
            order: the asset.
            words: whether a document's words that are not covered can be read in the copy; else it is pictures alone.

        Raises:
            InputError: the file was changed, is damaged, or cannot be named.
        """
        asset, findings = order.asset, order.findings
        original = Source(Path(asset.path), asset.member).read()
        if hashlib.sha256(original).hexdigest() != asset.sha256:
            raise InputError("The file was changed since it was searched.", "Run again before releasing.")
        kind: AssetKind = asset.kind
        scales: tuple[float, ...] = ()
        if asset.kind is AssetKind.DICOM:
            data, place, pixels, actions = self._dicom(original, order)
        else:
            written = self._document(original, order, words)
            data, kind, scales = written.data, written.kind, written.scales
            place = f"documents/{asset.id}{written.suffix}"
            pixels = "rendered" if words else "rendered, without words"
            actions = Counter({"redact": len(self._marks(findings))})
        if not (self._folder / place).resolve().is_relative_to(self._folder.resolve()):
            raise InputError("Its identifiers cannot name a file.", "Look at its UIDs.")
        # Whatever was covered, replaced or kept was seen and decided on.
        decided = [_scaled(mark, scales) for mark in (*self._marks(findings), *kept_marks(findings))]
        path = self._folder / f"{asset.id}{PROVISIONAL}"
        _write_file(path, data)
        digest = hashlib.sha256(data).hexdigest()
        file = ReleasedFile(place, digest, asset.id, asset.kind.value, pixels, dict(sorted(actions.items())))
        return Copy(path, kind, file, decided, [f.text for f in kept(findings)])

    def _dicom(self, original: bytes, order: Order) -> tuple[bytes, str, str, Counter[str]]:
        given = (order.findings, self._engine, order.subject, self._policy, self._accept_pending, order.texts)
        redacted = redact_dicom(original, *given, self._passwords)
        actions = Counter(change.action.value for change in redacted.header.changes)
        actions["redact"] = len(marks(order.findings, self._accept_pending))
        written = Splitter().split(redacted.data)
        uids = (written.value(tag).rstrip(b"\0 ").decode("latin-1") for tag in (_STUDY, _SERIES, _INSTANCE))
        place = dicom_place(order.subject.pseudonym, *uids)
        return redacted.data, place, redacted.pixels, actions

    def _marks(self, findings: Sequence[Finding]) -> list[Mark]:
        return marks(findings, self._accept_pending, self._policy.redact.surrogates)

    def _document(self, original: bytes, order: Order, words: bool) -> WrittenDocument:
        pages = Pages(original, order.asset.kind, self._passwords)
        settings, texts = self._policy.redact, order.texts
        if not words:
            settings, texts = settings.model_copy(update={"vector": False}), ()
        return write_document(pages, self._marks(order.findings), settings, texts)


@contextlib.contextmanager
def kept_if_clean(copies: Collection[Copy]) -> Iterator[list[Copy]]:
    """Delete all written copies at the end but those that were put into the list: they were searched and are clean."""
    clean: list[Copy] = []
    try:
        yield clean
    finally:
        for path in {copy.path for copy in copies} - {copy.path for copy in clean}:
            path.unlink()


def made(copy: Copy, leak: Leak | None) -> Made:
    """What became of a copy that was searched."""
    if leak is not None:
        return Made(None, None, f"re-scan: {leak.type.value} found in {leak.where}")
    return Made(copy.file, copy.path)


def _scaled(mark: Mark, scales: Sequence[float]) -> Mark:
    """A mark in pixels of the written file; its page tells by how much these differ."""
    if not scales or mark.frame is None or not 0 <= mark.frame < len(scales):
        return mark
    return replace(mark, polygon=scaled(mark.polygon, scales[mark.frame]))


class Exporter:
    """Gives files their final names, in the order in which they come.

    Args:
        folder: the release folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._hashes: dict[str, str] = {}

    def settle(self, made: Made) -> Written:
        """Take a file into the release, unless another one has its place."""
        if made.file is None or made.provisional is None:
            return Written(None, made.reason)
        place, digest = made.file.path, made.file.sha256
        if place in self._hashes:
            made.provisional.unlink()
            same = self._hashes[place] == digest
            return Written(
                None, "an identical copy was released" if same else "another file has the same SOP Instance UID"
            )
        target = self._folder / place
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.provisional.replace(target)
        except OSError as error:
            raise _unwritable() from error
        self._hashes[place] = digest
        return Written(made.file)


def _write_file(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise _unwritable() from error


def _unwritable() -> KnownError:
    return KnownError(
        "The release folder cannot be written (disk full or read-only?).",
        "Free some space or choose another folder, then release again; the project is unchanged.",
    )
