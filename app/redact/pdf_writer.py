"""Writing PDF files that hold pictures of pages and words, and nothing else.

The words are drawn with fonts whose glyphs are empty (Type 3, ISO 32000-1, 9.6.5): they can be searched and copied, in
any script, and no font has to be embedded. What is written depends on the pages alone.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pikepdf
from numpy.typing import NDArray
from pikepdf import Array, Dictionary, Name

from deidra.app.redact.page_images import encoded
from deidra.app.redact.text_layer import Word

PRODUCER = "Deidra"
_CODES = 255
"""Characters of one font: codes 1 to 255."""
_ADVANCE = 0.5
"""Width of every glyph, in units of the font's size."""
_DESCENT = 0.25
"""Share of a word's height that lies below its baseline."""
_GLYPH = b"500 0 0 -250 500 750 d1"


class PdfWriter:
    """Collects pages and writes them as one file. Pages are kept encoded, so a long document needs little memory."""

    def __init__(self) -> None:
        self._pdf = pikepdf.new()
        self._fonts = self._pdf.make_indirect(Dictionary())
        self._codes: dict[str, int] = {}

    def add_page(self, picture: NDArray[np.uint8], size: tuple[float, float], words: Sequence[Word]) -> None:
        """Add a page.

        Args:
            picture: ``(H, W, 3)`` RGB; it fills the page.
            size: width and height of the page in points.
            words: text of the page, in pixels of the picture.
        """
        width, height = size
        lines = [f"q {width:.3f} 0 0 {height:.3f} 0 0 cm /P Do Q"]
        if words:
            lines += ["BT", *self._text(words, width / picture.shape[1], height / picture.shape[0], height), "ET"]
        page = Dictionary(
            Type=Name.Page,
            MediaBox=Array([0, 0, round(width, 3), round(height, 3)]),
            Resources=Dictionary(XObject=Dictionary(P=self._picture(picture))),
            Contents=self._pdf.make_stream("\n".join(lines).encode("ascii")),
        )
        if words:
            page.Resources.Font = self._fonts
        self._pdf.pages.append(pikepdf.Page(self._pdf.make_indirect(page)))

    def add_copy(self, make: Callable[[pikepdf.Pdf], pikepdf.Dictionary | None]) -> bool:
        """Add a page that a function makes for this file; False where it makes none."""
        page = make(self._pdf)
        if page is not None:
            self._pdf.pages.append(pikepdf.Page(self._pdf.make_indirect(page)))
        return page is not None

    def data(self) -> bytes:
        """The file; the writer is closed."""
        self._make_fonts()
        self._pdf.docinfo[Name.Producer] = PRODUCER
        stream = io.BytesIO()
        self._pdf.save(
            stream,
            deterministic_id=True,
            fix_metadata_version=False,
            compress_streams=True,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )
        self._pdf.close()
        return stream.getvalue()

    def _picture(self, picture: NDArray[np.uint8]) -> pikepdf.Object:
        found = encoded(picture)
        colours = Name.DeviceGray if found.channels == 1 else Name.DeviceRGB
        stream = self._pdf.make_stream(found.data)
        for name, value in (
            ("/Type", Name.XObject),
            ("/Subtype", Name.Image),
            ("/Width", found.width),
            ("/Height", found.height),
            ("/ColorSpace", colours),
            ("/BitsPerComponent", found.bits),
            ("/Filter", Name("/" + found.filter)),
        ):
            stream[name] = value
        if found.filter == "CCITTFaxDecode":
            stream.DecodeParms = Dictionary(K=-1, Columns=found.width, Rows=found.height, BlackIs1=True)
        elif found.filter == "FlateDecode":
            stream.DecodeParms = Dictionary(
                Predictor=15, Colors=found.channels, BitsPerComponent=found.bits, Columns=found.width
            )
        return stream

    def _text(self, words: Sequence[Word], across: float, down: float, height: float) -> list[str]:
        """Operators that draw words, given points in a pixel in both directions and the page's height in points."""
        lines, font = [], -1
        for word in words:
            (tl, tr, _, bl) = (np.array([x * across, height - y * down]) for x, y in word.polygon)
            along = (tr - tl) / (_ADVANCE * max(1, len(word.text)))
            up = tl - bl
            start = bl + _DESCENT * up
            matrix = " ".join(f"{value:.4f}" for value in (*along, *up, *start))
            lines.append(f"{matrix} Tm")
            for number, codes in self._coded(word.text if word.last else f"{word.text} "):
                if number != font:
                    lines.append(f"/F{number} 1 Tf")
                    font = number
                lines.append(f"<{codes.hex()}> Tj")
        return lines

    def _coded(self, text: str) -> list[tuple[int, bytes]]:
        """A text as runs of codes, each with the number of its font."""
        runs: list[tuple[int, bytes]] = []
        for char in text:
            place = self._codes.setdefault(char, len(self._codes))
            font, code = place // _CODES, bytes([place % _CODES + 1])
            if runs and runs[-1][0] == font:
                runs[-1] = font, runs[-1][1] + code
            else:
                runs.append((font, code))
        return runs

    def _make_fonts(self) -> None:
        characters = list(self._codes)
        for start in range(0, len(characters), _CODES):
            part = characters[start : start + _CODES]
            font = Dictionary(
                Type=Name.Font,
                Subtype=Name.Type3,
                FontBBox=Array([0, -250, 500, 750]),
                FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
                CharProcs=Dictionary(g=self._pdf.make_stream(_GLYPH)),
                Encoding=Dictionary(Type=Name.Encoding, Differences=Array([1, *([Name.g] * len(part))])),
                FirstChar=1,
                LastChar=len(part),
                Widths=Array([500] * len(part)),
                Resources=Dictionary(),
                ToUnicode=self._pdf.make_stream(_unicode_map(part)),
            )
            self._fonts[f"/F{start // _CODES}"] = self._pdf.make_indirect(font)


def _unicode_map(characters: Sequence[str]) -> bytes:
    """The CMap that tells which characters the codes 1, 2, ... stand for (ISO 32000-1, 9.10.3)."""
    pairs = [f"<{n:02x}> <{char.encode('utf-16-be').hex()}>" for n, char in enumerate(characters, 1)]
    # A block holds at most 100 entries.
    blocks = [pairs[n : n + 100] for n in range(0, len(pairs), 100)]
    body = [f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks]
    head = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /U def\n/CMapType 2 def"
    code_space = "1 begincodespacerange\n<00> <ff>\nendcodespacerange"
    tail = "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend"
    return "\n".join([head, code_space, *body, tail]).encode("ascii")
