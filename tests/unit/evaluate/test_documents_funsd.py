from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from deidra.app.cli import cli
from deidra.app.domain.errors import InputError
from deidra.app.evaluate.documents_funsd import Paired, pairs_found

DATA = Path(os.environ.get("DEIDRA_REAL_FILES", Path(__file__).parents[4] / "shared" / "data"))
FUNSD = DATA / "documents" / "funsd"


def entity(number: int, label: str, text: str, left: int, top: int, *links: int) -> dict[str, object]:
    words = text.split()
    boxes = [[left + 40 * n, top, left + 40 * n + 35, top + 10] for n in range(len(words))]
    return {
        "id": number,
        "label": label,
        "text": text,
        "words": [{"text": word, "box": box} for word, box in zip(words, boxes, strict=True)],
        "linking": [[number, other] for other in links],
    }


@pytest.fixture
def annotations(tmp_path: Path) -> Path:
    entities = [
        entity(0, "question", "Name:", 10, 10, 1),
        entity(1, "answer", "Ada Byron", 70, 10),
        entity(2, "question", "Phone:", 10, 100, 3),
        entity(3, "answer", "555-1234", 300, 300),
        entity(4, "question", "Date:", 10, 400),
        entity(5, "other", "1/2/1970", 70, 400),
    ]
    (tmp_path / "one.json").write_text(json.dumps({"form": entities}), "utf-8")
    return tmp_path


def test_answers_that_get_their_questions_meaning_are_counted(annotations: Path) -> None:
    found = pairs_found(annotations)
    assert found == {"name": Paired(1, 1, 0), "phone": Paired(1, 0, 0), "date": Paired(0, 0, 1)}


def test_the_command_tells_them(annotations: Path) -> None:
    result = CliRunner().invoke(cli, ["evaluate", "pairs", "--funsd", str(annotations)])
    assert result.exit_code == 0, result.output
    assert "name: 1 of 1 answers found, 0 other lines claimed" in result.output


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        pairs_found(tmp_path)
    (tmp_path / "other.json").write_text("[1]", "utf-8")
    with pytest.raises(InputError):
        pairs_found(tmp_path)


@pytest.mark.skipif(not FUNSD.is_dir(), reason=f"FUNSD is not at {FUNSD} (set DEIDRA_REAL_FILES)")
def test_most_answers_on_real_forms_are_found() -> None:
    found = pairs_found(FUNSD)
    answers = sum(one.answers for one in found.values())
    assert answers > 90
    assert sum(one.found for one in found.values()) >= 0.8 * answers
