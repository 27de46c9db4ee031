"""Everything about the text detector in one go: what ``deidra evaluate detector`` and ``deidra evaluate papers`` do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deidra.app.evaluate.detector_cost import measure_cost
from deidra.app.evaluate.detector_doubt import doubt_figures, noise_figures
from deidra.app.evaluate.detector_figures import suite_figures
from deidra.app.evaluate.detector_papers import paper_figures
from deidra.app.evaluate.detector_pool import pool
from deidra.app.evaluate.detector_real import measure_real
from deidra.app.evaluate.detector_report import detector_page, papers_page
from deidra.app.evaluate.detector_run import MODEL, Run
from deidra.app.synth.scenes.scene import SUITES
from deidra.models.registry import registry
from deidra.models.text_detector import PPOCRDetector
from deidra.models.variational_detector import VariationalDetector

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured.

    Args:
        images: synthetic images of each suite.
        ppocr: how many of them PP-OCR sees as well.
        noise: images with text of each suite that noise is put on.
        cost: whether time and memory are measured.
        annotations: real images, if any, to be found in ``roots``; pictures of them go to ``overlays``.
    """

    images: int
    ppocr: int
    noise: int
    cost: bool = True
    suites: tuple[str, ...] = SUITES
    annotations: Path | None = None
    roots: tuple[Path, ...] = ()
    overlays: Path | None = None


def measure_detector(run: Run, plan: Plan) -> Figures:
    """All figures; what was examined before with the same model, calibration and images is not examined again."""
    result: Figures = {"about": _about(run, plan.images), "suites": {}, "real": None, "cost": None}
    for suite in plan.suites:
        cases = run.cases(suite, plan.images, plan.ppocr)
        columns = pool(cases, run.tuned.least_score)
        figures = suite_figures(cases, columns, run.tuned.least_score)
        figures["doubt"] = doubt_figures(cases, columns, run.tuned)
        figures["noise"] = noise_figures(run.noise(suite, plan.noise), run.tuned) if plan.noise else None
        result["suites"][suite] = figures
    if plan.annotations is not None:
        agents = VariationalDetector(tuned=run.tuned), PPOCRDetector()
        result["real"] = measure_real(plan.annotations, plan.roots, *agents, plan.overlays, run.progress)
    if plan.cost:
        result["cost"] = [asdict(c) for c in measure_cost(progress=run.progress)]
    _write(run.out, result, detector_page(result))
    return result


def measure_papers(run: Run, images: int) -> Figures:
    """The papers' tables on the suite of papers."""
    cases = run.cases("papers", images)
    result = {"about": _about(run, images), **paper_figures(cases, run.tuned.least_score)}
    _write(run.out, result, papers_page(result), "papers")
    return result


def _about(run: Run, images: int) -> Figures:
    entry = registry().get(MODEL)
    return {
        "model": MODEL,
        "model_sha256": entry.sha256 if entry else "",
        "split": run.split,
        "images_of_each_suite": images,
        "seeds": f"0 to {images - 1}",
        "least_score": run.tuned.least_score,
        "paper_threshold": run.tuned.paper_threshold,
        "sure": run.tuned.sure,
    }


def _write(out: Path, result: Figures, page: str, name: str = "result") -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.json").write_text(json.dumps(result, indent=1), "utf-8")
    (out / f"{name}.html").write_text(page, "utf-8")


def summary(result: Figures) -> list[str]:
    """The most important figures as lines for a terminal."""
    lines = []
    for suite, f in result["suites"].items():
        text, paint = f["precision"]["text"], f["redaction"]["detector"]
        lines.append(
            f"{suite}: AP50 {text['map50']:.3f}, AP .50:.95 {text['map']:.3f}; private ink "
            f"covered {paint['phi_ink']:.2%}, private lines covered {paint['phi_covered']:.2%}, "
            f"missed {paint['phi_missed']:.2%}; covered in vain {paint['false_area']:.3%}"
        )
        if f["noise"]:
            lines.append(f"{suite}: slope of doubt over the SNR {f['noise']['slope']:.4f} (negative is good)")
    if result["real"]:
        for agent, own in result["real"]["each_image"].items():
            lines.append(
                f"real images, {agent}: items covered {own['covered']['0.8']:.2%}, private ones "
                f"{own['phi_covered']['0.8']:.2%}"
            )
    lines += [
        f"{c['agent']}, {c['side']} px, {c['threads']} threads: {c['wall_ms']:.0f} ms, {c['peak_mb']:.0f} MB"
        for c in result["cost"] or ()
    ]
    return lines


def papers_summary(result: Figures) -> list[str]:
    """Published and own figures as lines for a terminal."""
    table = result["paper_003"]
    rows: Sequence[tuple[str, Figures]] = [("published (another set)", table["published"]), *table["ours"].items()]
    lines = [f"mAP .50:.95 {r['map']:.3f}, .50 {r['map50']:.3f}, .75 {r['map75']:.3f}: {name}" for name, r in rows]
    types = result["paper_000"]
    best = types["published"]["iou"][0]["values"]
    for label, value in zip(types["labels"], best, strict=True):
        own = types["ours"][label]
        lines.append(f"{label}: IoU {own['iou']:.3f} ({value:.3f} published), AP50 {own['ap50']:.3f}")
    return [*lines, result["note"]]
