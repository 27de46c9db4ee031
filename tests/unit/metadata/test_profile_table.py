from __future__ import annotations

import re
from collections import Counter
from importlib import resources

import pytest
from pydicom.datadict import dictionary_has_tag, dictionary_VR
from pydicom.tag import Tag

from deidra.app.metadata.profile import EDITION, METHOD_CODES, Code, Option, Profile

BASIC = Profile(frozenset())


def table() -> list[list[str]]:
    text = (resources.files("deidra.app.metadata") / "data" / "ps315_2026d.tsv").read_text("utf-8")
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


def test_the_table_is_of_the_edition_that_is_written_into_headers() -> None:
    text = (resources.files("deidra.app.metadata") / "data" / "ps315_2026d.tsv").read_text("utf-8")
    assert EDITION in text.splitlines()[0]
    assert EDITION.removeprefix("PS3.15 ") == "2026d"


def test_the_table_has_the_counts_of_its_edition() -> None:
    assert Counter(row[2] for row in table()) == {
        **{"X": 417, "D": 93, "U": 55, "Z": 42, "X/D": 23, "X/Z": 11, "X/Z/D": 8, "Z/D": 6, "X/Z/U*": 2},
    }


def test_every_row_of_the_table_can_be_used() -> None:
    tags = [row[0] for row in table()]
    assert len(set(tags)) == len(tags)
    for tag, name, basic, options in table():
        assert re.fullmatch(r"[0-9A-F]{8}|50xxxxxx|60xx[34]000|PRIVATE", tag), tag
        assert name
        assert re.fullmatch(r"[XZDU]|X/Z|X/D|Z/D|X/Z/D|X/Z/U\*", basic), tag
        for pair in options.split():
            option, code = pair.split("=")
            assert Option(option)
            assert Code(code) in (Code.KEEP, Code.CLEAN)


def test_no_row_keeps_an_attribute_in_the_basic_profile() -> None:
    for row in table():
        if re.fullmatch(r"[0-9A-F]{8}", row[0]):
            code = BASIC.code(Tag(int(row[0], 16)))
            assert code in (Code.REMOVE, Code.EMPTY, Code.DUMMY, Code.UID), row


def test_compound_codes_take_the_alternative_that_is_valid_for_every_attribute_type() -> None:
    last = {"X/Z": Code.EMPTY, "X/D": Code.DUMMY, "Z/D": Code.DUMMY, "X/Z/D": Code.DUMMY, "X/Z/U*": Code.UID}
    for tag, _, basic, _ in table():
        if basic in last and tag != "00081110":
            assert BASIC.code(Tag(int(tag, 16))) is last[basic], tag


def test_an_optional_sequence_that_needs_items_is_removed_and_not_emptied() -> None:
    assert BASIC.code(Tag(0x0008, 0x1110)) is Code.REMOVE


def test_uids_of_the_table_are_uids_in_the_dictionary() -> None:
    for tag, name, basic, _ in table():
        if basic == "U" and dictionary_has_tag(int(tag, 16)):
            assert dictionary_VR(int(tag, 16)) == "UI", name


@pytest.mark.parametrize(
    ("keyword_tag", "options", "code"),
    [
        (0x00100010, [], Code.EMPTY),
        (0x00100020, [], Code.DUMMY),
        (0x00100030, [], Code.EMPTY),
        (0x00080050, [], Code.EMPTY),
        (0x00080020, [], Code.EMPTY),
        (0x00080020, [Option.MODIFIED_DATES], Code.CLEAN),
        (0x00080020, [Option.FULL_DATES], Code.KEEP),
        (0x00080020, [Option.FULL_DATES, Option.MODIFIED_DATES], Code.KEEP),
        (0x0008103E, [], Code.REMOVE),
        (0x0008103E, [Option.DESCRIPTORS], Code.CLEAN),
        (0x0008103E, [Option.MODIFIED_DATES, Option.PATIENT], Code.REMOVE),
        (0x00101010, [], Code.REMOVE),
        (0x00101010, [Option.PATIENT], Code.KEEP),
        (0x00081010, [], Code.DUMMY),
        (0x00081010, [Option.DEVICE], Code.KEEP),
        (0x00080080, [Option.INSTITUTION], Code.KEEP),
        (0x00080018, [], Code.UID),
        (0x00080018, [Option.UIDS], Code.KEEP),
        (0x0040A730, [], Code.DUMMY),
        (0x0040A730, [Option.STRUCTURED_CONTENT], Code.CLEAN),
        (0x04000561, [], Code.REMOVE),
        (0xFFFAFFFA, [], Code.REMOVE),
        (0x00280010, [], Code.ABSENT),
        (0x60003000, [], Code.REMOVE),
        (0x601E3000, [], Code.REMOVE),
        (0x60024000, [], Code.REMOVE),
        (0x60000010, [], Code.REMOVE),
        (0x60FF3000, [], Code.REMOVE),
        (0x50003000, [], Code.REMOVE),
        (0x50FE0005, [], Code.REMOVE),
    ],
)
def test_attributes_get_the_action_of_the_standard(keyword_tag: int, options: list[Option], code: Code) -> None:
    assert Profile(frozenset(options)).code(Tag(keyword_tag)) is code


def test_safe_private_attributes_stay_only_under_their_creator_and_option() -> None:
    profile = Profile(frozenset({Option.PRIVATE}))
    tag = Tag(0x0019, 0x100C)
    assert profile.private_code("SIEMENS MR HEADER", tag) == (Code.KEEP, "")
    assert profile.private_code(" SIEMENS MR  HEADER ", tag) == (Code.KEEP, "")
    assert profile.private_code("SIEMENS MR HEADER", Tag(0x0019, 0x110C)) == (Code.KEEP, "")
    assert profile.private_code("SIEMENS MR HEADER", Tag(0x0019, 0x1099)) is None
    assert profile.private_code("SIEMENS MR HEADER", Tag(0x0023, 0x100C)) is None
    assert profile.private_code("ACME", tag) is None
    assert profile.private_code("", tag) is None
    assert BASIC.private_code("SIEMENS MR HEADER", tag) is None


def test_private_uids_and_dates_that_are_known_get_new_values() -> None:
    profile = Profile(frozenset({Option.PRIVATE}))
    assert profile.private_code("GEMS_SENO_02", Tag(0x0045, 0x1050)) == (Code.UID, "UI")
    assert profile.private_code("GEMS_PETD_01", Tag(0x0009, 0x100D)) == (Code.CLEAN, "DT")


def test_the_method_codes_are_those_of_the_options_in_force() -> None:
    profile = Profile(frozenset({Option.MODIFIED_DATES, Option.DESCRIPTORS}))
    assert [code for code, _ in profile.method_codes(pixels_cleaned=True)] == ["113100", "113101", "113105", "113107"]
    assert [code for code, _ in profile.method_codes(pixels_cleaned=False)] == ["113100", "113105", "113107"]
    assert BASIC.method_codes(pixels_cleaned=False) == [("113100", "Basic Application Confidentiality Profile")]


def test_every_option_has_its_own_method_code() -> None:
    assert set(METHOD_CODES) == {"basic", "pixels", *Option}
    codes = [code for code, _ in METHOD_CODES.values()]
    assert len(set(codes)) == len(codes)
    # PS3.16 CID 7050 counts from 113100; 113102 is the recognisable visual features option.
    assert sorted(codes) == [str(n) for n in range(113100, 113113) if n != 113102]
