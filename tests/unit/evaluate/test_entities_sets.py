"""Labelled sets are read as they are, wrong lines are named, and every label is mapped or said to be left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deidra.app.domain.errors import KnownError
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.entity_sets import Example, Mark, labels_of, read_examples


def written(folder: Path, *lines: object) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n\n", "utf-8")
    return path


def test_spans_may_be_objects_or_lists_and_come_in_order(tmp_path: Path) -> None:
    spans = [{"start": 10, "end": 14, "type": "ID.mrn", "text": "4711"}, [0, 5, "PATIENT"]]
    entry = {
        "id": 1,
        "text": "Quill MRN 4711",
        "tag": "ImageComments",
        "label": "x",
        "source": "fields",
        "spans": spans,
    }
    assert read_examples(written(tmp_path, entry)) == [
        Example("Quill MRN 4711", (Mark(0, 5, "PATIENT"), Mark(10, 14, "ID.mrn")), "ImageComments", "x", "fields")
    ]


def test_lines_end_at_line_feeds_alone(tmp_path: Path) -> None:
    text = "a\u2028b\x85c"
    assert [one.text for one in read_examples(written(tmp_path, {"id": 1, "text": text, "spans": []}))] == [text]


@pytest.mark.parametrize(
    "spans",
    [[[0, 6, "PATIENT"]], [[3, 3, "PATIENT"]], [[-1, 3, "PATIENT"]], [[0, 3, "NOTHING"]], [[0, 3]], [5], None],
)
def test_a_wrong_line_is_named(tmp_path: Path, spans: object) -> None:
    good = {"id": 1, "text": "Quill", "spans": []}
    with pytest.raises(KnownError, match=r"Line 2 of set\.jsonl") as caught:
        read_examples(written(tmp_path, good, {"id": 2, "text": "Quill", "spans": spans}))
    assert "Quill" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match=r"none\.jsonl"):
        read_examples(tmp_path / "none.jsonl")


@pytest.mark.parametrize("name", ["presidio", "meddocan"])
def test_every_type_of_ours_is_compared_as_one_of_theirs_or_left_out(name: str) -> None:
    labels = labels_of(name)
    assert set(labels.ours) == {kind.value for kind in EntityType}
    assert set(labels.ours.values()) <= {*labels.theirs.values(), ""}
    assert set(labels.theirs.values()) - {""} <= set(labels.ours.values())
    assert labels.about


def test_what_is_not_private_for_us_is_left_out(tmp_path: Path) -> None:
    entry = {"id": 1, "text": "Mr Quill", "spans": [[0, 2, "TITLE"], [3, 8, "PERSON"]]}
    [example] = read_examples(written(tmp_path, entry), labels_of("presidio"))
    assert example.marks == (Mark(3, 8, "PATIENT"),)
