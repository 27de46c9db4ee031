from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deidra.app.decide.policy import DetectSection, Policy
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import AssetKind, Evidence, Identifier, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.app.redact.plan import Mark
from deidra.app.release.rescan import ByteSearch, Rescanner

UID = "1.2.840.99999.1.55"
PEOPLE = [
    Identifier("P", EntityType.PATIENT, "Okonkwo^Adaeze^Q", "s"),
    Identifier("P", EntityType.STAFF, "Hill^Chest", "s"),
    Identifier("P", EntityType.ID_MRN, "MRN-4711X", "s"),
    Identifier("P", EntityType.ID_OTHER, "4711", "s"),
    Identifier("P", EntityType.DATE_BIRTH, "19501211", "s"),
]
SEARCH = ByteSearch(PEOPLE, [UID, "1.2"])


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8", "utf-16-le"])
@pytest.mark.parametrize("text", ["Okonkwo", "OKONKWO", "okonkwo", "oKoNkWo", "Adaeze", "x Okonkwo^A"])
def test_a_name_is_found_in_any_case_and_encoding(text: str, encoding: str) -> None:
    data = b"\1\2 " + text.encode(encoding) + b" \3"
    assert SEARCH.search(data) is EntityType.PATIENT


def test_a_name_with_accents_is_found_as_it_is_written() -> None:
    search = ByteSearch([Identifier("P", EntityType.PATIENT, "Müßigmann", "s")], [])
    for encoding in ("latin-1", "utf-8", "utf-16-le"):
        assert search.search("x Müßigmann y".encode(encoding)) is EntityType.PATIENT


def test_capitals_of_a_name_with_accents_are_found() -> None:
    search = ByteSearch([Identifier("P", EntityType.PATIENT, "Müßigmann", "s")], [])
    # Lower-casing bytes leaves "Ü" as it is; old systems have no capital of "ß".
    for text in ("MÜßIGMANN", "MÜSSIGMANN"):
        assert search.search(f"x {text} y".encode()) is EntityType.PATIENT


def test_a_name_at_the_end_of_a_big_endian_string_is_found() -> None:
    # Text strings of PDF start with a byte order mark and end with a bracket of one byte.
    assert SEARCH.search(b"(\xfe\xff" + "Okonkwo".encode("utf-16-be") + b")") is EntityType.PATIENT


def test_a_name_inside_a_longer_word_of_two_byte_letters_is_another_word() -> None:
    assert SEARCH.search("xOkonkwo".encode("utf-16-le")) is None


@pytest.mark.parametrize("text", ["Okonkwos", "xOkonkwo", "Okonkwo2", "7okonkwo", "MRN-4711XY", "0MRN-4711X"])
def test_a_name_inside_a_longer_word_is_another_word(text: str) -> None:
    assert SEARCH.search(text.encode()) is None


@pytest.mark.parametrize("text", ["Hill-Sachs", "CHEST", "4711", "19501211", "Q", "", "Okonkw"])
def test_common_words_short_codes_and_dates_are_not_searched_for(text: str) -> None:
    assert SEARCH.search(f"a {text} b".encode()) is None


def test_an_id_is_found_in_any_case() -> None:
    assert SEARCH.search(b"id=mrn-4711x;") is EntityType.ID_MRN


@pytest.mark.parametrize(
    ("text", "found"),
    [
        *((UID, True), (f"{UID}\0", True), (f"{UID}1", False), (f"{UID}.3", False)),
        *((f"3.{UID}\0", False), (f"3{UID}\0", False)),
    ],
)
def test_a_uid_is_found_and_longer_uids_that_hold_it_are_not(text: str, found: bool) -> None:
    assert (SEARCH.search(b"UI\x14\0" + text.encode()) is EntityType.OTHERPHI) is found


def test_short_uids_are_not_searched_for() -> None:
    assert SEARCH.search(b"1.2 ") is None


def test_a_search_for_nothing_finds_nothing() -> None:
    assert ByteSearch([], []).search(b"Okonkwo") is None


@given(st.binary(max_size=100), st.binary(max_size=100), st.sampled_from(["latin-1", "utf-8"]))
def test_a_name_is_found_wherever_it_stands_alone(before: bytes, after: bytes, encoding: str) -> None:
    assert SEARCH.search(before + b"^" + "Okonkwo".encode(encoding) + b"^" + after) is not None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("COOPER LIGAMENTS seen", False),
        ("Cooper ligaments, coil", False),
        ("Cooper", True),
        ("seen by Cooper today", True),
        ("Dr. Cooper ligaments", True),
        ("COOPER^SUSAN", True),
    ],
)
def test_a_name_that_is_part_of_a_term_is_no_leak(text: str, found: bool) -> None:
    cooper = ByteSearch([Identifier("P", EntityType.STAFF, "Cooper^Susan", "s")], [])
    assert (cooper.search(b"\x08\0\x30\x10LO\x12\0" + text.encode() + b"\x08\0") is not None) is found


