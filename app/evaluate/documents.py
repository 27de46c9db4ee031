"""Filled documents from end to end: what of their private values is covered or asked about, and what else is covered.

Pages are of the split "test": their wordings, layouts, names and fonts occur nowhere else in the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from deidra.app.decide.policy import Policy
from deidra.app.evaluate.pixels_peer import NAME, PeerRun, run_peer
from deidra.app.evaluate.pixels_product import Done, Mask, run_product
from deidra.app.progress import Meter, ProgressSink
from deidra.app.synth.filled.files import write_filled
from deidra.app.synth.filled.pages import HARMLESS, Page, Placed

Figures = dict[str, Any]
COVERED = 0.8
"""Share of the area of a value from which on it counts as covered."""
WRONGLY = 0.5
"""The same of text that may stay."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: ``pages`` of ``seed``, worn at level ``noise`` (0 to 2) under ``policy``, in folder ``out``.

    ``peers`` is a Python that has Presidio installed, if it is to be measured as well.
    """

    out: Path
    policy: Policy
    pages: int = 40
    noise: int = 1
    seed: int = 0
    peers: Path | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A value, or a harmless text, of one page: the shares of its area covered without asking (``auto``) and with every
    proposal accepted (``accepted``), and that area in pixels."""

    page: str
    document: str
    text: Placed
    auto: float
    accepted: float
    area: float


