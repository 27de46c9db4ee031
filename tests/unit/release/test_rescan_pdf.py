from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pikepdf
import pytest
from locators import Blind
from pdf_files import HIDDEN, made, written
from pikepdf import Dictionary, Name
from reportlab.pdfgen.canvas import Canvas

from deidra.app.decide.policy import Policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import AssetKind, Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.redact.pdf_writer import PdfWriter
from deidra.app.redact.plan import Mark
from deidra.app.redact.text_layer import Word
from deidra.app.release.rescan import Leak, Rescanner

WHITE = np.full((400, 800, 3), 255, np.uint8)
PLACE = box_polygon(50, 50, 250, 90)


@pytest.fixture
def leak_in(identifiers: list[Identifier]) -> Callable[..., Leak | None]:
    rescanner = Rescanner(identifiers, [], Policy(), Blind())

    def scan(data: bytes, decided: Sequence[Mark] = ()) -> Leak | None:
        return rescanner.scan(data, AssetKind.PDF, decided, [])

    return scan


def released(*words: Word) -> bytes:
    writer = PdfWriter()
    writer.add_page(WHITE, (288, 144), words)
    return writer.data()


def changed(change: Callable[[pikepdf.Pdf], None]) -> bytes:
    document = pikepdf.open(io.BytesIO(released()))
    change(document)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def test_what_is_written_for_release_does_not_leak(leak_in: Callable[..., Leak | None]) -> None:
    assert leak_in(released(Word("Chest two views", PLACE))) is None


def test_a_name_in_the_text_layer_leaks_although_nobody_sees_it(leak_in: Callable[..., Leak | None]) -> None:
    leak = leak_in(released(Word("Okonkwo", PLACE)))
    assert leak == Leak("the text layer of page 1", EntityType.PATIENT, in_words=True)


def test_any_character_under_a_box_leaks(leak_in: Callable[..., Leak | None]) -> None:
    leak = leak_in(released(Word("x", PLACE)), [Mark(PLACE, 0)])
    assert leak is not None
    assert leak.where == "the text layer of page 1, under a box"


@pytest.mark.parametrize(("frame", "leaks"), [(0, True), (None, True), (1, False)])
def test_a_box_counts_on_its_page(leak_in: Callable[..., Leak | None], frame: int | None, leaks: bool) -> None:
    assert (leak_in(released(Word("x", PLACE)), [Mark(PLACE, frame)]) is not None) is leaks


def test_a_surrogate_in_its_box_does_not_leak(leak_in: Callable[..., Leak | None]) -> None:
    assert leak_in(released(Word("Okonkwo", PLACE)), [Mark(PLACE, 0, "Okonkwo")]) is None


@pytest.mark.parametrize("way", [*sorted(HIDDEN), "seen"])
def test_a_copy_that_kept_its_text_leaks(leak_in: Callable[..., Leak | None], way: str) -> None:
    def draw(canvas: Canvas) -> None:
        if way == "seen":
            written(canvas, "Okonkwo")
        else:
            HIDDEN[way](canvas, "Okonkwo")

    assert leak_in(made(draw)) is not None


def _attach(document: pikepdf.Pdf) -> None:
    document.attachments["a.txt"] = b"x"


def _describe(document: pikepdf.Pdf) -> None:
    with document.open_metadata() as xmp:
        xmp["dc:title"] = "x"


def _inform(document: pikepdf.Pdf) -> None:
    document.docinfo[Name.Author] = "x"


def _annotate(document: pikepdf.Pdf) -> None:
    document.pages[0].Annots = document.make_indirect([Dictionary(Type=Name.Annot, Subtype=Name.Text)])


def _script(document: pikepdf.Pdf) -> None:
    document.Root.OpenAction = Dictionary(S=Name.JavaScript, JS="x")


def _outline(document: pikepdf.Pdf) -> None:
    with document.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("x", 0))


def _bury(document: pikepdf.Pdf) -> None:
    image = next(iter(document.pages[0].get_images().values()))
    image.Metadata = document.make_stream(b"x")


@pytest.mark.parametrize("change", [_attach, _describe, _inform, _annotate, _script, _outline, _bury])
def test_whatever_is_no_page_has_no_place_in_a_released_pdf(
    leak_in: Callable[..., Leak | None], change: Callable[[pikepdf.Pdf], None]
) -> None:
    leak = leak_in(changed(change))
    assert leak is not None
    assert leak.where.startswith("the structure of the PDF (/")


def test_a_name_in_a_packed_stream_leaks(leak_in: Callable[..., Leak | None]) -> None:
    def bury(document: pikepdf.Pdf) -> None:
        page = document.pages[0]
        page.contents_add(document.make_stream(b"% " + b" " * 500 + b"Okonkwo"))

    data = changed(bury)
    assert b"Okonkwo" not in data
    assert leak_in(data) == Leak("a stream of the PDF", EntityType.PATIENT)


def test_a_name_in_a_string_of_the_file_leaks(leak_in: Callable[..., Leak | None]) -> None:
    def name(document: pikepdf.Pdf) -> None:
        document.pages[0].Resources["/Okay"] = pikepdf.String("Okonkwo")

    assert leak_in(changed(name)) == Leak("a stream of the PDF", EntityType.PATIENT)