class Blind:
    """A locator that sees the lines it is given, on every picture."""

    def __init__(self, lines: Sequence[TextLine] = ()) -> None:
        self._lines = list(lines)

    def lines(self, pictures: Sequence[object]) -> list[TextLine]:
        return self._lines

    def page_lines(self, picture: object) -> list[TextLine]:
        return self._lines


@pytest.fixture
def rescanner(identifiers: list[Identifier]) -> Rescanner:
    return Rescanner(identifiers, ["1.2.3.4.5678901"], Policy(), Blind())


def test_an_original_file_leaks(rescanner: Rescanner, report_file: Callable[..., bytes]) -> None:
    leak = rescanner.scan(report_file(), AssetKind.DICOM, [], [])
    assert leak is not None
    assert leak.where == "the bytes of the file"


def test_a_clean_file_does_not_leak(rescanner: Rescanner, report_file: Callable[..., bytes]) -> None:
    clean = report_file(PatientName="P1", PatientID="P1", SOPInstanceUID="2.25.1", StudyInstanceUID="2.25.2")
    assert rescanner.scan(clean, AssetKind.DICOM, [], []) is None


def test_an_original_uid_leaks(rescanner: Rescanner, report_file: Callable[..., bytes]) -> None:
    leak = rescanner.scan(report_file(PatientName="P1", PatientID="P1"), AssetKind.DICOM, [], [])
    assert leak is not None
    assert leak.type is EntityType.OTHERPHI


def test_what_bytes_do_not_tell_is_found_in_the_header(rescanner: Rescanner, report_file: Callable[..., bytes]) -> None:
    values = {"PatientName": "P1", "PatientID": "P1", "SOPInstanceUID": "2.25.1"}
    leak = rescanner.scan(report_file(StudyDescription="MRN 47-11X: MRN47-11X", **values), AssetKind.DICOM, [], [])
    assert leak is not None
    assert leak.where == "header element (0008,1030)"
    assert "47" not in leak.where


def test_a_value_that_a_curator_kept_is_no_leak(rescanner: Rescanner, report_file: Callable[..., bytes]) -> None:
    values = {"PatientName": "P1", "PatientID": "P1", "SOPInstanceUID": "2.25.1"}
    data = report_file(StudyDescription="CT Okonkwo", **values)
    assert rescanner.scan(data, AssetKind.DICOM, [], ["CT Okonkwo"]) is None
    assert rescanner.scan(data, AssetKind.DICOM, [], []) is not None


def test_a_file_that_cannot_be_read_back_is_a_leak_of_unknown_kind(rescanner: Rescanner) -> None:
    for kind, data in ((AssetKind.DICOM, b""), (AssetKind.PDF, b"%PDF-"), (AssetKind.IMAGE, b"nothing useful")):
        leak = rescanner.scan(data, kind, [], [])
        assert leak is not None
        assert leak.type is EntityType.UNREAD


@pytest.fixture
def white_png() -> bytes:
    stream = io.BytesIO()
    Image.new("L", (200, 100), 255).save(stream, "PNG")
    return stream.getvalue()


LINE = TextLine(
    box_polygon(10, 10, 90, 30), "OKONKWO", ((0.0, 1.0),), (Evidence("ppocr-rec", "OKONKWO", None, 0.99, 0.0),)
)


@pytest.mark.parametrize(
    ("covered", "leaks"),
    [
        ([], True),
        ([Mark(box_polygon(10, 10, 90, 30), 0)], False),
        ([Mark(box_polygon(10, 10, 90, 30), None)], False),
        ([Mark(box_polygon(80, 20, 120, 60), 0)], False),
        ([Mark(box_polygon(0, 50, 9, 60), 0)], True),
        ([Mark(box_polygon(10, 10, 90, 30), 1)], True),
    ],
)
def test_text_that_is_still_to_be_seen_leaks_unless_it_was_decided_on(
    identifiers: list[Identifier], white_png: bytes, covered: list[object], leaks: bool
) -> None:
    seeing = Rescanner(identifiers, [], Policy(), Blind([LINE]))
    leak = seeing.scan(white_png, AssetKind.IMAGE, covered, [])
    assert (leak is not None) is leaks
    if leak:
        assert (leak.where, leak.type) == ("the pixels of page 1", EntityType.PATIENT)