def measure_documents(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures; written to ``documents.json`` in the plan's folder, the pages below it."""
    made = write_filled(plan.out / "pages", plan.pages, "test", plan.noise, plan.seed)
    meter = Meter("pages", len(made), progress, None)
    done = []
    for one in run_product([path for path, _ in made], plan.policy):
        done.append(one)
        meter.step()
    about = {"policy": plan.policy.name, "seed": plan.seed, "noise": plan.noise}
    fonts = sorted({page.font for _, page in made})
    named = [(path.name, page) for path, page in made]
    result = {"about": about | {"fonts": fonts}} | figures(named, done)
    if plan.peers:
        result["peer"] = _peer(named, run_peer(plan.peers, [path for path, _ in made], "page"))
    (plan.out / "documents.json").write_text(json.dumps(result, indent=1), "utf-8")
    return result


def figures(pages: Sequence[tuple[str, Page]], done: Sequence[Done]) -> Figures:
    """The figures of pages with their names, and what the product did to them. Refused pages count as not covered."""
    by_page = [judged(name, page, one) for (name, page), one in zip(pages, done, strict=True)]
    every = [row for rows in by_page for row in rows]
    private = [row for row in every if row.text.private and not row.text.neutral]
    negative = [row for row in every if not row.text.private and not row.text.neutral and row.text.kind != HARMLESS]
    harmless = [row for row in every if row.text.kind == HARMLESS]
    return {
        "pages": len(pages),
        "refused": {name: one.refused for (name, _), one in zip(pages, done, strict=True) if one.refused},
        "overall": _recall(private),
        "types": {kind: _recall(row for row in private if row.text.kind == kind) for kind in _kinds(private)},
        "documents": {
            kind: _recall(r for r in private if r.document == kind) for kind in sorted({p.kind for _, p in pages})
        },
        "clean_auto": sum(all(r.auto >= COVERED for r in rows) for rows in map(_private, by_page)),
        "clean_asked": sum(all(r.accepted >= COVERED for r in rows) for rows in map(_private, by_page)),
        "harmless_area": {"auto": _area(harmless, "auto"), "accepted": _area(harmless, "accepted")},
        "negatives": {kind: _wrongly(r for r in negative if r.text.kind == kind) for kind in _kinds(negative)},
        "questions_per_page": round(sum(one.waiting for one in done) / max(1, len(done)), 2),
        "cpu_seconds_per_page": round(sum(sum(one.cpu.values()) for one in done) / max(1, len(done)), 2),
        "missed": [_named(row) for row in private if row.accepted < COVERED],
        "asked": [_named(row) for row in private if row.auto < COVERED <= row.accepted],
        "wrong": [_named(row) for row in negative if row.auto >= WRONGLY],
    }


def _peer(pages: Sequence[tuple[str, Page]], run: PeerRun) -> Figures:
    """The same figures of Presidio with Tesseract, which asks nobody; pages on which it fails are not covered."""
    if run.note:
        return {"tool": NAME, "note": run.note}
    done = []
    for (_, page), one in zip(pages, run.files, strict=True):
        mask = np.zeros(page.image.shape[:2], np.bool_)
        for left, top, right, bottom in one.boxes:
            mask[max(0, top) : max(0, bottom), max(0, left) : max(0, right)] = True
        done.append(Done({0: mask}, {0: mask}, cpu={"all": one.cpu}, refused=one.error))
    told = figures(pages, done)
    kept = ("overall", "types", "clean_auto", "harmless_area", "negatives", "cpu_seconds_per_page")
    return {"tool": NAME, "version": run.version, "model": run.model, "note": "", **{key: told[key] for key in kept}}


def judged(name: str, page: Page, done: Done) -> list[Judged]:
    """The values of a page, each with all its rows, and its harmless texts one by one."""
    groups: dict[tuple[int, int], list[Placed]] = {}
    for number, text in enumerate(page.texts):
        groups.setdefault((text.value, 0) if text.value else (0, number), []).append(text)
    rows = []
    for texts in groups.values():
        where = _area_of(texts, page.image.shape)
        auto, accepted = (_share(masks.get(0), where) for masks in (done.auto, done.accepted))
        rows.append(Judged(name, page.kind, texts[0], auto, accepted, float(where.sum())))
    return rows


def _area_of(texts: Sequence[Placed], shape: tuple[int, ...]) -> Mask:
    mask = np.zeros(shape[:2], np.uint8)
    for text in texts:
        cv2.fillPoly(mask, [np.round(np.array(text.polygon)).astype(np.int32)], (1,))
    return mask > 0


def _share(covered: Mask | None, where: Mask) -> float:
    if covered is None or covered.shape != where.shape or not where.any():
        return 0.0
    return float(covered[where].mean())


def _private(rows: Iterable[Judged]) -> list[Judged]:
    return [row for row in rows if row.text.private and not row.text.neutral]


def _kinds(rows: Iterable[Judged]) -> list[str]:
    return sorted({row.text.kind for row in rows})


def _recall(rows: Iterable[Judged]) -> Figures:
    """Of ``values``, how many are covered without asking, and how many at least after a question."""
    own = list(rows)
    return {
        "values": len(own),
        "auto": sum(row.auto >= COVERED for row in own),
        "accepted": sum(row.accepted >= COVERED for row in own),
    }


def _wrongly(rows: Iterable[Judged]) -> Figures:
    own = list(rows)
    return {
        "values": len(own),
        "auto": sum(row.auto >= WRONGLY for row in own),
        "accepted": sum(row.accepted >= WRONGLY for row in own),
    }


def _area(rows: Sequence[Judged], way: str) -> float:
    whole = sum(row.area for row in rows)
    return round(sum(getattr(row, way) * row.area for row in rows) / whole, 4) if whole else 0.0


def _named(row: Judged) -> Figures:
    about = {"page": row.page, "document": row.document, "kind": row.text.kind, "label": row.text.label}
    return about | {"text": row.text.text, "auto": round(row.auto, 2), "accepted": round(row.accepted, 2)}


def summary(result: Figures) -> list[str]:
    """The figures as lines for a terminal, misses one by one."""
    over, area = result["overall"], result["harmless_area"]
    lines = [
        f"{over['auto']} of {over['values']} private values covered without asking, {over['accepted']} after questions",
        f"pages clean: {result['clean_auto']} of {result['pages']} without asking, "
        f"{result['clean_asked']} after questions",
        f"area of harmless text covered: {area['auto']:.2%} without asking, {area['accepted']:.2%} after questions",
        f"{result['questions_per_page']} questions and {result['cpu_seconds_per_page']} CPU s a page",
    ]
    for kind, row in result["types"].items():
        lines.append(f"{kind}: {row['auto']} of {row['values']}, {row['accepted']} after questions")
    for kind, row in result["negatives"].items():
        lines.append(f"{kind}, may stay: {row['auto']} of {row['values']} covered, {row['accepted']} after questions")
    if peer := result.get("peer"):
        lines.append(f"{peer['tool']}: {peer['note'] or _said(peer)}")
    for row in result["missed"]:
        lines.append(f'missed: {row["kind"]} beside "{row["label"]}" ({row["document"]}, {row["page"]})')
    return lines


def _said(peer: Figures) -> str:
    over, negatives = peer["overall"], peer["negatives"]
    types = ", ".join(f"{kind} {row['auto']} of {row['values']}" for kind, row in peer["types"].items())
    wrong = ", ".join(f"{kind} {row['auto']} of {row['values']}" for kind, row in negatives.items())
    return (
        f"{over['auto']} of {over['values']} private values covered ({types}), {peer['clean_auto']} pages clean, "
        f"{peer['harmless_area']['auto']:.2%} of the area of harmless text; of what may stay {wrong}; "
        f"{peer['cpu_seconds_per_page']} CPU s a page"
    )
