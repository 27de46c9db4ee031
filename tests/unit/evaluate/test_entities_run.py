"""``deidra evaluate entities``: sets, look-alikes and cost in one report; held-out look-alikes are never shown."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from deidra.app.cli_measure import evaluate
from deidra.app.decide.policy import Policy
from deidra.app.decide.texts import TextJudge
from deidra.app.domain.model import Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.entities import Plan, compared, measure_entities
from deidra.app.evaluate.entity_cost import measure_cost, varied
from deidra.app.evaluate.entity_figures import TOKEN
from deidra.app.evaluate.entity_sets import OWN, Mark, labels_of
from deidra.app.evaluate.lookalikes import LookAlike, look_alikes, measure_look_alikes

LINES = [
    {
        "id": 1,
        "text": "MRN: A-4711",
        "source": "notes",
        "spans": [{"start": 5, "end": 11, "type": "ID.mrn", "text": "A-4711"}],
    },
    {"id": 2, "text": "QUILL^ADA", "tag": "PatientName", "source": "fields", "spans": [[0, 9, "PATIENT"]]},
    {"id": 3, "text": "A-4712", "label": "Patient ID", "source": "cells", "spans": [[0, 6, "ID.mrn"]]},
    {"id": 4, "text": "AXIAL T2", "source": "ocr", "spans": []},
]
OTHERS = {"id": 1, "text": "jo@mail.example.org, F", "spans": [[0, 19, "EMAIL"]]}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)))
    return path


def test_sets_are_measured_by_type_and_source_and_the_report_is_written(tmp_path: Path, own: Path) -> None:
    others = tmp_path / "sentences.jsonl"
    others.write_text(json.dumps(OTHERS))
    out = tmp_path / "new" / "out"
    options = ["--out", str(out), "--set", str(own), "--presidio", str(others), "--no-cost", "--json"]
    result = CliRunner().invoke(evaluate, ["entities", *options])
    assert result.exit_code == 0, result.output
    figures = json.loads((out / "entities.json").read_text("utf-8"))
    assert json.loads(result.stdout) == figures
    mine = figures["sets"]["own"]
    assert mine["overall"]["exact"] == {"precision": 1.0, "recall": 1.0, "f": 1.0}
    assert set(mine["types"]) == {"ID.mrn", "PATIENT"}
    assert set(mine["sources"]) == {"cells", "fields", "notes", "ocr"}
    assert mine["labels"] is None
    theirs = figures["sets"]["presidio (sentences)"]
    assert theirs["overall"]["tokens"]["f"] == 1.0
    assert theirs["labels"]["ours"]["DEMOG"] == ""
    page = (out / "entities.html").read_text("utf-8")
    assert "Labels: presidio" in page
    assert "not compared" in page


def test_spans_below_the_policy_do_not_count_and_doubtful_ones_are_told() -> None:
    judge = TextJudge(Policy.model_validate({"thresholds": {"queue_score": 0.7}, "detect": {"network": False}}))
    spans = judge.spans("Okonkwo, MRN 4711471, Ada Okonkwo")
    assert {span.verdict for span in spans} == {Verdict.IGNORE, Verdict.AUTO, Verdict.QUEUE}
    assert compared(spans, OWN) == (
        Mark(13, 20, "ID.mrn", 0.97, asked=False),
        Mark(22, 33, "PATIENT", 0.85, asked=True),
    )


def test_types_that_others_do_not_label_are_not_compared() -> None:
    spans = TextJudge(Policy()).spans("Sex: male")
    assert [span.type for span in spans] == [EntityType.DEMOG]
    assert compared(spans, labels_of("presidio")) == ()


def test_there_are_many_look_alikes_and_none_twice() -> None:
    texts = look_alikes()
    assert len({one.text for one in texts}) == len(texts) >= 400
    assert len({one.group for one in texts}) >= 12
    held = sum(one.held_out for one in texts) / len(texts)
    assert 0.4 < held < 0.6


def test_look_alikes_are_split_by_their_hash() -> None:
    one = LookAlike("PI-RADS 2", "scores")
    assert one.held_out is (hashlib.sha256(b"PI-RADS 2").digest()[0] % 2 == 1)


def test_flagged_and_asked_look_alikes_are_counted_and_those_held_out_are_not_shown() -> None:
    names = [f"MRN: A-{n}" for n in range(1000, 1040)]
    texts = [LookAlike(name, "numbers", "ImageComments") for name in names] + [LookAlike("Okonkwo", "names")]
    figures = measure_look_alikes(
        TextJudge(Policy.model_validate({"detect": {"network": False}})), [*texts, LookAlike("AXIAL T2", "sequences")]
    )
    assert figures["all"]["texts"] == 42
    assert figures["all"]["plain_flagged"] == figures["all"]["header_flagged"] == round(40 / 42, 4)
    assert figures["all"]["plain_asked"] == round(1 / 42, 4)
    shown = {row["text"] for row in figures["open"]}
    assert shown == {one.text for one in texts if not one.held_out}


def test_fewer_than_three_of_a_hundred_look_alikes_are_flagged_in_either_half() -> None:
    figures = measure_look_alikes(TextJudge(Policy()), look_alikes())
    assert max(row["plain_flagged"] for row in figures["halves"].values()) <= 0.03
    assert max(row["header_flagged"] for row in figures["halves"].values()) <= 0.03
    assert max(row["image_flagged"] for row in figures["halves"].values()) <= 0.03


def test_the_texts_whose_cost_is_measured_have_16_and_64_words_and_differ() -> None:
    from deidra.app.evaluate import entity_cost

    for pattern, words in ((entity_cost._FIELD, 16), (entity_cost._LINE, 64)):
        texts = varied(pattern, 50)
        assert len(set(texts)) == 50
        assert {len(TOKEN.findall(text)) for text in texts} == {words}


def test_a_text_that_was_seen_costs_next_to_nothing() -> None:
    cost = measure_cost(TextJudge(Policy()), texts=20)
    assert cost["line_64_again_ms"] < cost["line_64_ms"] / 5
    assert cost["fields_a_cpu_second"] == pytest.approx(1000 / cost["field_16_ms"], rel=0.01)


def test_without_anything_to_measure_the_report_is_empty(tmp_path: Path) -> None:
    result = measure_entities(Plan(tmp_path, Policy(), cost=False))
    assert result["sets"] == {}
    assert (result["look_alikes"], result["cost"]) == (None, None)