@pytest.mark.parametrize("agents", [(), ("deidra-det",), ("ppocr-det",)])
def test_what_a_rule_reads_leaks_also_where_one_detector_alone_sees_it(
    identifiers: list[Identifier], white_png: bytes, agents: tuple[str, ...]
) -> None:
    # The run would ask; after it, nobody is asked any more.
    located = [Evidence(agent, None, None, 0.1, 0.2) for agent in agents]
    read = [Evidence(agent, "MRN: A4711", None, 0.99, 0.0) for agent in ("ppocr-rec", "tesseract")]
    spans = tuple((n / 10, (n + 1) / 10) for n in range(10))
    line = TextLine(box_polygon(10, 10, 90, 30), "MRN: A4711", spans, (*located, *read))
    leak = Rescanner(identifiers, [], Policy(), Blind([line])).scan(white_png, AssetKind.IMAGE, [], [])
    assert leak is not None
    assert leak.type is EntityType.ID_MRN


def test_types_that_the_policy_does_not_count_are_no_leaks(identifiers: list[Identifier], white_png: bytes) -> None:
    policy = Policy(detect=DetectSection(types_off=(EntityType.PATIENT,)))
    assert Rescanner(identifiers, [], policy, Blind([LINE])).scan(white_png, AssetKind.IMAGE, [], []) is None


@pytest.mark.parametrize("kept", [["CT Okonkwo"], ["Okonkwo"], ["OKONKWO"]])
def test_a_kept_text_spares_only_the_identifiers_inside_it(kept: list[str]) -> None:
    assert SEARCH.search(b"x CT Okonkwo y", kept) is None
    assert SEARCH.search(b"x CT Okonkwo y MRN-4711X", kept) is EntityType.ID_MRN
    assert SEARCH.search(b"x Adaeze y", kept) is EntityType.PATIENT
    assert SEARCH.search(b"x Okonkwo " + UID.encode() + b" ", kept) is EntityType.OTHERPHI


def test_a_kept_text_without_identifiers_switches_nothing_off() -> None:
    for kept in (["CT"], ["Okonk"], ["x"], ["nothing of interest"]):
        assert SEARCH.search(b"x CT Okonkwo y", kept) is EntityType.PATIENT


def test_a_decision_to_keep_does_not_switch_the_search_of_the_file_off(
    rescanner: Rescanner, report_file: Callable[..., bytes]
) -> None:
    values = {"PatientName": "P1", "PatientID": "P1", "SOPInstanceUID": "2.25.1"}
    data = report_file(StudyDescription="CT Okonkwo", SeriesDescription="for MRN4711X", **values)
    leak = rescanner.scan(data, AssetKind.DICOM, [], ["CT Okonkwo"])
    assert leak is not None
    assert leak.type is EntityType.ID_MRN
    assert rescanner.scan(data, AssetKind.DICOM, [], ["", "CT Okonkwo"]) is not None


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        *(("欧阳^小明华", e) for e in ("gb18030", "utf-8", "utf-16-le", "utf-16-be")),
        *(("王^小明", e) for e in ("utf-8",)),
        *(("김^희중", e) for e in ("utf-8",)),
        *(("남궁^희중수", e) for e in ("euc-kr", "utf-8")),
        *(("ヤマダ^タロウ", e) for e in ("shift_jis", "euc-jp", "utf-8", "gb18030")),
        ("陳^大文明", "big5"),
        *(("Иванов^Пётр", e) for e in ("iso8859-5", "cp1251", "utf-8")),
        *(("Διονυσιος^Α", e) for e in ("iso8859-7", "cp1253")),
    ],
)
def test_a_name_is_found_in_the_encoding_of_its_script(name: str, encoding: str) -> None:
    search = ByteSearch([Identifier("P", EntityType.PATIENT, name, "s")], [])
    longest = max(name.split("^"), key=len)
    assert search.search(b"\0 " + longest.encode(encoding) + b" \0") is EntityType.PATIENT
    assert search.search(b"\0 " + "xyzxyz".encode(encoding) + b" \0") is None


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8"])
def test_a_name_without_blanks_around_it_is_found_in_scripts_without_blanks(encoding: str) -> None:
    search = ByteSearch([Identifier("P", EntityType.PATIENT, "王^小明华", "s")], [])
    assert search.search("患者王小明华的检查".encode(encoding)) is EntityType.PATIENT
