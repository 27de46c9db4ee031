"""The detector's figures as a page with tables and plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

from jinja2 import Environment

from deidra.app.evaluate import detector_plots as plots

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table; cells are ready to be shown."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(slots=True)
class Section:
    """A part of the page; ``pictures`` are data URLs."""

    title: str
    text: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)


def page(title: str, sections: Iterable[Section]) -> str:
    """The page as HTML."""
    source = (resources.files(__package__) / "data" / "detector.html.j2").read_text("utf-8")
    template = Environment(autoescape=True).from_string(source)
    return template.render(title=title, sections=list(sections)) + "\n"


def detector_page(result: Figures) -> str:
    """The page of ``deidra evaluate detector``."""
    sections = [_about(result["about"])]
    for suite, figures in result["suites"].items():
        sections += [_where(suite, figures), _groups(suite, figures), _painted(suite, figures)]
        sections.append(_doubt(suite, figures["doubt"]))
        if figures["noise"]:
            sections.append(_noise(suite, figures["noise"]))
    if result["real"]:
        sections.append(_real(result["real"]))
    if result["cost"]:
        sections.append(_cost(result["cost"]))
    return page("What the text detector is worth", sections)


def papers_page(result: Figures) -> str:
    """The page of ``deidra evaluate papers``."""
    one = result["paper_003"]
    rows = [["published: " + one["published"]["what"], "", *_cells(one["published"], "map", "map50", "map75")]]
    rows += [[f"ours: {n}", str(v["images"]), *_cells(v, "map", "map50", "map75")] for n, v in one["ours"].items()]
    first = Section(
        "Paper 003, table 2", tables=[Table("Average precision of text", ["", "images", ".50:.95", ".50", ".75"], rows)]
    )
    two = result["paper_000"]
    second = Section("Paper 000, tables 3, 4, 8 and 9")
    for key, name, caption in (("iou", "iou", "Mean overlap (IoU)"), ("map", "ap50", "mAP at overlap .5")):
        lines = [[p["what"], *(_number(v) for v in p["values"])] for p in two["published"][key]]
        lines.append([f"ours, {two['images']} images", *(_number(two["ours"][label][name]) for label in two["labels"])])
        second.tables.append(Table(caption, ["", *two["labels"]], lines))
    return page(
        "Detection in two papers, and here",
        [Section("About", [result["note"]]), _about(result["about"]), first, second],
    )


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2e}" if 0 < abs(value) < 5e-4 else f"{value:.4f}"
    return str(value)


def _cells(row: Figures, *names: str) -> list[str]:
    return [_number(row[name]) for name in names]


def _flat(caption: str, values: Figures) -> Table:
    """Names and values of a mapping, without what is itself one."""
    rows = [[n.replace("_", " "), _number(v)] for n, v in values.items() if not isinstance(v, dict | list)]
    return Table(caption, ["", "value"], rows)


def _by_name(caption: str, values: dict[str, Figures]) -> Table:
    """A row a name; the columns are those of the first."""
    names = list(next(iter(values.values()), {}))
    rows = [[name, *(_number(row[n]) for n in names)] for name, row in values.items()]
    return Table(caption, ["", *(n.replace("_", " ") for n in names)], rows)


def _about(about: Figures) -> Section:
    return Section("What was measured", tables=[_flat("", about)])


def _where(suite: str, figures: Figures) -> Section:
    precision = figures["precision"]
    rows = {**precision["classes"], "mean of classes": precision["mean"], "text, whatever class": precision["text"]}
    section = Section(
        f"Suite {suite}: boxes",
        [
            f"{figures['images']} images with {figures['texts']} texts. Average precision as COCO defines it, without "
            "its limit of 100 boxes an image."
        ],
        [_by_name("Average precision", rows), _flat("Images without text", figures["text_free"])],
    )
    if figures["beside_ppocr"]:
        both = figures["beside_ppocr"]
        caption = f"Average precision without classes beside PP-OCR, {both['images']} images"
        section.tables.append(_by_name(caption, both["text"]))
    return section


def _groups(suite: str, figures: Figures) -> Section:
    section = Section(
        f"Suite {suite}: groups",
        ["Number of texts in brackets. Recall is that of the boxes that the product tells of, at half overlap."],
    )
    for name, values in figures["groups"].items():
        if values:
            section.tables.append(_by_name(f"By {name}", values))
            section.pictures.append(plots.bar_plot(values, f"By {name}"))
    return section


def _painted(suite: str, figures: Figures) -> Section:
    section = Section(
        f"Suite {suite}: redaction",
        [
            "If every box were painted as the product paints: upright bounds, grown by 15 % of the shorter side, at "
            "least 2 pixels. Covered: 99 % of a line's ink and more; missed: less than 10 %."
        ],
        [_by_name("All images", figures["redaction"])],
    )
    if figures["beside_ppocr"]:
        both = figures["beside_ppocr"]
        section.tables.append(_by_name(f"Beside PP-OCR, {both['images']} images", both["redaction"]))
    return section


def _doubt(suite: str, doubt: Figures) -> Section:
    routing = doubt["routing"]
    section = Section(
        f"Suite {suite}: doubt",
        [
            "Variances of the boxes that the product tells of. A box is wrong if it overlaps no text by half. Own "
            "threshold: the smallest normalised variance of a wrong box of these images (equation 25); shipped: "
            "that of the calibration images. Missed share: right boxes at or above it, of all (equation 26)."
        ],
        [_flat("Own threshold", doubt["own_threshold"]), _flat("Shipped threshold", doubt["shipped_threshold"])],
    )
    queued = {n: {k: v for k, v in routing[n].items() if not isinstance(v, dict)} for n in ("wrong", "right")}
    section.tables.append(_by_name("Share of boxes that would be queued", queued))
    looked = {n: routing[n]["where_ppocr_looked"] for n in ("wrong", "right")}
    section.tables.append(_by_name("The same where PP-OCR looked; alone: PP-OCR did not find it", looked))
    missed = {
        **routing["missed"],
        **{f"where PP-OCR looked: {k}": v for k, v in routing["missed"]["where_ppocr_looked"].items()},
    }
    section.tables.append(_flat("Texts that the detector misses", missed))
    edges = doubt["edges"]
    within = {n: {"1 sigma": v[0], "2 sigma": v[1]} for n, v in edges["by_edge"].items()}
    within |= {
        n: {"1 sigma": edges[k][0], "2 sigma": edges[k][1]} for n, k in (("all", "within"), ("normal", "normal"))
    }
    section.tables.append(_by_name("Share of edges within the predicted interval", within))
    section.pictures = [
        plots.quadrant_plot(doubt, "Doubt against overlap (figure 6)"),
        plots.reliability_plot(doubt["reliability"]["candidates"], "Reliability, all candidates"),
        plots.reliability_plot(doubt["reliability"]["told"], "Reliability, boxes told of"),
    ]
    return section


def _noise(suite: str, noise: Figures) -> Section:
    names = ("levels", "mean", "spread", "boxes", "right")
    rows = [[_number(v) for v in row] for row in zip(*(noise[n] for n in names), strict=True)]
    return Section(
        f"Suite {suite}: noise",
        [
            f"Salt and pepper on {noise['images']} images of at most 640 pixels. Slope of the mean over the SNR "
            f"in hundreds of decibels (negative is good: doubt rises with noise): {noise['slope']:.4f}. "
            f"Variance of clean images: {noise['clean_variance']:.5f}. With the range of the calibration images "
            f"they are {noise['shipped_slope']:.4f} and {noise['shipped_clean_variance']:.5f}."
        ],
        [Table("By level", ["SNR, dB", "mean", "variance", "boxes", "share right"], rows)],
        [plots.noise_plot(noise, "Doubt over noise (figure 5)")],
    )


def _real(real: Figures) -> Section:
    section = Section("Real images", [f"{real['images']} images; {real['refused']} could not be used."])
    for key, caption in (("each_image", "Each image counts once"), ("groups_once", "Each group counts once")):
        section.tables.append(_by_name(caption, {agent: _real_row(own) for agent, own in real[key].items()}))
    return section


def _real_row(own: Figures) -> Figures:
    row: Figures = {"items": own["items"], "private items": own["phi_items"]}
    for name in ("covered", "phi_covered"):
        row |= {f"{name} {share}": value for share, value in own[name].items()}
    row |= {"painted 0.8": own["painted"]["0.8"], "phi_painted 0.8": own["phi_painted"]["0.8"]}
    for length, counts in own["missed_by_length"].items():
        row[f"missed, {length} characters"] = f"{counts['missed']:g} of {counts['items']:g}"
    for name in ("text_images", "text_free_images"):
        row[f"false boxes on {name}"] = own[name]["false_boxes_per_image"]
    return row


def _cost(cost: list[Figures]) -> Section:
    rows = [[c["agent"], *(_number(c[n]) for n in ("side", "threads", "cpu_ms", "wall_ms", "peak_mb"))] for c in cost]
    table = Table("Best of three rounds", ["", "side", "threads", "CPU ms", "wall ms", "peak MB"], rows)
    return Section(
        "Cost", ["On the CPU; peak memory is that of the whole process."], [table], [plots.cost_plot(cost, "Time")]
    )
