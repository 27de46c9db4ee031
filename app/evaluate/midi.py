"""Score a release against an answer key in the manner of MIDI-B (MICCAI 2024).

The key is a CSV file with the columns ``sop_instance_uid``, ``file``, ``category``, ``subcategory``,
``tag``, ``action``, ``answer`` and ``box``. A tag is a path with items counted from 0, such as
``(0040,0275)[0]/(0040,1001)``; a private element is named by its creator,
``(0019,"SIEMENS MR HEADER",0C)``, so that its block may move. When an action passes:

=================  ==================================================================================
tag_retained       the element is there
text_notnull       the element is there and has a value (a sequence: an item)
text_retained      the answer is contained in the value, or each of its words is; some of them are not enough
text_removed       no word of the answer is contained in the value; an absent element passes
date_shifted       the answer is not contained in the value; an absent element passes
uid_changed        the same for UIDs
uid_consistent     the value is what the UID map says of the answer; an absent element passes
patid_consistent   the same with the map of patients
pixels_retained    the MD5 of the Pixel Data bytes is the answer
pixels_hidden      the reader finds no word of the answer of three characters or more in the box
=================  ==================================================================================

Case does not matter. Numbers that must stay are compared as numbers. Words are separated by blanks and
backslashes, without punctuation around them; words such as ``the`` do not count. An instance that
was not released fails all of its checks.
"""

from __future__ import annotations

import csv
import hashlib
import re
import string
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pydicom
from numpy.typing import NDArray
from pydicom.dataelem import DataElement
from pydicom.dataset import Dataset, FileDataset
from pydicom.errors import InvalidDicomError
from pydicom.multival import MultiValue

ReadBox = Callable[[NDArray[np.uint8]], str]
"""Reads the text in a part of a frame: 8 bits, axes ``[row, column]`` or ``[row, column, RGB]``, white is 255."""

MISSING = "<missing file>"
_STOP_WORDS = {"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to"}
_STEP = re.compile(r'\(([0-9A-F]{4}),(?:([0-9A-F]{4})|"([^"]*)",([0-9A-F]{2}))\)(?:\[(\d+)\])?/?')
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class MidiCheck:
    """A line of the key. ``file`` is the path before release, below the folder of originals."""

    instance: str
    file: str
    category: str
    subcategory: str
    tag: str
    action: str
    answer: str
    box: str


@dataclass(frozen=True, slots=True)
class MidiRow:
    """How many checks of a subcategory failed and passed."""

    category: str
    subcategory: str
    failed: int
    passed: int

    @property
    def total(self) -> int:
        """All checks of the row."""
        return self.failed + self.passed

    @property
    def percent(self) -> float:
        """Share that passed, 0 to 100."""
        return 100 * self.passed / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class MidiFailure:
    """A check that failed, and what stands in the released file, at most 200 characters of it."""

    check: MidiCheck
    found: str


@dataclass(frozen=True, slots=True)
class MidiScore:
    """The rows of the results table in order, their sum, and every failure."""

    rows: tuple[MidiRow, ...]
    total: MidiRow
    failures: tuple[MidiFailure, ...]


@dataclass(frozen=True, slots=True)
class _Found:
    """What stands at a path. ``exact`` is False for bytes that hide what the path leads to."""

    text: str
    empty: bool
    exact: bool = True


def score(key: Path, released: Path, uid_map: Path, patid_map: Path, read_box: ReadBox) -> MidiScore:
    """Evaluate every check of ``key``.

    ``released`` is a folder with the released files, in any order below it. ``uid_map`` and
    ``patid_map`` are CSV files with the columns ``id_old`` and ``id_new``.
    """
    uids, patients = read_map(uid_map), read_map(patid_map)
    counts: Counter[tuple[str, str, bool]] = Counter()
    failures: list[MidiFailure] = []
    with warnings.catch_warnings():
        # pydicom warns about odd values, and quotes them.
        warnings.simplefilter("ignore")
        files = _index(released)
        for instance, checks in _read_key(key).items():
            path = files.get(uids.get(instance, ""))
            judge = _Judge(pydicom.dcmread(path, force=True), uids, patients, read_box) if path else None
            for check in checks:
                passed, found = judge(check) if judge else (False, MISSING)
                counts[check.category, check.subcategory, passed] += 1
                if not passed:
                    failures.append(MidiFailure(check, found[:_SHOWN]))
    names = sorted({name[:2] for name in counts})
    rows = tuple(MidiRow(*name, counts[*name, False], counts[*name, True]) for name in names)
    total = MidiRow("Total", "", sum(row.failed for row in rows), sum(row.passed for row in rows))
    return MidiScore(rows, total, tuple(failures))


