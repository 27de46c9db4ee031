"""The page of ``deidra evaluate replacement``: histograms and scatters beside the paper's figures."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Sequence
from typing import Any

from deidra.app.evaluate.detector_plots import canvas, data_url
from deidra.app.evaluate.detector_report import Section, Table, page

Figures = dict[str, Any]
_TEMPLATES = {
    "same_templates": "other pages of the wordings, layouts and fonts that it was trained on",
    "other_templates": "pages of other wordings, layouts and fonts",
}


def replacement_page(result: Figures) -> str:
    """The page as HTML; without matplotlib it has tables only."""
    drawn = importlib.util.find_spec("matplotlib") is not None
    sections = [_areas(result, drawn)]
    for name in result["encoders"]:
        sections += [_similarity(result, name, drawn), *(_labels(result, name, key, drawn) for key in _TEMPLATES)]
    return page("What redaction does to pages as others see them", sections)


def _areas(result: Figures, drawn: bool) -> Section:
    area, about = result["area"], result["about"]
    ends = [f"{100 * end:g} %" for end in area["ends"]]
    bins = [f"{low} to {high}" for low, high in itertools.pairwise(ends)]
    section = Section(
        "Redacted area (figure 3)",
        [
            f"{about['pages']} synthetic pages, worn at level {about['noise']}, seed {about['seed']}; true places.",
            f"Mean {area['mean']:.2%}, median {area['median']:.2%}; {area['below']:.1%} of the pages are below 2 %.",
        ],
        [
            Table(
                "Pages by their redacted area",
                ("area", "pages"),
                list(zip(bins, map(str, area["counts"]), strict=True)),
            )
        ],
    )
    if drawn:
        figure, axes = canvas()
        axes.hist([100 * row["area"] for row in result["rows"]], bins=30)
        axes.set(title="redacted area", xlabel="% of the page", ylabel="pages")
        section.pictures.append(data_url(figure))
    return section


def _similarity(result: Figures, name: str, drawn: bool) -> Section:
    alike = result["encoders"][name]["similarity"]
    rows = [
        (
            method,
            f"{row['similarity']:.5f}",
            f"{row['distance']:.4f}",
            f"{row['area_rank']:+.2f}",
            str(alike["nearest"][method]),
        )
        for method, row in alike["methods"].items()
    ]
    contest = [
        (
            what,
            *(f"{100 * alike['synthetic_or_white'][what][key]:.1f}" for key in ("synthetic", "white", "equal")),
            paper,
        )
        for what, paper in (("similarity", "61.6, 28.3, 10.1"), ("distance", "61.8, 28.3, 9.9"))
    ]
    section = Section(
        f"Likeness to the original by {name} (figures 9 to 11)",
        ["A page's embedding is the mean of the features of the network's backbone; the paper used CLIP ViT-B/32."],
        [
            Table("Means", ("method", "cosine similarity", "distance", "rank correlation with area", "nearest"), rows),
            Table("Which is nearer, %", ("by", "synthetic", "white", "equal", "paper"), contest),
        ],
    )
    if drawn:
        for what in ("similarity", "distance"):
            figure, axes = canvas()
            for method in alike["methods"]:
                values = [row["encoders"][name][method][what] for row in result["rows"]]
                axes.hist(values, bins=40, histtype="step", label=method)
            axes.set(title=f"{what} to the original", xlabel=what, ylabel="pages")
            axes.legend()
            section.pictures.append(data_url(figure))
        points = [(row["area"], row["encoders"][name]["synthetic"]["similarity"]) for row in result["rows"]]
        section.pictures.append(_scatter(points, "cosine similarity, made-up values", "similarity"))
    return section


def _labels(result: Figures, name: str, key: str, drawn: bool) -> Section:
    labels = result["encoders"][name][key]
    rows = [
        (
            method,
            str(row["flipped"]),
            *(f"{row[key]:.4f}" for key in ("mean", "median", "largest")),
            f"{row['outliers']} (median {row['outliers_median']:.3f})",
            f"{row['area_rank']:+.2f}",
        )
        for method, row in labels["methods"].items()
    ]
    section = Section(
        f"Kinds of page by {name} (figure 12): {_TEMPLATES[key]}",
        [
            f"A softmax regression on {result['about']['training']} pages tells {labels['right']} of "
            f"{labels['pages']} kinds, with a mean confidence of {labels['confidence']:.3f}. The paper used DiT-base, "
            "tuned on real pages of the same set.",
        ],
        [
            Table(
                "Change of the confidence in the original's label",
                ("method", "labels flipped", "mean", "median", "largest", "above .004", "rank correlation with area"),
                rows,
            )
        ],
    )
    if drawn:
        section.pictures.append(_scatter(labels["points"], "change of confidence, made-up values", "change"))
    return section


def _scatter(points: Sequence[Sequence[float]], title: str, what: str) -> str:
    figure, axes = canvas()
    axes.scatter([100 * share for share, _ in points], [value for _, value in points], s=8, alpha=0.5)
    axes.set(title=title, xlabel="redacted area, % of the page", ylabel=what)
    return data_url(figure)
