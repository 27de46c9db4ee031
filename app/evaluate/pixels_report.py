"""The figures of ``deidra evaluate pixels`` as a page with tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deidra.app.evaluate.detector_report import Section, Table, page

Figures = dict[str, Any]
_WAYS = {"auto": "without asking", "accepted": "with every proposal accepted"}


def pixels_page(result: Figures) -> str:
    """The page as HTML."""
    about = Table("", ["", "value"], [[name, str(value)] for name, value in result["about"].items()])
    sections = [
        Section(
            "What was measured",
            [
                "The product's stages find and decide, and its redactor covers. A private line is fully covered if its "
                "box is, by the share below; what counts as private is what the answer key or the annotation says, "
                "whether or not the policy calls it so. Boxes of annotated images hold whole lines with their labels, "
                "of which the product cuts out the private words alone."
            ],
            [about],
        )
    ]
    for name, figures in result["sets"].items():
        sections.append(_overall(name, figures))
        if figures["peer"]:
            sections.append(_peer(name, figures["peer"]))
        sections.append(_lists(name, figures))
    return page("What of burned-in text is covered", sections)


def _overall(name: str, figures: Figures) -> Section:
    overall = figures["overall"]
    refused = len(figures["refused"])
    sums = {key: value for key, value in overall.items() if key not in _WAYS}
    return Section(
        f"Images: {name}",
        [f"{figures['images']} images; {refused} were held back, {len(figures['absent'])} were not there."],
        [
            _table("Lines", {words: overall[way] for way, words in _WAYS.items()}),
            _table("Lines, without times, sex and age", {w: figures["identifying"][way] for way, w in _WAYS.items()}),
            Table("Work", ["", "value"], [[_plain(key), str(value)] for key, value in sums.items()]),
            *(_table(f"By kind, {words}", figures["by_kind"][way]) for way, words in _WAYS.items()),
        ],
    )


def _peer(name: str, peer: Figures) -> Section:
    title = f"Beside {peer['tool']} {peer['version']}: {name}"
    if not peer.get("peer"):
        return Section(title, [f"It did not run: {peer['note']}."])
    columns = {peer["tool"]: {k: v for k, v in peer["peer"].items() if k != "cpu_seconds"}}
    columns |= {f"Deidra, {words}": peer[way] for way, words in _WAYS.items()}
    text = (
        f"{peer['images']} images that both could take, {peer['peer']['cpu_seconds']} CPU seconds. Defaults of "
        f"the tool, with the values of the header; spaCy's {peer['model']}. It failed on {len(peer['failed'])} images."
    )
    return Section(title, [text], [_table("Lines", columns), _table("By kind", peer["by_kind"])])


def _lists(name: str, figures: Figures) -> Section:
    return Section(
        f"One by one: {name}",
        tables=[
            _rows("Private lines not fully covered, every proposal accepted", figures["missed"]),
            _rows("Private lines fully covered only if a curator accepts", figures["asked"]),
            _rows("Images", figures["rows"]),
        ],
    )


def _table(caption: str, values: dict[str, Figures]) -> Table:
    names = list(next(iter(values.values()), {}))
    rows = [[name, *(str(row[n]) for n in names)] for name, row in values.items()]
    return Table(caption, ["", *map(_plain, names)], rows)


def _rows(caption: str, rows: Sequence[Figures]) -> Table:
    names = list(rows[0]) if rows else []
    return Table(caption, [_plain(n) for n in names], [[str(row[n]) for n in names] for row in rows])


def _plain(name: str) -> str:
    return name.replace("_", " ")
