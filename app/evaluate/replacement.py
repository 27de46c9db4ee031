"""What redaction does to pages as others see them: paper 002's experiments 4.1 and 4.2, and its histogram of areas.

Pages are synthetic and their private values known, so nothing is detected. Classifiers are trained on pages of the
split "calibrate" and answer twice: on other pages of that split, as the paper's model answered on other pages of the
set that it was tuned on, and on those of the split "test", whose wordings, layouts and fonts are others.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deidra.app.evaluate.page_classifier import PageClassifier, trained
from deidra.app.evaluate.replacement_pages import PAPER_METHODS, Method, Redacted, pages_redacted
from deidra.app.evaluate.replacement_report import replacement_page
from deidra.app.progress import Meter, ProgressSink
from deidra.models.page_features import ENCODERS, Floats, layout, pooled

Figures = dict[str, Any]
SMALL_AREA = 0.02
"""Share of a page below which most documents of the paper are redacted (figure 3)."""
OUTLIER = 0.004
"""Difference of confidence above which figure 12 leaves pages out."""
_AREAS = (0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.1, 1)
_EQUAL = 0.01
"""Two distances are equal where they differ by less than this part of the larger one; the paper does not say."""
_KNOWN = "calibrate"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: ``pages`` of the split test, ``again`` and ``training`` ones of calibrate, all worn."""

    out: Path
    pages: int = 200
    again: int = 200
    training: int = 320
    noise: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """Two embeddings of a page: ``whole`` ``(C,)``, and ``fields``, that of each part of it one after the other."""

    whole: Floats
    fields: Floats


@dataclass(frozen=True, slots=True)
class Seen:
    """One page: its ``number``, ``kind``, redacted ``area`` (0 to 1) and, by encoder, the embeddings of every version.

    ``views`` holds those of the original under None. ``values`` of its rows are private, ``replaced`` got a made-up
    value.
    """

    number: int
    kind: str
    area: float
    values: int
    replaced: int
    views: Mapping[str, Mapping[Method | None, View]]


def measure_replacement(plan: Plan, progress: ProgressSink | None = None) -> Figures:
    """All figures, written into the plan's folder: ``replacement.json``, ``replacement.csv``, ``replacement.html``."""
    plan.out.mkdir(parents=True, exist_ok=True)
    meter = Meter("pages", plan.pages + plan.again + plan.training, progress, None)

    def take(count: int, split: str, seed: int, methods: tuple[Method, ...]) -> list[Seen]:
        found = []
        for page in _seen(pages_redacted(count, split, plan.noise, seed, methods)):
            found.append(page)
            meter.step()
        return found

    known = take(plan.training, _KNOWN, plan.seed, ())
    again = take(plan.again, _KNOWN, plan.seed + 1, PAPER_METHODS)
    pages = take(plan.pages, "test", plan.seed, tuple(Method))
    result: Figures = {"about": asdict(plan) | {"out": ""}} | figures(pages, again, known)
    (plan.out / "replacement.json").write_text(json.dumps(result, indent=1), "utf-8")
    (plan.out / "replacement.html").write_text(replacement_page(result), "utf-8")
    _write_rows(result["rows"], plan.out / "replacement.csv")
    return result


def _seen(pages: Iterable[Redacted]) -> Iterator[Seen]:
    for page in pages:
        versions: list[tuple[Method | None, NDArray[np.uint8]]] = [(None, page.original), *page.made.items()]
        views = {e.name: {method: _view(e.cells(picture)) for method, picture in versions} for e in ENCODERS}
        yield Seen(page.number, page.kind, page.area, page.values, page.replaced, views)


def _view(cells: Floats) -> View:
    return View(pooled(cells), layout(cells))


