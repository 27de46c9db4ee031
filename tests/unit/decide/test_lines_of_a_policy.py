from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deidra.app.decide.lines import line_of
from deidra.app.decide.policy import Policy

POLICY = '''\
# [header]
extends = "tcia"

[header]
options = [
    "device", # not "patient"
    "uids",
]

[dates]
mode = "shift"
least_days = 5
most_days = 3

[[header.rules]]
action = "keep"
tag = "(0010,0010)"

[[header.rules]] # the second
action = "replace"
keyword = "StudyID"
value = """
[dates]
mode = "\\"""keep"
"""
  [header.rules.when]
  Modality = "CT"

[[header.rules]]
action = 'remove'
when = { Modality = "MR", "Series Description" = 'a = [{' }
tag = "nonsense"

[redact]
fill = "black"
padding = { share = 0.2, least = [1, [2, 3]] }
'''


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (("extends",), 'extends = "tcia"'),
        (("header",), "[header]"),
        (("header", "options"), "options = ["),
        (("header", "options", 0), '    "device", # not "patient"'),
        (("header", "options", 1), '    "uids",'),
        (("dates",), "[dates]"),
        (("dates", "mode"), 'mode = "shift"'),
        (("dates", "most_days"), "most_days = 3"),
        (("header", "rules"), "[[header.rules]]"),
        (("header", "rules", 0, "tag"), 'tag = "(0010,0010)"'),
        (("header", "rules", 1), "[[header.rules]] # the second"),
        (("header", "rules", 1, "value"), 'value = """'),
        (("header", "rules", 1, "when"), "  [header.rules.when]"),
        (("header", "rules", 1, "when", "Modality"), '  Modality = "CT"'),
        (("header", "rules", 2, "when", "Modality"), 'when = { Modality = "MR", "Series Description" = \'a = [{\' }'),
        (("header", "rules", 2, "tag"), 'tag = "nonsense"'),
        (("redact", "fill"), 'fill = "black"'),
        (("redact", "padding", "least", 1, 0), "padding = { share = 0.2, least = [1, [2, 3]] }"),
    ],
)
def test_a_key_is_found_in_its_line(location: tuple[str | int, ...], text: str) -> None:
    assert tomllib.loads(POLICY)["dates"] == {"mode": "shift", "least_days": 5, "most_days": 3}
    line = line_of(POLICY, location)
    assert line is not None
    assert POLICY.splitlines()[line - 1] == text


@pytest.mark.parametrize(
    ("location", "nearest"),
    [
        (("dates", "modes"), ("dates",)),
        (("dates", "mode", "function-after[x]"), ("dates", "mode")),
        (("header", "rules", 1, "vr"), ("header", "rules", 1)),
        (("header", "rules", 7, "vr"), ("header", "rules")),
        (("header", "options", 9), ("header", "options")),
        (("header", "rules", "1"), ("header", "rules")),
    ],
)
def test_a_key_that_is_not_there_has_the_line_of_what_is_around_it(
    location: tuple[str | int, ...], nearest: tuple[str | int, ...]
) -> None:
    assert line_of(POLICY, location) == line_of(POLICY, nearest) is not None


@pytest.mark.parametrize("location", [(), ("detect",), (0,), ("detect", "types_off", 3)])
def test_what_has_nothing_around_it_has_no_line(location: tuple[str | int, ...]) -> None:
    assert line_of(POLICY, location) is None


def test_the_places_of_a_policys_errors_are_found() -> None:
    text = '[dates]\nleast_days = 9\nmode = "later"\n\n[[header.rules]]\naction = "keep"\n\n[header.more]\na = 1\n'
    with pytest.raises(ValidationError) as caught:
        Policy.model_validate(tomllib.loads(text))
    lines = {error["loc"][-1]: line_of(text, error["loc"]) for error in caught.value.errors()}
    assert lines == {"mode": 3, 0: 5, "more": 8}


@pytest.mark.parametrize(
    ("text", "location", "line"),
    [
        ("a.b.c = 1\na.b.d = 2", ("a", "b", "d"), 2),
        ("a.b.c = 1\na.b.d = 2", ("a", "b"), 1),
        ("[a.b]\nc = 1\n[a]\nd = 2", ("a",), 3),
        ("[a.b]\nc = 1\n", ("a", "x"), 1),
        ("[ a . 'b c' ]\n\"d\\u0041\" = 1", ("a", "b c", "dA"), 2),
        ("[[a]]\n[[a.b]]\n[[a.b]]\nc=1\n[[a]]\n[[a.b]]\nc=2", ("a", 0, "b", 1, "c"), 4),
        ("[[a]]\n[[a.b]]\n[[a.b]]\nc=1\n[[a]]\n[[a.b]]\nc=2", ("a", 1, "b", 0, "c"), 7),
        ("a = '''\nb = 1\n'''\nb = 2", ("b",), 4),
        ('a = """x""""\nb = 2', ("b",), 2),
        ("a = 1979-05-27 07:32:00Z # b\r\nb = 2\r\n", ("b",), 2),
        ("a = [ # x ]\n 1, [\n 2 ],\n {b = 3} ]\nc = 4", ("a", 2, "b"), 4),
        ("a = []\nb = {}\nc = 4", ("c",), 3),
        ("a = 1\nb =\nc = 2", ("a",), 1),
        ("a = 1\nb =\nc = 2", ("c",), None),
        ("", ("a",), None),
    ],
)
def test_forms_of_toml(text: str, location: tuple[str | int, ...], line: int | None) -> None:
    assert line_of(text, location) == line


KEYS = st.text(alphabet="ab.# \"'=[]\\", max_size=4)
LEAVES = st.integers() | st.booleans() | st.text(alphabet="ab\n#[]{}=,\"'\\", max_size=6)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


def written(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",\n # ]\n".join(written(item) for item in value) + "\n]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {written(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def places(value: Any, at: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inside for place in places(item, (*at, key)))]


@settings(deadline=None)
@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=3))
def test_every_place_of_a_file_is_found_in_its_part(tables: list[dict[str, Any]]) -> None:
    lines: list[str] = []
    ranges = []
    for table in tables:
        lines.append("[[t]]")
        for key, value in table.items():
            start = len(lines) + 1
            lines += f"{json.dumps(key)} = {written(value)}".split("\n")
            ranges.append((start, len(lines)))
    spans = iter(ranges)
    for number, table in enumerate(tables):
        for key, value in table.items():
            first, last = next(spans)
            found = [line_of("\n".join(lines), place) for place in places(value, ("t", number, key))]
            assert found[0] == first
            assert all(line is not None and first <= line <= last for line in found)
            assert found == sorted(found, key=lambda line: line or 0)


@given(
    st.text(alphabet="ab=[]{}.,\"'#\n \\1") | st.text(), st.lists(st.sampled_from(["a", "b", "1", 0, 1]), max_size=3)
)
def test_any_text_has_a_line_or_none(text: str, location: list[str | int]) -> None:
    line = line_of(text, tuple(location))
    assert line is None or 1 <= line <= text.count("\n") + 1


def test_deeply_nested_text_is_no_trouble() -> None:
    assert line_of("b = 1\na = " + "[" * 100_000, ("b",)) == 1
