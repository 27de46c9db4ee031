"""Words beside a page's picture that look private are left out of the copy; the picture is judged by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from deidra.app.decide.policy import Policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Asset, AssetKind, FrameText, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import HeaderEngine, Subject
from deidra.app.redact.pdf_writer import PdfWriter
from deidra.app.release.export import FileMaker, Made, Order
from deidra.app.release.pdf_check import text_layer
from deidra.app.release.rescan import Leak

LINE = TextLine(box_polygon(50, 50, 250, 90), "Okonkwo", (), ())


class Scan:
    """Objects to words in the text layer, and, where it is told so, to the picture."""

    def __init__(self, picture: Leak | None = None) -> None:
        self.picture = picture
        self.words: list[list[str]] = []

    def scan(self, data: bytes, kind: AssetKind, _decided: object, _kept: object) -> Leak | None:
        self.words.append([line.text for frame in text_layer(data) for line in frame.lines])
        if self.words[-1]:
            return Leak("the text layer of page 1", EntityType.PATIENT, in_words=True)
        return self.picture


@pytest.fixture
def make(
    tmp_path: Path, engine: HeaderEngine, subject: Subject, asset_of: Callable[..., Asset]
) -> Callable[[Scan, Sequence[FrameText]], Made]:
    writer = PdfWriter()
    writer.add_page(np.full((400, 800, 3), 255, np.uint8), (288, 144), [])
    asset = asset_of(writer.data(), kind=AssetKind.PDF)
    folder = tmp_path / "out"
    folder.mkdir()

    def make(scan: Scan, texts: Sequence[FrameText]) -> Made:
        return FileMaker(folder, engine, Policy(), scan, False).make(Order(asset, [], subject, texts))  # type: ignore[arg-type]

    return make


def test_a_page_whose_words_leak_is_released_without_words(make: Callable[..., Made]) -> None:
    scan = Scan()
    made = make(scan, [FrameText(0, 800, 400, (LINE,))])
    assert scan.words == [["Okonkwo"], []]
    assert made.file is not None
    assert made.provisional is not None
    assert made.file.pixels == "rendered, without words"
    assert [frame.lines for frame in text_layer(made.provisional.read_bytes())] in ([], [()])


def test_a_page_whose_words_are_harmless_keeps_them(make: Callable[..., Made]) -> None:
    scan = Scan()
    made = make(scan, [])
    assert len(scan.words) == 1
    assert made.file is not None
    assert made.file.pixels == "rendered"


def test_what_leaks_in_the_picture_is_held_back_all_the_same(make: Callable[..., Made]) -> None:
    scan = Scan(Leak("the pixels of page 1", EntityType.PATIENT))
    made = make(scan, [FrameText(0, 800, 400, (LINE,))])
    assert len(scan.words) == 2
    assert (made.file, made.provisional) == (None, None)
    assert made.reason == "re-scan: PATIENT found in the pixels of page 1"
