from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from deidra.app.cli_measure import synth
from deidra.app.domain.errors import KnownError
from deidra.app.synth.texts.generate import sample, write_samples


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_notes_are_written_one_a_line(tmp_path: Path) -> None:
    out = tmp_path / "notes.jsonl"
    done = CliRunner().invoke(synth, ["notes", "--out", str(out), "--count", "5", "--seed", "3", "--split", "test"])
    assert done.exit_code == 0
    written = rows(out)
    assert [row["id"] for row in written] == [f"test-3-{number}" for number in range(5)]
    made = sample("test", 3, 2, "note")
    assert written[2] == {
        "id": "test-3-2",
        "text": made.text,
        "spans": [{"start": s.start, "end": s.end, "type": s.type.value, "text": s.text} for s in made.spans],
        "source": "note",
        "locale": made.locale,
        "template": made.template,
    }
    values = sum(len(sample("test", 3, number, "note").spans) for number in range(5))
    assert done.stdout == f"5 texts with {values} private values: {out}\n"


def test_fields_cells_and_lines_are_written_in_turn_with_their_keyword_or_label(tmp_path: Path) -> None:
    out = tmp_path / "fields.jsonl"
    done = CliRunner().invoke(synth, ["fields", "--out", str(out), "--count", "60"])
    assert done.exit_code == 0
    written = rows(out)
    assert [row["source"] for row in written[:6]] == ["field", "cell", "line"] * 2
    assert all(("tag" in row) == (row["source"] == "field") for row in written)
    assert {"cell"} == {row["source"] for row in written if "label" in row}


def test_sources_can_be_chosen(tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    done = CliRunner().invoke(synth, ["fields", "--out", str(out), "--count", "4", "--source", "line"])
    assert done.exit_code == 0
    assert [row["source"] for row in rows(out)] == ["line"] * 4


def test_a_file_that_cannot_be_written_is_a_known_error(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match="cannot be written"):
        write_samples(tmp_path / "missing" / "x.jsonl", "train", 0, 1, ["note"])