def figures(pages: Sequence[Seen], again: Sequence[Seen], known: Sequence[Seen]) -> Figures:
    """The figures of test pages and of others like the ``known`` ones, on whose originals classifiers are trained."""
    rows: list[Figures] = [
        {"page": page.number, "document": page.kind, "area": page.area, "encoders": {}} for page in pages
    ]
    made = {}
    for name in pages[0].views:
        likeness = [_likeness(page.views[name]) for page in pages]
        classifier = trained(np.stack([page.views[name][None].fields for page in known]), [p.kind for p in known])
        answers = [_answers(classifier, page.views[name]) for page in pages]
        for row, like, answer in zip(rows, likeness, answers, strict=True):
            row["encoders"][name] = {m: {**like[m], **answer[m]} for m in like}
        made[name] = {
            "similarity": compared([page.area for page in pages], likeness),
            "other_templates": flips(pages, answers),
            "same_templates": flips(again, [_answers(classifier, page.views[name]) for page in again]),
        }
    return {"area": areas([page.area for page in pages]), "replaced": _replaced(pages), "encoders": made, "rows": rows}


def areas(shares: Sequence[float]) -> Figures:
    """Figure 3: how large the redacted part of pages is. The bins' upper ends do not belong to them."""
    counts = np.histogram(shares, _AREAS)[0]
    return {
        "pages": len(shares),
        "mean": float(np.mean(shares)),
        "median": float(np.median(shares)),
        "below": float(np.mean(np.asarray(shares) < SMALL_AREA)),
        "ends": list(_AREAS),
        "counts": counts.tolist(),
    }


def _replaced(pages: Sequence[Seen]) -> Figures:
    return {"values": sum(page.values for page in pages), "made_up": sum(page.replaced for page in pages)}


def _likeness(views: Mapping[Method | None, View]) -> dict[str, Figures]:
    """Cosine similarity and Euclidean distance of each redacted page from the original."""
    own = views[None].whole.astype(np.float64)
    found = {}
    for method, other in views.items():
        if method is not None:
            made = other.whole.astype(np.float64)
            cosine = float(own @ made / max(1e-12, float(np.linalg.norm(own) * np.linalg.norm(made))))
            found[method.value] = {"similarity": min(1.0, cosine), "distance": float(np.linalg.norm(own - made))}
    return found


def compared(shares: Sequence[float], likeness: Sequence[Mapping[str, Figures]]) -> Figures:
    """Figures 9 to 11: by method the means, which method is nearest to the original how often, and area's influence."""
    methods = list(likeness[0])
    whole: Figures = {}
    for method in methods:
        similar = [row[method]["similarity"] for row in likeness]
        apart = [row[method]["distance"] for row in likeness]
        whole[method] = {
            "similarity": float(np.mean(similar)),
            "distance": float(np.mean(apart)),
            "area_rank": spearman(shares, similar),
        }
    best = [min(methods, key=lambda m: row[m]["distance"]) for row in likeness]
    return {
        "methods": whole,
        "nearest": {method: best.count(method) for method in methods},
        "synthetic_or_white": {
            "similarity": _contest([_pair(row, lambda one: 1 - one["similarity"]) for row in likeness]),
            "distance": _contest([_pair(row, lambda one: one["distance"]) for row in likeness]),
        },
    }


def _pair(row: Mapping[str, Figures], apart: Callable[[Figures], float]) -> tuple[float, float]:
    return apart(row[Method.SYNTHETIC.value]), apart(row[Method.WHITE.value])


def _contest(pairs: Sequence[tuple[float, float]]) -> Figures:
    """How often the first of two distances is smaller, the second, and neither; shares of all."""
    equal = [abs(a - b) <= _EQUAL * max(a, b) for a, b in pairs]
    first = sum(a < b and not same for (a, b), same in zip(pairs, equal, strict=True))
    count = max(1, len(pairs))
    rest = len(pairs) - first - sum(equal)
    return {"synthetic": first / count, "white": rest / count, "equal": sum(equal) / count}


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Correlation of ranks, -1 to 1; equal values share their mean rank. 0 where one of both does not vary."""
    ranks = [_ranks(np.asarray(values, np.float64)) for values in (first, second)]
    if len(first) < 2 or any(float(np.ptp(rank)) == 0 for rank in ranks):
        return 0.0
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places], np.float64)


def _answers(classifier: PageClassifier, views: Mapping[Method | None, View]) -> Figures:
    """The label of a page, and by method the label and the confidence in the original's label afterwards."""
    versions = list(views)
    told = classifier.probabilities(np.stack([views[version].fields for version in versions]))
    before = told[versions.index(None)]
    place = int(before.argmax())
    found: Figures = {"label": classifier.classes[place], "confidence": float(before[place])}
    for version, after in zip(versions, told, strict=True):
        if version is not None:
            label = classifier.classes[int(after.argmax())]
            change = float(after[place] - before[place])
            found[version.value] = {"label": label, "flipped": label != found["label"], "change": change}
    return found


