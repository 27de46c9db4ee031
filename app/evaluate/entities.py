"""What the entity tagger is worth: on labelled texts of our own and of others, on look-alikes, and what it costs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidra.app.decide.policy import Policy
from deidra.app.decide.texts import JudgedSpan, TextJudge
from deidra.app.domain.model import Verdict
from deidra.app.evaluate.entity_cost import measure_cost
from deidra.app.evaluate.entity_figures import (
    Case,
    by_label,
    by_source,
    calibration_figures,
    overall,
    review_curve,
)
from deidra.app.evaluate.entity_report import entities_page
from deidra.app.evaluate.entity_sets import OWN, Example, Labels, Mark, labels_of, read_examples
from deidra.app.evaluate.lookalikes import look_alikes, measure_look_alikes
from deidra.app.progress import Meter, ProgressSink

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Args:
        out: folder for the result.
        policy: the policy in force.
        sets: files of texts labelled with our types.
        others: files of others' texts, by the name of their labels ("presidio", "meddocan").
        look_alikes: measure texts that only look private.
        cost: measure CPU time.
    """

    out: Path
    policy: Policy
    sets: Sequence[Path] = ()
    others: dict[str, Path] = field(default_factory=dict)
    look_alikes: bool = False
    cost: bool = True


def measure_entities(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures; written to ``entities.json`` and ``entities.html`` in the plan's folder.

    Raises:
        KnownError: a set cannot be read.
    """
    read = {path.stem: (read_examples(path), OWN) for path in plan.sets}
    for name, path in plan.others.items():
        labels = labels_of(name)
        read[f"{name} ({path.stem})"] = (read_examples(path, labels), labels)
    judge = TextJudge(plan.policy)
    meter = Meter("texts", sum(len(examples) for examples, _ in read.values()), progress, None)
    sets = {name: _measure(judge, examples, labels, plan, meter) for name, (examples, labels) in read.items()}
    result: Figures = {
        "about": {
            "policy": plan.policy.name,
            "applied without asking from score": plan.policy.thresholds.auto_score,
            "asked about from score": plan.policy.thresholds.queue_score,
            "types off": ", ".join(sorted(plan.policy.types_off)),
        },
        "sets": sets,
        "look_alikes": measure_look_alikes(judge, look_alikes()) if plan.look_alikes else None,
        "cost": measure_cost(judge) if plan.cost else None,
    }
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "entities.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (plan.out / "entities.html").write_text(entities_page(result), "utf-8")
    return result


def _measure(judge: TextJudge, examples: Sequence[Example], labels: Labels, plan: Plan, meter: Meter) -> Figures:
    cases = []
    start = time.process_time()
    for example in examples:
        spans = judge.spans(example.text, tag=example.tag, label=example.label)
        cases.append(Case(example, compared(spans, labels)))
        meter.step()
    seconds = time.process_time() - start
    limits = plan.policy.thresholds
    doubtful = any(mark.variance is not None for case in cases for mark in case.found)
    with_variance = review_curve(cases, limits.auto_score, limits.auto_variance) if doubtful else None
    return {
        "overall": overall(cases),
        "without_asking": overall([_alone(case) for case in cases]),
        "types": by_label(cases),
        "sources": by_source(cases) if any(example.source for example in examples) else {},
        "calibration": calibration_figures(cases),
        "review": {"scores": review_curve(cases, limits.auto_score), "scores and variance": with_variance},
        "cpu_seconds": round(seconds, 2),
        "labels": None if labels is OWN else {"about": labels.about, "theirs": labels.theirs, "ours": labels.ours},
    }


def _alone(case: Case) -> Case:
    """The case with what is applied without asking alone."""
    return Case(case.example, tuple(mark for mark in case.found if not mark.asked))


def compared(spans: Sequence[JudgedSpan], labels: Labels) -> tuple[Mark, ...]:
    """What was found and counts under the policy, in labels that can be compared."""
    return tuple(
        Mark(span.start, span.end, label, span.score, span.verdict is Verdict.QUEUE, span.variance)
        for span in spans
        if span.verdict is not Verdict.IGNORE and (label := labels.ours[span.type.value])
    )


def summary(result: Figures) -> list[str]:
    """The most important figures as lines for a terminal."""
    lines = []
    for name, figures in result["sets"].items():
        for way, words in (("overall", "all findings"), ("without_asking", "without asking")):
            row = figures[way]
            lines.append(
                f"{name}, {words}: exact F {row['exact']['f']}, overlap recall {row['overlap_recall']}, "
                f"token F {row['tokens']['f']} ({row['texts']} texts, {row['spans']} spans)"
            )
        lines.append(f"{name}: calibration error {figures['calibration']['ece']}")
    if result["look_alikes"]:
        for half, row in {**result["look_alikes"]["halves"], "all": result["look_alikes"]["all"]}.items():
            lines.append(
                f"look-alikes, {half}: {row['plain_flagged']} flagged, {row['plain_asked']} asked about, "
                f"of {row['texts']} texts"
            )
    if result["cost"]:
        cost = result["cost"]
        lines.append(
            f"16 words {cost['field_16_ms']} ms, 64 words {cost['line_64_ms']} ms; again "
            f"{cost['field_16_again_ms']} and {cost['line_64_again_ms']} ms; "
            f"{cost['fields_a_cpu_second']} distinct fields a CPU second"
        )
    return lines
