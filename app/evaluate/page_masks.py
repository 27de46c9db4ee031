"""Masks of three levels on filled pages: what they cover, the risk before and after, and seconds a page (paper 001).

Areas and risks are told twice: of masks on the true places, and of those that the product finds, whose risk is told by
the true values that can still be read.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.decide.policy import Policy, RedactSection
from deidra.app.domain.geometry import Polygon
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.documents import COVERED
from deidra.app.evaluate.pixels_product import Done, run_product
from deidra.app.evaluate.replacement_pages import Row, private_rows
from deidra.app.progress import Meter, ProgressSink
from deidra.app.redact.paint import Region
from deidra.app.risk.masks import Level, Private, masks, page_risk
from deidra.app.risk.pages import is_private
from deidra.app.risk.scores import risk_of_type
from deidra.app.synth.filled.files import filled_page, write_filled
from deidra.app.synth.filled.pages import Page

Figures = dict[str, Any]
PAPER_SECONDS = {"mean": 77.51, "least": 11.19, "most": 616.53, "spread": 90.71}
"""Seconds an image in appendix I of paper 001."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: ``pages`` of the split test; the product searches the first ``searched`` of them.

    ``threshold`` is the score, 0 to 100, from which a risk is high; ``scores`` are those of kinds of personal data.
    """

    out: Path
    policy: Policy
    scores: Mapping[str, float]
    pages: int = 200
    searched: int = 24
    threshold: float = 50
    noise: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Levelled:
    """One page: by level, the share of its area that is covered (0 to 1) and the risk of the values that stay."""

    levels: Mapping[Level, tuple[float, float]]


def measure_masks(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures; written to ``masks.json`` in the plan's folder."""
    made = write_filled(plan.out / "pages", min(plan.searched, plan.pages), "test", plan.noise, plan.seed)
    meter = Meter("pages", plan.pages + len(made), progress, None)
    true = []
    for number in range(plan.pages):
        page = filled_page(plan.seed, number, "test", plan.noise)
        true.append(true_levels(private_rows(page), _size(page), plan))
        meter.step()
    found, seconds = [], []
    before = time.perf_counter()
    for (_, page), done in zip(made, run_product([path for path, _ in made], plan.policy), strict=True):
        seconds.append(time.perf_counter() - before)
        found.append(found_levels(private_rows(page), done, _size(page), plan))
        meter.step()
        before = time.perf_counter()
    about = {key: value for key, value in asdict(plan).items() if key not in ("out", "policy", "scores")}
    result = {"about": about | {"policy": plan.policy.name}, "true": levels(true), "found": levels(found)}
    result["seconds"] = spread(seconds)
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "masks.json").write_text(json.dumps(result, indent=1), "utf-8")
    return result


def _size(page: Page) -> tuple[int, int]:
    return page.image.shape[1], page.image.shape[0]


def true_levels(rows: Sequence[Row], size: tuple[int, int], plan: Plan) -> Levelled:
    """The levels of masks on the true places of a page of a size (width, height)."""
    private = [Private(row.polygon, row.type) for row in rows]
    return Levelled({m.level: (m.covered, m.risk) for m in masks(private, size, plan.scores, plan.threshold)})


def found_levels(rows: Sequence[Row], done: Done, size: tuple[int, int], plan: Plan) -> Levelled:
    """The levels of masks on what the product found on a page, questions among it; risks of what stays in truth."""
    found = [Private(f.polygon, f.type) for f in done.findings if f.polygon is not None and f.type and is_private(f)]
    high = [one for one in found if risk_of_type(one.type, plan.scores) >= plan.threshold]
    shares = {mask.level: mask.covered for mask in masks(found, size, plan.scores, plan.threshold)}
    stays = {
        Level.FULL: [row.type for row in rows],
        # A page on which nothing was found is not covered at all.
        Level.OBJECT: [] if found else [row.type for row in rows],
        Level.FINE: _readable(rows, [one.polygon for one in found], size, plan.policy.redact),
        Level.HIGH: _readable(rows, [one.polygon for one in high], size, plan.policy.redact),
    }
    return Levelled({level: (shares[level], page_risk(stays[level], plan.scores)) for level in Level})


def _readable(
    rows: Sequence[Row], polygons: Iterable[Polygon], size: tuple[int, int], settings: RedactSection
) -> list[EntityType]:
    """Types of the rows of which less than :data:`COVERED` lies under the polygons as they are redacted."""
    width, height = size
    hidden = np.zeros((height, width), np.bool_)
    for polygon in polygons:
        _hide(hidden, Region.of(polygon, width, height, settings))
    tight = settings.model_copy(update={"padding_share": 0.0, "padding_least": 0})
    stay = []
    for row in rows:
        region = Region.of(row.polygon, width, height, tight)
        if float(hidden[region.rows, region.columns][region.mask].mean()) < COVERED:
            stay.append(row.type)
    return stay


def _hide(hidden: NDArray[np.bool_], region: Region) -> None:
    if region.pixels:
        hidden[region.rows, region.columns] |= region.mask


def levels(pages: Sequence[Levelled]) -> Figures:
    """By level: mean share of a page that is covered, mean risk that stays, and that as a share of the risk before."""
    if not pages:
        return {}
    before = float(np.mean([page.levels[Level.FULL][1] for page in pages]))
    result: Figures = {}
    for level in Level:
        risk = float(np.mean([page.levels[level][1] for page in pages]))
        result[level.value] = {
            "covered": float(np.mean([page.levels[level][0] for page in pages])),
            "risk": risk,
            "risk_share": risk / before if before else 0.0,
            "pages_without_risk": sum(page.levels[level][1] == 0 for page in pages),
        }
    return {"pages": len(pages), "levels": result}


def spread(seconds: Sequence[float]) -> Figures:
    """Mean, least, most and standard deviation of seconds a page; the first page loads the models."""
    if not seconds:
        return {}
    return {
        "pages": len(seconds),
        "mean": float(np.mean(seconds)),
        "least": min(seconds),
        "most": max(seconds),
        "spread": float(np.std(seconds)),
    }


def summary(result: Figures) -> list[str]:
    """The figures as lines for a terminal, beside those of the paper."""
    lines = []
    for which, words in (("true", "masks on the true places"), ("found", "masks on what Deidra finds, risk in truth")):
        if not result[which]:
            continue
        lines.append(f"{words}, {result[which]['pages']} pages:")
        for level, row in result[which]["levels"].items():
            lines.append(
                f"  {level:<18} covers {row['covered']:7.2%}  risk left {row['risk']:6.1f} ({row['risk_share']:.1%}); "
                f"{row['pages_without_risk']} pages without risk"
            )
    if own := result["seconds"]:
        paper = PAPER_SECONDS
        lines.append(
            f"seconds a page: mean {own['mean']:.2f}, {own['least']:.2f} to {own['most']:.2f}, deviation "
            f"{own['spread']:.2f} (paper: {paper['mean']}, {paper['least']} to {paper['most']}, {paper['spread']})"
        )
    return lines
