"""Where inputs come from: files, folders and zip archives, recognised by content and never by name."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import AssetKind

HEAD_BYTES = 4096
MOST_MEMBER_BYTES = 2 << 30
MOST_INFLATION = 1000
"""A zip member that grows more than this many times is refused: such archives are made to fill memory."""

_IMAGE_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+")
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_LONG_VRS = {b"OB", b"OD", b"OF", b"OL", b"OV", b"OW", b"SQ", b"UC", b"UN", b"UR", b"UT", b"SV", b"UV"}
_SHORT_VRS = {
    *(b"AE", b"AS", b"AT", b"CS", b"DA", b"DS", b"DT", b"FL", b"FD", b"IS", b"LO", b"LT", b"PN", b"SH", b"SL"),
    *(b"SS", b"ST", b"TM", b"UI", b"UL", b"US"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """One input file: a path, or a member of the zip archive at that path."""

    path: Path
    member: str = ""

    def read(self) -> bytes:
        """The whole content.

        Raises:
            InputError: the file vanished, cannot be read, or the archive member is damaged,
                encrypted or implausibly large.
        """
        try:
            if not self.member:
                return self.path.read_bytes()
            with zipfile.ZipFile(self.path) as archive:
                return _read_member(archive, archive.getinfo(self.member))
        except FileNotFoundError as error:
            raise InputError("The file is no longer where it was.", "Put it back and run again.") from error
        except PermissionError as error:
            raise InputError("The file may not be read.", "Give yourself permission to read it.") from error
        except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as error:
            raise InputError("The archive is damaged, or changed since it was listed.", "Unpack it by hand.") from error
        except OSError as error:
            raise InputError(
                "The file cannot be read from the disk.", "Check the disk or the network drive."
            ) from error


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.flag_bits & 1:
        raise InputError("The archive is encrypted.", "Unpack it with its password and import the files.")
    if info.file_size > MOST_MEMBER_BYTES or info.file_size > MOST_INFLATION * max(1, info.compress_size):
        raise InputError("The archive holds an implausibly large file.", "Unpack it by hand and import the files.")
    return archive.read(info)


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found at an input path: a source with its digest, or the reason why it is unusable."""

    source: Source
    kind: AssetKind
    sha256: str
    size: int
    reason: str = ""


def walk(inputs: Sequence[Path]) -> Iterator[Path]:
    """All files below the inputs, each once, in sorted order.

    Raises:
        KnownError: an input does not exist.
    """
    seen: set[Path] = set()
    for given in inputs:
        root = given.absolute()
        if not root.exists():
            raise KnownError(f"There is no input at position {list(inputs).index(given) + 1}.", "Check the path.")
        files = [root] if root.is_file() else sorted(p for p in root.rglob("*") if p.is_file())
        for path in files:
            if path not in seen:
                seen.add(path)
                yield path


def discover(path: Path) -> Iterator[Discovery]:
    """What one file holds: itself, or the members of a zip archive."""
    if _not_text(path):
        shown = Path(os.fsencode(path).decode("utf-8", "backslashreplace"))
        yield Discovery(Source(shown), AssetKind.UNKNOWN, "", 0, "The file's name is not valid text: rename the file.")
        return
    try:
        data = Source(path).read()
    except InputError as error:
        yield Discovery(Source(path), AssetKind.UNKNOWN, "", 0, str(error))
        return
    if data.startswith(_ZIP_MAGIC):
        yield from _discover_members(path, data)
    else:
        yield _describe(Source(path), data)


def glance(path: Path) -> Iterator[tuple[Source, AssetKind, str]]:
    """What one file holds, as :func:`discover` says it, from its first bytes and without a hash."""
    try:
        # Streams would take longer to set up than the few bytes to read.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            head = os.read(descriptor, HEAD_BYTES)
        finally:
            os.close(descriptor)
    except OSError:
        head = b"PK\3\4"  # discover says what is wrong
    if head.startswith(_ZIP_MAGIC) or _not_text(path):
        yield from ((found.source, found.kind, found.reason) for found in discover(path))
    else:
        yield (Source(path), *recognise(head))


def _not_text(path: Path) -> bool:
    """True for names in some old encoding, which no database can store."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _discover_members(path: Path, data: bytes) -> Iterator[Discovery]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            for info in sorted(members, key=lambda item: item.filename):
                source = Source(path, info.filename)
                try:
                    content = _read_member(archive, info)
                except InputError as error:
                    yield Discovery(source, AssetKind.UNKNOWN, "", info.file_size, str(error))
                    continue
                yield _describe(source, content)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError):
        digest = hashlib.sha256(data).hexdigest()
        yield Discovery(Source(path), AssetKind.UNKNOWN, digest, len(data), "The archive is damaged.")


def _describe(source: Source, data: bytes) -> Discovery:
    kind, reason = recognise(data)
    return Discovery(source, kind, hashlib.sha256(data).hexdigest(), len(data), reason)


def recognise(data: bytes) -> tuple[AssetKind, str]:
    """The kind of a file from its first bytes, and why it is unusable when it is unknown."""
    head = data[:HEAD_BYTES]
    if not head:
        return AssetKind.UNKNOWN, "The file is empty."
    if head[128:132] == b"DICM":
        return AssetKind.DICOM, ""
    if head.startswith(_IMAGE_MAGIC):
        return AssetKind.IMAGE, ""
    if b"%PDF-" in head[:1024]:
        return AssetKind.PDF, ""
    if looks_like_dataset(head):
        return AssetKind.DICOM, ""
    if head.startswith(_ZIP_MAGIC):
        return AssetKind.UNKNOWN, "An archive inside an archive: unpack it and import the files."
    return AssetKind.UNKNOWN, "This is not a DICOM file, an image (PNG, JPEG, TIFF) or a PDF."


def looks_like_dataset(head: bytes) -> bool:
    """True when the bytes start with a plausible DICOM element (a file without preamble, PS3.10 7.1)."""
    if len(head) < 8:
        return False
    for order in ("<", ">"):
        group, element = struct.unpack_from(order + "HH", head)
        if group not in (0x0002, 0x0008) or (group == 0x0002 and element > 0x0103):
            continue
        vr = head[4:6]
        if vr in _SHORT_VRS or vr in _LONG_VRS:
            return True
        (length,) = struct.unpack_from(order + "I", head, 4)
        if length <= 0x400 and (group, element) <= (0x0008, 0x0090):
            return True
    return False
