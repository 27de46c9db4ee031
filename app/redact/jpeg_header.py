"""What the headers of a JPEG stream say: geometry, quantisation and colours (ISO/IEC 10918-1 B.2)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deidra.app.redact.codestream import jpeg_segments

_SOF = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_DQT, _SOS, _JFIF, _ADOBE = 0xDB, 0xDA, 0xE0, 0xEE
ZIGZAG = np.array(sorted(range(64), key=lambda k: (k // 8 + k % 8, (k // 8) if (k // 8 + k % 8) % 2 else (k % 8))))
"""Place in an 8x8 block, row by row, of each coefficient in the order of the stream."""


class NotReadable(Exception):
    """The stream is no JPEG, or its headers are damaged."""


@dataclass(frozen=True, slots=True)
class Component:
    """One component: identifier, sampling factors, and quantisation of its 64 coefficients, row by row."""

    identifier: int
    across: int
    down: int
    steps: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class JpegHeader:
    """Headers of one stream.

    Args:
        process: n of the frame marker SOFn: 0 baseline, 1 extended, 2 progressive, 3 lossless.
        precision: bits of a sample.
        adobe: colour transform of the Adobe marker; None without one.
        jfif: whether there is a JFIF marker, whose colours are YCbCr.
    """

    process: int
    precision: int
    width: int
    height: int
    components: tuple[Component, ...]
    adobe: int | None
    jfif: bool = False

    @property
    def unit(self) -> tuple[int, int]:
        """Width and height in pixels of the smallest coded unit (MCU, A.2)."""
        if len(self.components) == 1:
            return 8, 8  # not interleaved: one block, whatever the sampling factors say
        return 8 * max(c.across for c in self.components), 8 * max(c.down for c in self.components)

    def blocks_in_unit(self, component: int) -> tuple[int, int]:
        """Blocks of a component in one unit, across and down."""
        if len(self.components) == 1:
            return 1, 1
        return self.components[component].across, self.components[component].down

    def blocks(self, component: int) -> tuple[int, int]:
        """Blocks of a component that hold pixels of the image, across and down."""
        across, down = self.blocks_in_unit(component)
        width, height = self.unit
        return -(-self.width * across // (8 * (width // 8))), -(-self.height * down // (8 * (height // 8)))

    @classmethod
    def of(cls, stream: bytes) -> JpegHeader:
        """Read the headers up to the first scan.

        Raises:
            NotReadable: the stream is no JPEG with one frame and its tables.
        """
        try:
            return cls._read(stream)
        except (struct.error, IndexError, KeyError, ValueError) as error:
            raise NotReadable from error

    @classmethod
    def _read(cls, stream: bytes) -> JpegHeader:
        tables: dict[int, NDArray[np.float64]] = {}
        frame: tuple[int, bytes] | None = None
        adobe: int | None = None
        jfif = False
        for segment in jpeg_segments(stream):
            marker, content = segment[1], segment[4:]
            if marker == _SOS:
                break
            if marker == _DQT:
                tables.update(_quantisation(content))
            elif marker == _ADOBE:
                adobe = content[11]
            elif marker == _JFIF:
                jfif = True
            elif marker in _SOF:
                if frame is not None:
                    raise NotReadable
                frame = (marker - 0xC0, content)
        if frame is None:
            raise NotReadable
        process, content = frame
        precision, height, width, count = struct.unpack_from(">BHHB", content)
        parts = [struct.unpack_from("BBB", content, 6 + 3 * i) for i in range(count)]
        none = np.ones(64)  # lossless streams quantise nothing
        components = tuple(
            Component(identifier, factors >> 4, factors & 15, tables[table] if process < 3 else none)
            for identifier, factors, table in parts
        )
        if not width or not height or not components or any(not c.across or not c.down for c in components):
            raise NotReadable
        return cls(process, precision, width, height, components, adobe, jfif)


def _quantisation(content: bytes) -> dict[int, NDArray[np.float64]]:
    """Tables of one DQT segment, each row by row (B.2.4.1)."""
    tables = {}
    at = 0
    while at < len(content):
        wide, number = content[at] >> 4, content[at] & 15
        size = 128 if wide else 64
        values = np.frombuffer(content[at + 1 : at + 1 + size], ">u2" if wide else "u1")
        table = np.empty(64)
        table[ZIGZAG] = values
        tables[number] = table
        at += 1 + size
    return tables
