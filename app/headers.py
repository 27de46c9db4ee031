"""Headers alone, in bulk: files in, de-identified files out, without a project and without a look at the pixels.

Two passes: the first reads who the files are about, so that the second can cut these people's names out of any
text. Every file's bytes depend on the policy, the key and the set of inputs alone, never on the number of workers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

from deidra.app.border import guarded
from deidra.app.decide.headers import IdentifierReader, one_pass_engine
from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import AssetKind, Identifier
from deidra.app.load.dicom import refuse_content
from deidra.app.load.encoded import EncodedFile, Splitter
from deidra.app.load.sources import Source, glance, walk
from deidra.app.metadata.changes import Subject
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.identity import IssuedId
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.place import dicom_place
from deidra.app.parallel import team
from deidra.app.progress import Control, Meter, ProgressSink
from deidra.app.subjects import subject_of

_INSTANCE, _STUDY, _SERIES, _SOP_CLASS = 0x00080018, 0x0020000D, 0x0020000E, 0x00080016
_PROVISIONAL = ".part"
_BATCH = 100
"""Files that a worker takes at once: neighbours are of one series, which its memo lives on."""


@dataclass(frozen=True, slots=True)
class HeadersSummary:
    """What was written, and what was not: input path and reason."""

    written: int
    refused: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Written:
    """A file that a worker has written under a provisional name, or the reason why not."""

    source: Source
    place: str = ""
    provisional: Path | None = None
    reason: str = ""


def clean_headers(
    inputs: Sequence[Path],
    out: Path,
    policy: Policy,
    key: ProjectKey,
    workers: int = 1,
    sink: ProgressSink | None = None,
    control: Control | None = None,
) -> HeadersSummary:
    """De-identify the headers of DICOM files; pixels stay as they are and are not searched.

    Args:
        inputs: files, folders and zip archives; they are only read.
        out: a new or empty folder; files lie there by pseudonym, study and series.
        policy: the policy. What is uncertain is cut out: nobody is asked.
        key: pseudonyms are made with it.
        workers: processes that work at the same time.
        sink: told after each batch.
        control: pauses and cancels.

    Raises:
        KnownError: an input does not exist, the folder is not empty or cannot be written, or the policy moves dates
            to baselines.
        Cancelled: ``control`` was cancelled; what was written by then stays.
    """
    if policy.dates.mode is DateMode.BASELINE:
        raise KnownError("Baselines of patients are known to projects only.", "Use run and release, or another mode.")
    _prepare(out)
    refused: list[tuple[str, str]] = []
    sources: list[Source] = []
    for path in walk(inputs):
        for source, kind, reason in glance(path):
            if kind is AssetKind.DICOM and not reason:
                sources.append(source)
            else:
                refused.append((_name(source), reason or "This is no DICOM file."))
    batches = [sources[start : start + _BATCH] for start in range(0, len(sources), _BATCH)]
    with team(workers, _start) as pool:
        meter = Meter("read", len(batches), sink, control)
        known: set[Identifier] = set()
        issuers: set[IssuedId] = set()
        for found, met in pool.map(_learn, batches, repeat(key)):
            meter.checkpoint()
            known.update(found)
            issuers.update(met)
            meter.step()
    # In one order, whoever found them first.
    identifiers = sorted(known, key=lambda i: (i.patient_key, i.type.value, i.value, i.source))
    taken: set[str] = set()
    with _no_remains(out), team(workers, _start, identifiers, policy, key, issuers) as pool:
        meter = Meter("write", len(batches), sink, control)
        for done in pool.map(_clean_batch, batches, repeat(out), range(0, len(sources), _BATCH)):
            meter.checkpoint()
            refused += _settle(done, out, taken)
            meter.step()
    return HeadersSummary(len(taken), refused)


@contextlib.contextmanager
def _no_remains(out: Path) -> Iterator[None]:
    """Remove files without a final name when the work ends early."""
    try:
        yield
    finally:
        for path in out.glob(f"*{_PROVISIONAL}"):
            path.unlink(missing_ok=True)


def _prepare(out: Path) -> None:
    try:
        if out.exists() and any(out.iterdir()):
            raise KnownError("The output folder is not empty.", "Choose a new folder: outputs are never mixed.")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KnownError("The output folder cannot be written.", "Choose another folder.") from error


def _file(source: Source, splitter: Splitter) -> EncodedFile:
    file = splitter.split(source.read())
    sop_class = file.value(_SOP_CLASS).rstrip(b"\0 ").decode("ascii", "replace")
    refuse_content(sop_class, file)
    return file


def _learn(batch: Sequence[Source], key: ProjectKey) -> tuple[set[Identifier], set[IssuedId]]:
    """Identifiers and issuers of some files; what is wrong with a file is told when it is written."""
    reader, splitter = IdentifierReader(key), Splitter()
    found: set[Identifier] = set()
    for source in batch:
        known, _ = guarded("headers", "", lambda s=source: reader.identifiers(_file(s, splitter)))  # type: ignore[misc]
        found.update(known or ())
    return found, reader.met


class _Worker:
    def __init__(
        self, identifiers: Sequence[Identifier], policy: Policy, key: ProjectKey, issuers: Iterable[IssuedId]
    ) -> None:
        self._engine = one_pass_engine(identifiers, policy, key)
        self._reader = IdentifierReader(key, issuers)
        self._splitter = Splitter()
        self._policy, self._key = policy, key
        self._subjects: dict[str, Subject] = {}

    def clean(self, source: Source, provisional: Path) -> str:
        """Write a file under a provisional name; returns the place it belongs."""
        file = _file(source, self._splitter)
        patient = self._reader.patient(file)
        subject = self._subjects.get(patient) or subject_of(patient, self._key, self._policy)
        self._subjects[patient] = subject
        result = self._engine.process(file, subject)
        parts = self._engine.write(file, result, searched=False)
        uids = (result.value(tag, file.encoding) for tag in (_STUDY, _SERIES, _INSTANCE))
        place = dicom_place(subject.pseudonym, *uids)
        try:
            with provisional.open("wb") as stream:
                stream.writelines(parts)
        except OSError as error:
            raise _unwritable() from error
        return place


_workers: list[_Worker] = []
"""This process's worker, made once: its memo lives as long as the process."""


def _start(*initial: Any) -> None:
    if initial:
        _workers[:] = [_Worker(*initial)]


def _clean_batch(batch: Sequence[Source], out: Path, first: int) -> list[_Written]:
    done = []
    for number, source in enumerate(batch, first):
        provisional = out / f"{number:08d}{_PROVISIONAL}"
        place, reason = guarded("headers", str(number), lambda s=source, p=provisional: _workers[0].clean(s, p))  # type: ignore[misc]
        done.append(_Written(source, place or "", provisional if place else None, reason))
    return done


def _name(source: Source) -> str:
    return f"{source.path}!{source.member}" if source.member else str(source.path)


def _settle(done: Sequence[_Written], out: Path, taken: set[str]) -> Iterator[tuple[str, str]]:
    """Give files their names, in the order of the inputs; yields what is refused."""
    made: set[Path] = set()
    for file in done:
        name = _name(file.source)
        if file.provisional is None:
            yield name, file.reason
        elif file.place in taken:
            file.provisional.unlink()
            yield name, "another file has the same SOP Instance UID"
        else:
            target = out / file.place
            try:
                if target.parent not in made:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    made.add(target.parent)
                file.provisional.replace(target)
            except OSError as error:
                raise _unwritable() from error
            taken.add(file.place)


def _unwritable() -> KnownError:
    return KnownError("The output folder cannot be written (disk full or read-only?).", "Free some space.")
