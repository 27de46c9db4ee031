from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydicom.uid import UID

from deidra.app.domain.errors import StoreError
from deidra.app.metadata.keys import KEY_BYTES, ProjectKey

KEY = ProjectKey(bytes(range(32)))
OTHER = ProjectKey(bytes(32))


@given(st.text(max_size=64))
def test_every_new_uid_is_a_valid_uuid_derived_uid(original: str) -> None:
    new = KEY.uid(original)
    assert re.fullmatch(r"2\.25\.[1-9]\d*", new)
    assert len(new) <= 64
    assert UID(new).is_valid
    assert int(new[5:]) < 2**128


@given(st.text(max_size=30), st.text(max_size=30))
def test_different_originals_become_different_uids(first: str, second: str) -> None:
    assert (KEY.uid(first) == KEY.uid(second)) == (first == second)


def test_a_new_uid_is_a_uuid_of_version_8() -> None:
    number = int(KEY.uid("1.2.3")[5:])
    assert (number >> 76) & 0xF == 8
    assert (number >> 62) & 0b11 == 0b10


@given(st.text(min_size=1, max_size=20))
def test_pseudonyms_depend_on_the_key_and_on_their_use(value: str) -> None:
    assert KEY.uid(value) != OTHER.uid(value)
    assert KEY.token("patient", value) != OTHER.token("patient", value)
    assert KEY.token("patient", value) != KEY.token("finding", value)
    assert KEY.token("patient", value) == ProjectKey(bytes(range(32))).token("patient", value)


@given(st.text(max_size=20), st.integers(1, 60))
def test_a_token_holds_capital_letters_and_digits_only(value: str, length: int) -> None:
    token = KEY.token("x", value, length)
    assert re.fullmatch(r"[A-Z2-7]+=*", token)
    assert len(token) == min(length, 56)


@given(st.text(max_size=20), st.integers(1, 4000), st.integers(0, 4000))
def test_the_date_shift_lies_between_its_limits(patient: str, least: int, more: int) -> None:
    days = KEY.shift_days(patient, least, least + more)
    assert -(least + more) <= days <= -least
    assert days == KEY.shift_days(patient, least, least + more)


def test_different_keys_shift_dates_differently() -> None:
    shifts = [(KEY.shift_days(f"P{n}", 30, 3650), OTHER.shift_days(f"P{n}", 30, 3650)) for n in range(20)]
    assert sum(a == b for a, b in shifts) <= 1


def test_a_key_is_made_once_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "project.key"
    made = ProjectKey.load_or_create(path)
    content = path.read_bytes()
    assert len(bytes.fromhex(content.decode())) == KEY_BYTES
    assert ProjectKey.load_or_create(path).uid("1.2") == made.uid("1.2")
    assert path.read_bytes() == content


def test_two_projects_have_different_keys(tmp_path: Path) -> None:
    first, second = (ProjectKey.load_or_create(tmp_path / name) for name in ("a", "b"))
    assert first.uid("1.2") != second.uid("1.2")


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_only_its_owner_may_read_the_key_file(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        ProjectKey.load_or_create(tmp_path / "project.key")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "project.key").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"zz" * 32, b"00" * 31, b"00" * 33, b"\xff\xfe" * 32, b"0" * 63])
def test_a_damaged_key_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "project.key"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged") as caught:
        ProjectKey.load_or_create(path)
    assert "backup" in caught.value.advice
    assert path.read_bytes() == content


def test_a_key_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        ProjectKey.load_or_create(tmp_path / "nowhere" / "project.key")
