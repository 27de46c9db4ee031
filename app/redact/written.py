"""How pixels were written, as the manifest and the report of a release say it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Way(StrEnum):
    """What became of the pixel data."""

    UNCHANGED = "unchanged"
    """Every byte is the original's."""
    CLEANED = "cleaned"
    """The picture is the original's; what hid beside it, or in bits around its samples, was taken out."""
    NATIVE = "native"
    """Changed where it stood, uncompressed."""
    REENCODED = "re-encoded"
    """Same transfer syntax, without loss; frames in which nothing changes keep their bytes."""
    BLOCKS = "jpeg-blocks"
    """Same transfer syntax, lossy JPEG: every coefficient outside the marked blocks is the original's."""
    CONVERTED = "converted"
    """Decoded once and stored in another, lossless compression."""
    DECOMPRESSED = "decompressed"
    """Decoded once and stored uncompressed."""


@dataclass(frozen=True, slots=True)
class Written:
    """How pixels were written.

    Args:
        way: what became of the pixel data.
        note: what else was done: a change of the transfer syntax by design, bits that were cleared.
        warning: why the transfer syntax could not be kept although it should have been; empty when it was.
    """

    way: Way
    note: str = ""
    warning: str = ""

    def __str__(self) -> str:
        """One line for the manifest, free of private data."""
        parts = [self.note, f"warning: {self.warning}" if self.warning else ""]
        said = "; ".join(part for part in parts if part)
        return f"{self.way.value}: {said}" if said else self.way.value
