"""The figures of ``deidra evaluate entities`` as a page with tables and plots."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any

from deidra.app.evaluate.detector_plots import canvas, data_url
from deidra.app.evaluate.detector_report import Section, Table, page

Figures = dict[str, Any]
_RATES = ("precision", "recall", "f")


def entities_page(result: Figures) -> str:
    """The page as HTML. Plots are left out where matplotlib is not installed."""
    about = Table("", ["", "value"], [[name, str(value)] for name, value in result["about"].items()])
    sections = [
        Section(
            "What was measured",
            [
                "A span is exact if place and type are right. Overlap recall is the share of known spans that share a "
                "character with a found one. A token is a run of letters and digits, private if a span touches it; "
                "token figures of all types together ask only whether it is private, and are summed over all texts."
            ],
            [about],
        )
    ]
    for name, figures in result["sets"].items():
        sections += [_set(name, figures), _doubt(name, figures)]
        if figures["labels"]:
            sections.append(_labels(name, figures["labels"]))
    if result["look_alikes"]:
        sections.append(_look_alikes(result["look_alikes"]))
    if result["cost"]:
        rows = [[name.replace("_", " "), str(value)] for name, value in result["cost"].items()]
        text = "CPU milliseconds a text on one thread, when it is first met and when it is met again."
        sections.append(Section("Cost", [text], [Table("", ["", "value"], rows)]))
    return page("What the entity tagger is worth", sections)


def _set(name: str, figures: Figures) -> Section:
    ways = {"all findings": figures["overall"], "without asking": figures["without_asking"]}
    tables = [_overall("Together", ways), _table("Types, all findings", figures["types"])]
    if figures["sources"]:
        tables.append(_overall("Sources, all findings", figures["sources"]))
    return Section(f"Set: {name}", [f"{figures['cpu_seconds']} CPU seconds."], tables)


def _overall(caption: str, rows: Mapping[str, Figures]) -> Table:
    head = ["", "texts", "spans", *(f"exact {r}" for r in _RATES), "place f", "overlap recall"]
    head += [f"token {r}" for r in _RATES]
    lines = []
    for name, row in rows.items():
        cells = [row["texts"], row["spans"], *(row["exact"][r] for r in _RATES), row["exact_place"]["f"]]
        cells += [row["overlap_recall"], *(row["tokens"][r] for r in _RATES)]
        lines.append([name, *map(_cell, cells)])
    return Table(caption, head, lines)


def _table(caption: str, rows: Mapping[str, Figures]) -> Table:
    names = list(next(iter(rows.values()), {}))
    lines = [[name, *(_cell(row[n]) for n in names)] for name, row in rows.items()]
    return Table(caption, ["", *(n.replace("_", " ") for n in names)], lines)


def _cell(value: object) -> str:
    return "–" if value is None else str(value)


def _doubt(name: str, figures: Figures) -> Section:
    own = figures["calibration"]
    curves = {way: points for way, points in figures["review"].items() if points}
    tables = [Table(f"Scores (calibration error {_cell(own['ece'])})", *_rows(own["bins"]))]
    tables += [Table(f"Review against missed, by {way}", *_rows(points)) for way, points in curves.items()]
    text = (
        "A found span is right if half of it is private. For each least score: the share of texts with a span that is "
        "asked about, the number of such spans, the share of known spans that nothing touches, and how many spans are "
        "applied without asking and are not private."
    )
    return Section(f"Doubt: {name}", [text], tables, _plots(name, own, curves))


def _rows(rows: list[Figures]) -> tuple[list[str], list[list[str]]]:
    names = list(rows[0]) if rows else []
    return [n.replace("_", " ") for n in names], [[_cell(row[n]) for n in names] for row in rows]


def _plots(name: str, own: Figures, curves: Mapping[str, list[Figures]]) -> list[str]:
    if importlib.util.find_spec("matplotlib") is None:
        return []
    pictures = []
    if own["bins"]:
        figure, axes = canvas(5.2, 4.6)
        axes.plot([0, 1], [0, 1], color="grey", linestyle="--")
        axes.plot([b["score"] for b in own["bins"]], [b["right"] for b in own["bins"]], marker="o")
        axes.set(title=f"{name}: reliability", xlabel="mean score", ylabel="share right", xlim=(0, 1), ylim=(0, 1.02))
        pictures.append(data_url(figure))
    if curves:
        figure, axes = canvas(5.2, 4.6)
        for way, points in curves.items():
            axes.plot([p["review"] for p in points], [p["missed"] for p in points], marker="o", label=way)
        axes.legend()
        axes.set(
            title=f"{name}: review", xlabel="share of texts sent to review", ylabel="share of private parts missed"
        )
        pictures.append(data_url(figure))
    return pictures


def _labels(name: str, labels: Figures) -> Section:
    ours = [[kind, label or "not compared"] for kind, label in labels["ours"].items()]
    theirs = [[label, to or "not compared"] for label, to in labels["theirs"].items()]
    return Section(
        f"Labels: {name}",
        [labels["about"]],
        [Table("Our types", ["", "compared as"], ours), Table("Their labels", ["", "compared as"], theirs)],
    )


def _look_alikes(figures: Figures) -> Section:
    text = (
        "Texts in which nothing is private: shares that are flagged (applied without asking) and asked about, as plain "
        "text, as values of their attributes (of groups that have one), and as lines on an image, where words of no "
        "list are asked about. The held-out half is counted and never shown."
    )
    head, rows = _rows(figures["open"])
    return Section(
        "Look-alikes",
        [text],
        [
            _table("Halves", {**figures["halves"], "all": figures["all"]}),
            _table("Groups", figures["groups"]),
            Table("Of the open half, flagged (auto) or asked about (queue)", head, rows),
        ],
    )
