"""Every transfer syntax, before and after: decoded, checked by other decoders, redacted, unchanged outside the box."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.encaps import generate_frames
from pydicom.uid import UID, JPEGLosslessSV1, JPEGLSLossless, JPEGLSNearLossless, RLELossless

from deidra.app.decide.policy import RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box, box_polygon
from deidra.app.domain.model import AssetKind
from deidra.app.evaluate.detector_report import Section, Table, page
from deidra.app.load.dicom import ensure_meta, frame_count, is_encapsulated, is_mask, read_dataset, transfer_syntax
from deidra.app.load.frames import Frames
from deidra.app.load.sources import discover, walk
from deidra.app.redact.description import LOSSY_JPEG
from deidra.app.redact.jpeg_header import JpegHeader
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.written import Way

MOST_FRAMES = 12
"""Frames of a file that are compared; the marked one is among them."""
EXACT = RedactSection(padding_share=0, padding_least=0)
NOT_THERE, CANNOT, SAME, DIFFERS = "not installed", "cannot read it", "same", "differs"
_TIMEOUT_S = 300
_GDCM = ("gdcmconv", "--raw")
_DCMTK = {
    **dict.fromkeys([*LOSSY_JPEG, "1.2.840.10008.1.2.4.57", str(JPEGLosslessSV1)], "dcmdjpeg"),
    **dict.fromkeys([str(JPEGLSLossless), str(JPEGLSNearLossless)], "dcmdjpls"),
    str(RLELossless): "dcmdrle",
}
"""DCMTK's decoders; it has none for JPEG 2000. Others are read by ``dcmconv``."""
Values = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file.

    Args:
        name: the file's name.
        syntax: its transfer syntax.
        form: photometric interpretation, samples, bits, sign, frames.
        refused: why it cannot be decoded or redacted; empty when it can.
        before: whether other programs decode the original to the same values, by program.
        way: how the pixels were written.
        outside: whether all values outside the box, or in lossy JPEG outside its coded units, are the same.
        inside: whether the box has one colour, or in lossy JPEG nearly.
        after: as ``before``, of the redacted file.
    """

    name: str
    syntax: str
    form: str
    refused: str
    before: dict[str, str]
    way: str = ""
    outside: bool = False
    inside: bool = False
    after: dict[str, str] | None = None


def outcomes(inputs: Sequence[Path]) -> Iterator[Outcome]:
    """Cover a box in the middle of every DICOM image below the inputs; files without pixels are left out.

    Raises:
        KnownError: an input does not exist.
    """
    with tempfile.TemporaryDirectory(prefix="deidra-syntaxes-") as scratch:
        for path in walk(inputs):
            for found in discover(path):
                if found.kind is AssetKind.DICOM:
                    outcome = _outcome(path.name, found.source.read(), Path(scratch))
                    if outcome is not None:
                        yield outcome


def _outcome(name: str, data: bytes, scratch: Path) -> Outcome | None:
    try:
        dataset = read_dataset(data)
    except InputError as error:
        return Outcome(name, "", "", str(error), {})
    if not dataset.get("PixelData") or is_mask(dataset):
        return None
    syntax, form = transfer_syntax(dataset), _form(dataset)
    try:
        before = first_frames(dataset)
        others = _others(data, syntax, before, scratch)
        marked, box = len(before) // 2, box_of(before[0])
        stream = _stream(dataset, marked) if syntax in LOSSY_JPEG else b""
        written = redact_pixels(dataset, [Mark(box_polygon(*box), marked)], EXACT)
        changed = _written(dataset)
        after = first_frames(read_dataset(changed))
    except InputError as error:
        return Outcome(name, UID(syntax).name, form, str(error), {})
    outside = outside_mask(box, before[0].shape[:2], written.way, stream)
    same = all(
        np.array_equal(new[outside], old[outside]) if index == marked else np.array_equal(new, old)
        for index, (old, new) in enumerate(zip(before, after, strict=True))
    )
    left, top, right, bottom = box
    part = after[marked][top:bottom, left:right].astype(np.int64)
    # Subsampled chroma of the neighbours reaches into a coded unit by one sample.
    part = part[2:-2, 2:-2] if written.way is Way.BLOCKS else part
    even = int(np.ptp(part, (0, 1)).max(initial=0)) <= (3 if written.way is Way.BLOCKS else 0) if part.size else True
    again = _others(changed, transfer_syntax(dataset), after, scratch)
    return Outcome(name, UID(syntax).name, form, "", others, written.way.value, same, even, again)


def first_frames(dataset: FileDataset) -> list[Values]:
    """The first frames as stored, colour as RGB.

    Raises:
        InputError: they cannot be decoded.
    """
    frames = Frames(dataset)
    if not frames.count:
        raise InputError("The image's size is missing.", "Export it again.")
    return [frames.stored(index).copy() for index in range(min(frames.count, MOST_FRAMES))]


def box_of(frame: Values) -> Box:
    """A box near the middle of a frame ``(H, W)`` or ``(H, W, 3)``."""
    height, width = frame.shape[:2]
    left, top = width // 4, height // 4
    return left, top, left + max(1, width // 5), top + max(1, height // 9)


def outside_mask(box: Box, shape: tuple[int, int], way: Way, stream: bytes) -> NDArray[np.bool_]:
    """Pixels that must be the same: all but the box, in JPEG all but its coded units and a fringe of two pixels.

    Args:
        box: what is covered.
        shape: rows and columns of the frame.
        way: how it was written.
        stream: the frame's original code where it is lossy JPEG.
    """
    outside = np.ones(shape, bool)
    left, top, right, bottom = box
    if way is Way.BLOCKS:
        across, down = JpegHeader.of(stream).unit
        # Decoders smooth subsampled chroma over the edge of a unit.
        fringe = 2 if across > 8 or down > 8 else 0
        left, top = left // across * across - fringe, top // down * down - fringe
        right, bottom = -(-right // across) * across + fringe, -(-bottom // down) * down + fringe
    outside[max(0, top) : bottom, max(0, left) : right] = False
    return outside


def _stream(dataset: FileDataset, index: int) -> bytes:
    streams = generate_frames(dataset.PixelData, number_of_frames=frame_count(dataset))
    return next(stream for number, stream in enumerate(streams) if number == index)


def _form(dataset: FileDataset) -> str:
    sign = "signed" if dataset.get("PixelRepresentation") else "unsigned"
    planar = ", planar" if dataset.get("PlanarConfiguration") else ""
    frames = frame_count(dataset)
    many = f", {frames} frames" if frames > 1 else ""
    words = f"{dataset.get('PhotometricInterpretation', '?')}, {dataset.get('BitsStored', '?')} bits of"
    return f"{words} {dataset.get('BitsAllocated', '?')} {sign}{planar}{many}"


def _written(dataset: FileDataset) -> bytes:
    ensure_meta(dataset)
    stream = io.BytesIO()
    dataset.save_as(stream, enforce_file_format=False)  # a few files lack UIDs that the format wants
    return stream.getvalue()


def _others(data: bytes, syntax: str, values: Sequence[Values], scratch: Path) -> dict[str, str]:
    """Whether GDCM and DCMTK decode a file to the same values."""
    source, target = scratch / "in.dcm", scratch / "out.dcm"
    source.write_bytes(data)
    return {
        "gdcm": _judged([*_GDCM, str(source), str(target)], target, values),
        "dcmtk": _judged([_DCMTK.get(syntax, "dcmconv"), str(source), str(target)], target, values),
    }


def _judged(command: list[str], target: Path, values: Sequence[Values]) -> str:
    if shutil.which(command[0]) is None:
        return NOT_THERE
    target.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)  # noqa: S603
        if done.returncode or not target.is_file():
            return CANNOT
        other = read_dataset(target.read_bytes())
        if is_encapsulated(other):
            return CANNOT
        decoded = first_frames(other)
    except (InputError, subprocess.TimeoutExpired):
        return CANNOT
    if [v.shape for v in values] != [v.shape for v in decoded]:
        return f"{DIFFERS} in size"
    away = max(
        float(np.abs(a.astype(np.int64) - b.astype(np.int64)).mean()) for a, b in zip(values, decoded, strict=True)
    )
    return f"{DIFFERS} by {away:.3g} on average" if away else SAME


def write_syntaxes(found: Sequence[Outcome], out: Path) -> None:
    """Write ``syntaxes.json`` and a page with tables, ``syntaxes.html``."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "syntaxes.json").write_text(json.dumps([asdict(outcome) for outcome in found], indent=1), "utf-8")
    (out / "syntaxes.html").write_text(_page(found), "utf-8")