def flips(pages: Sequence[Seen], answers: Sequence[Figures]) -> Figures:
    """Figure 12: labels that changed, and by how much the confidence did; ``right`` is the classifier's own worth.

    ``points`` are area and change of confidence of each page under made-up values.
    """
    shares = [page.area for page in pages]
    methods: Figures = {}
    for method in (key for key in answers[0] if key not in ("label", "confidence")):
        changes = [abs(answer[method]["change"]) for answer in answers]
        far = sorted(change for change in changes if change > OUTLIER)
        methods[method] = {
            "flipped": sum(answer[method]["flipped"] for answer in answers),
            "mean": float(np.mean(changes)),
            "median": float(np.median(changes)),
            "largest": max(changes),
            "outliers": len(far),
            "outliers_median": float(np.median(far)) if far else 0.0,
            "area_rank": spearman(shares, changes),
        }
    points = [
        (share, abs(answer[Method.SYNTHETIC.value]["change"])) for share, answer in zip(shares, answers, strict=True)
    ]
    return {
        "pages": len(answers),
        "right": sum(answer["label"] == page.kind for answer, page in zip(answers, pages, strict=True)),
        "confidence": float(np.mean([answer["confidence"] for answer in answers])),
        "methods": methods,
        "points": points,
    }


def _write_rows(rows: Sequence[Figures], path: Path) -> None:
    """One line for each page, encoder and method."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        head = ("page", "document", "area", "encoder", "method", "similarity", "distance", "label", "flipped", "change")
        writer.writerow(head)
        for row in rows:
            for encoder, methods in row["encoders"].items():
                for method in Method:
                    one = methods[method.value]
                    own = [one[key] for key in ("similarity", "distance", "label", "flipped", "change")]
                    writer.writerow([row["page"], row["document"], row["area"], encoder, method.value, *own])


def summary(result: Figures) -> list[str]:
    """The figures as lines for a terminal, beside those of the paper."""
    area, made = result["area"], result["replaced"]
    lines = [
        f"redacted area: mean {area['mean']:.2%}, median {area['median']:.2%}; {area['below']:.1%} of {area['pages']} "
        f"pages below {SMALL_AREA:.0%} (paper: most)",
        f"made-up values for {made['made_up']} of {made['values']} private rows; the others are white",
    ]
    for name, encoder in result["encoders"].items():
        alike = encoder["similarity"]
        lines.append(f"{name}, cosine similarity and distance to the original, rank correlation with the area:")
        for method, row in alike["methods"].items():
            lines.append(f"  {method:<10} {row['similarity']:.5f}  {row['distance']:.4f}  {row['area_rank']:+.2f}")
        lines.append("  nearest: " + ", ".join(f"{m} {n}" for m, n in alike["nearest"].items()))
        for what, paper in (("similarity", "61.6, 28.3, 10.1"), ("distance", "61.8, 28.3, 9.9")):
            own = alike["synthetic_or_white"][what]
            shares = ", ".join(f"{100 * own[key]:.1f}" for key in ("synthetic", "white", "equal"))
            lines.append(f"  by {what}, synthetic nearer, white nearer, equal: {shares} % (paper: {paper} %)")
        for words, key in (
            ("other pages of the known wordings", "same_templates"),
            ("other wordings", "other_templates"),
        ):
            labels = encoder[key]
            lines.append(
                f"  kinds of page on {words}: {labels['right']} of {labels['pages']} right, confidence "
                f"{labels['confidence']:.3f}; labels flipped, mean change of confidence (paper: 0 of 445; black .0036, "
                "white .0022, synthetic .0024):"
            )
            for method, row in labels["methods"].items():
                lines.append(f"  {method:<10} {row['flipped']}  {row['mean']:.4f}  {row['outliers']} above {OUTLIER}")
    return lines
