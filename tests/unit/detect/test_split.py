"""Identifiers that begin on one line and go on on the next, or in the next cell."""

from __future__ import annotations

import pytest

from deidra.app.detect.documents import page_drafts
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.page import PageRules
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import bounding_box, box_polygon
from deidra.app.domain.model import Evidence, FrameText, Identifier, TextLine
from deidra.app.domain.taxonomy import EntityType

KNOWN = [
    Identifier("p", EntityType.PATIENT, "OKONKWO-SMYTHE^ADAEZE", "(0010,0010)"),
    Identifier("p", EntityType.ID_MRN, "MRN4711-8842", "(0010,0020)"),
    Identifier("p", EntityType.PHONE_HOME, "01632 960 188", "(0010,2154)"),
    Identifier("p", EntityType.LOCATION_HOME_ADDRESS, "17 Quernmore Terrace, Zzyton", "(0010,1040)"),
]


def line(text: str, x: int, y: int, height: int = 14) -> TextLine:
    n = max(1, len(text))
    read = (Evidence("ppocr-rec", text, None, 0.97, 0.0), Evidence("tesseract", text, None, 0.97, 0.0))
    spans = tuple((i / n, (i + 1) / n) for i in range(n))
    return TextLine(box_polygon(x, y, x + 8 * n, y + height), text, spans, read, "printed")


def drafts(*lines: TextLine) -> list[Draft]:
    tagger = EntityTagger(KnownIdentifiers(KNOWN))
    return [d for d in region_drafts(FrameText(0, 640, 480, lines), tagger, True) if d.certain]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("MRN4711-", "8842", EntityType.ID_MRN),
        ("MRN4711", "8842", EntityType.ID_MRN),
        ("MRN47", "118842", EntityType.ID_MRN),
        ("OKONKWO-", "SMYTHE ADAEZE", EntityType.PATIENT),
        ("OKON-", "KWO-SMYTHE", EntityType.PATIENT),
        ("OKONK", "WO-SMYTHE, ADAEZE", EntityType.PATIENT),
        ("01632", "960 188", EntityType.PHONE_HOME),
        ("seen at 17 Quernmore", "Terrace, Zzyton", EntityType.LOCATION_HOME_ADDRESS),
    ],
)
@pytest.mark.parametrize("beside", [False, True])
def test_both_parts_of_a_known_identifier_are_found(first: str, second: str, kind: EntityType, beside: bool) -> None:
    end = 20 + 8 * len(first)
    found = drafts(line(first, 20, 20), line(second, end + 10, 20) if beside else line(second, 20, 38))
    where = {bounding_box(d.polygon)[:2] for d in found if d.polygon and d.type is kind}
    assert len(where) == 2
    said = "".join(d.text for d in found).replace("seen at ", "")
    assert set("OKONKWO4711" if kind is not EntityType.PHONE_HOME else "01632") & set(said)


@pytest.mark.parametrize(
    ("x", "y", "height"),
    [(20, 200, 14), (300, 38, 14), (20, 38, 40)],
    ids=["far below", "below but beside", "much larger"],
)
def test_lines_that_do_not_follow_one_another_are_not_put_together(x: int, y: int, height: int) -> None:
    assert drafts(line("MRN47", 20, 20), line("118842", x, y, height)) == []


def test_one_character_is_no_part() -> None:
    found = drafts(line("series M", 20, 20), line("RN4711-8842", 20, 38))
    assert [d.text for d in found] == ["RN4711-8842"]


@pytest.mark.parametrize(("first", "second"), [("MRN4711-", "8842"), ("MRN47", "118842"), ("OKONK", "WO-SMYTHE")])
def test_the_same_holds_on_pages(first: str, second: str) -> None:
    frame = FrameText(0, 640, 480, (line(first, 20, 20), line(second, 20, 38)))
    found = [d for d in page_drafts(frame, EntityTagger(KnownIdentifiers(KNOWN)), PageRules()) if d.certain]
    assert len({bounding_box(d.polygon)[1] for d in found if d.polygon}) == 2


def test_what_stands_beside_a_part_stays() -> None:
    (one, other) = drafts(line("Accession MRN4711-", 20, 20), line("8842 axial", 20, 38))
    assert (one.text, other.text) == ("MRN4711-", "8842")


def test_a_type_that_is_off_is_not_put_together_either() -> None:
    tagger = EntityTagger(KnownIdentifiers(KNOWN), [EntityType.ID_MRN])
    frame = FrameText(0, 640, 480, (line("MRN47", 20, 20), line("118842", 20, 38)))
    assert [d for d in region_drafts(frame, tagger, True) if d.certain] == []