def by_syntax(found: Iterable[Outcome]) -> list[list[str]]:
    """One row a transfer syntax: its name, files, ways, and how many are right in each respect."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in found:
        if not outcome.refused:
            groups.setdefault(outcome.syntax, []).append(outcome)
    rows = []
    for syntax, group in sorted(groups.items()):
        ways = ", ".join(f"{way} {count}" for way, count in Counter(o.way for o in group).most_common())
        others = [_shares(o.before for o in group), _shares(o.after or {} for o in group)]
        right = [sum(getattr(o, name) for o in group) for name in ("outside", "inside")]
        rows.append([syntax, str(len(group)), others[0], ways, *map(str, right), others[1]])
    return rows


def _shares(judged: Iterable[dict[str, str]]) -> str:
    """Of each other program, how many files it decodes to the same values, of those that it can read."""
    counts = Counter((program, verdict) for one in judged for program, verdict in one.items())
    words = []
    for program in sorted({program for program, _ in counts}):
        same = counts[program, SAME]
        other = sum(n for (name, verdict), n in counts.items() if name == program and verdict.startswith(DIFFERS))
        words.append(f"{program} {same}/{same + other}" if same + other else f"{program} none")
    return ", ".join(words)


_COLUMNS = ["syntax", "files", "others decode the same", "written", "same outside", "covered inside", "others, after"]


def _page(found: Sequence[Outcome]) -> str:
    rows = [
        [o.name, o.syntax, o.form, _words(o.before), o.way, _yes(o.outside), _yes(o.inside), _words(o.after or {})]
        for o in found
        if not o.refused
    ]
    refused = [[o.name, o.syntax, o.form, o.refused] for o in found if o.refused]
    text = (
        "A box in the middle of one frame of each file is covered. Values are those of the first frames, as stored; "
        "lossy JPEG may differ by coded units. Other programs that cannot read a file are not counted."
    )
    one_by_one = ["file", "syntax", "form", "others", "written", "outside", "inside", "others, after"]
    return page(
        "Transfer syntaxes",
        [
            Section("By syntax", [text], [Table("", _COLUMNS, by_syntax(found))]),
            Section("File by file", [], [Table("", one_by_one, rows)]),
            Section("Held back", [], [Table("", ["file", "syntax", "form", "reason"], refused)]),
        ],
    )


def _words(judged: dict[str, str]) -> str:
    return ", ".join(f"{program}: {verdict}" for program, verdict in judged.items())


def _yes(right: bool) -> str:
    return "same" if right else "NO"