def write_failures(result: MidiScore, path: Path) -> None:
    """Write every failed check as CSV: file, row, tag, action, answer, and what was found."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "category", "subcategory", "tag", "action", "answer", "found"))
        for failure in result.failures:
            c = failure.check
            writer.writerow((c.file, c.category, c.subcategory, c.tag, c.action, c.answer, failure.found))


def table(result: MidiScore) -> str:
    """The results as text: category, subcategory, Fail, Pass, Total with the share that passed."""
    lines = [f"{'category':<9} {'subcategory':<22} {'Fail':>7} {'Pass':>8} {'Total':>8}"]
    before = ""
    for row in (*result.rows, result.total):
        name = row.category if row.category != before else ""
        before = row.category
        share = f"({row.percent / 100:.4f})"
        lines.append(f"{name:<9} {row.subcategory:<22} {row.failed:>7} {row.passed:>8} {row.total:>8} {share}")
    return "\n".join(lines)


def read_map(path: Path) -> dict[str, str]:
    """Old to new from a CSV file with the columns ``id_old`` and ``id_new``."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {line["id_old"]: line["id_new"] for line in csv.DictReader(stream)}


def _read_key(path: Path) -> dict[str, list[MidiCheck]]:
    """The checks by instance, in the order of the file."""
    checks: dict[str, list[MidiCheck]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            instance = line.pop("sop_instance_uid")
            checks[instance].append(MidiCheck(instance, **line))
    return checks


def _index(folder: Path) -> dict[str, Path]:
    """The released files by SOP Instance UID; what is no DICOM instance is passed over."""
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            try:
                dataset = pydicom.dcmread(path, stop_before_pixels=True, specific_tags=["SOPInstanceUID"])
            except InvalidDicomError:
                continue
            if "SOPInstanceUID" in dataset:
                files[str(dataset.SOPInstanceUID)] = path
    return files


class _Judge:
    """Evaluates the checks of one released instance."""

    def __init__(
        self, dataset: FileDataset, uids: Mapping[str, str], patients: Mapping[str, str], read_box: ReadBox
    ) -> None:
        self._dataset = dataset
        self._maps = {"uid_consistent": uids, "patid_consistent": patients}
        self._read_box = read_box
        self._frames: list[NDArray[np.uint8]] | None = None

    def __call__(self, check: MidiCheck) -> tuple[bool, str]:
        """Whether the check passes, and what was found."""
        if check.action == "pixels_retained":
            digest = hashlib.md5(self._dataset.get("PixelData", b""), usedforsecurity=False).hexdigest()
            return digest == check.answer, digest
        if check.action == "pixels_hidden":
            return self._hidden(check)
        found = _find(self._dataset, check.tag)
        return self._passes(check, found), found.text if found else "<absent>"

    def _passes(self, check: MidiCheck, found: _Found | None) -> bool:
        kept = found is not None and found.exact
        text = found.text if found else ""
        match check.action:
            case "tag_retained":
                return kept
            case "text_notnull":
                return kept and found is not None and not found.empty
            case "text_retained":
                return kept and retained(check.answer, text)
            case "text_removed":
                return removed(check.answer, text)
            case "date_shifted" | "uid_changed":
                return check.answer.replace("\\", "") not in text.replace("\\", "")
            case "uid_consistent" | "patid_consistent":
                return found is None or text == self._maps[check.action].get(check.answer)
            case _:
                raise ValueError(f"The key has an unknown action: {check.action}")

    def _hidden(self, check: MidiCheck) -> tuple[bool, str]:
        if "PixelData" not in self._dataset:
            return True, "<absent>"
        if self._frames is None:
            self._frames = frames_of(self._dataset)
        frame, left, top, right, bottom = (int(part) for part in check.box.split())
        text = self._read_box(self._frames[frame][top:bottom, left:right]) if frame < len(self._frames) else ""
        words = [word for word in _words(check.answer) if len(word) >= 3]
        return not any(word in text.lower() for word in words), text


def retained(answer: str, found: str) -> bool:
    """Whether the whole answer, or each of its words, is contained in ``found``."""
    answer, found = answer.lower(), found.lower()
    if _is_number(answer) and _is_number(found):
        return float(answer) == float(found)
    if answer in found:
        return True
    words = list(_words(answer))
    numbers = {float(word) for word in _words(found) if _is_number(word)}
    return bool(words) and all(word in found or (_is_number(word) and float(word) in numbers) for word in words)


def removed(answer: str, found: str) -> bool:
    """Whether no word of the answer is contained in ``found``."""
    found = found.lower()
    return not any(word in found for word in _words(answer))


def frames_of(dataset: Dataset) -> list[NDArray[np.uint8]]:
    """Every frame with 8 bits as a viewer shows it at full window: the darkest sample 0, the brightest 255."""
    pixels = np.asarray(dataset.pixel_array)
    samples = int(dataset.get("SamplesPerPixel", 1))
    frames = list(pixels) if pixels.ndim == 3 + (samples > 1) else [pixels]
    shown = []
    for frame in frames:
        values = frame.astype(np.float64)
        low, high = float(values.min()), float(values.max())
        scaled = (values - low) * (255 / (high - low)) if high > low else values * 0
        if dataset.get("PhotometricInterpretation") == "MONOCHROME1":
            scaled = 255 - scaled
        shown.append(np.round(scaled).astype(np.uint8))
    return shown


def _words(text: str) -> Iterator[str]:
    for word in re.split(r"[\s\\]+", text.lower()):
        bare = word.strip(string.punctuation)
        if bare and bare not in _STOP_WORDS:
            yield bare


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdecimal()


@lru_cache(maxsize=65536)
def _steps(tag: str) -> tuple[tuple[str, ...], ...]:
    """The parts of a path: group, element, creator, offset, item."""
    return tuple(tuple(part or "" for part in match.groups()) for match in _STEP.finditer(tag))


def _find(dataset: FileDataset, tag: str) -> _Found | None:
    """What stands at a path; a sequence that is present as mere bytes stands for all that is in it."""
    steps = _steps(tag)
    item: Dataset = dataset.file_meta if steps[0][0] == "0002" else dataset
    for number, (group, element, creator, offset, index) in enumerate(steps):
        at = _tag(item, int(group, 16), element, creator, offset)
        if at is None or at not in item:
            return None
        if number == len(steps) - 1:
            return _value(item, at)
        children = _value_of(item, at)
        if isinstance(children, bytes):
            return _Found(children.decode("latin-1"), not children, exact=False)
        if not isinstance(children, pydicom.Sequence) or int(index) >= len(children):
            return None
        item = children[int(index)]
    return None


def _tag(item: Dataset, group: int, element: str, creator: str, offset: str) -> int | None:
    if element:
        return group << 16 | int(element, 16)
    try:
        return int(item.private_block(group, creator).get_tag(int(offset, 16)))
    except KeyError:
        return None


def _value_of(item: Dataset, tag: int) -> Any:
    """The value of an element; its bytes, if they make no sense for its type."""
    raw = item.get_item(tag)
    try:
        return item[tag].value
    except (ValueError, TypeError, OverflowError, NotImplementedError, AttributeError):
        return b"" if raw is None or isinstance(raw, DataElement) else raw.value or b""


def _value(item: Dataset, tag: int) -> _Found:
    value = _value_of(item, tag)
    if isinstance(value, pydicom.Sequence):
        return _Found(f"<{len(value)} items>", not len(value))
    if isinstance(value, bytes):
        return _Found(value.decode("latin-1").strip("\0 "), not value)
    values = value if isinstance(value, MultiValue | list) else [] if value is None else [value]
    text = "\\".join(str(one) for one in values)
    return _Found(text, not text.strip("\\"))
