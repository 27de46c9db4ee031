"""Commands about the risk of what documents show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from deidra.app.detect.copies import copies
from deidra.app.domain.model import AssetKind
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.printing import JSON, print_json
from deidra.app.risk.graph import Direction, Weight, ehits, pagerank, read_cases
from deidra.app.risk.pages import PageRisk, census, risk_of_pages
from deidra.app.risk.scores import published, scaled
from deidra.app.workflow import Project
from deidra.storage.findings import FindingFilter

_PROJECT = click.option(
    "--project", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Project folder."
)
_ALGORITHMS = ("pagerank", "ehits", "hub", "authority")
_SCORES = (
    click.option(
        "--cases", type=click.Path(dir_okay=False, path_type=Path), help="Own cases (CSV), not published scores."
    ),
    click.option("--algorithm", type=click.Choice(_ALGORITHMS), default="pagerank", show_default=True),
    click.option("--weight", type=click.Choice([w.value for w in Weight]), default="frequency", show_default=True),
    click.option(
        "--direction",
        type=click.Choice([d.value for d in Direction]),
        default="disclosed",
        show_default=True,
        help="With own cases and PageRank: whether what is disclosed by much counts, or what discloses much.",
    ),
)


def _with_scores(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_SCORES):
        command = option(command)
    return command


def _scores(cases: Path | None, algorithm: str, weight: str, direction: str) -> dict[str, float]:
    kind = Weight(weight)
    if cases is None:
        return scaled(published(algorithm, kind))
    graph = read_cases(cases)
    if algorithm == "pagerank":
        return scaled(pagerank(graph, kind, Direction(direction)))
    found = ehits(graph, kind)
    return scaled({"hub": found.hub, "authority": found.authority, "ehits": found.risk}[algorithm])


@click.group()
def risk() -> None:
    """How much a leak of each kind of data risks, and what masks by risk cover."""


@risk.command()
@_with_scores
@JSON
def types(cases: Path | None, algorithm: str, weight: str, direction: str, as_json: bool) -> None:
    """List kinds of personal data with their risk, 0 to 100, the riskiest first.

    Own cases are a CSV file with the columns inputs, outputs (kinds with commas between them) and lossAmount.
    """
    scores = dict(sorted(_scores(cases, algorithm, weight, direction).items(), key=lambda item: -item[1]))
    if as_json:
        print_json(scores)
        return
    for kind, score in scores.items():
        click.echo(f"{score:6.1f}  {kind}")


@risk.command()
@_PROJECT
@click.option(
    "--threshold", type=click.FloatRange(0, 101), default=50, show_default=True, help="From which score risk is high."
)
@_with_scores
@JSON
def pages(
    folder: Path, threshold: float, cases: Path | None, algorithm: str, weight: str, direction: str, as_json: bool
) -> None:
    """For each page its category, and area and risk left under masks of three levels."""
    scores = _scores(cases, algorithm, weight, direction)
    project = Project.open(folder, create=False)
    try:
        rows: list[tuple[str, PageRisk]] = []
        for asset in project.store.assets.all():
            if asset.kind is not AssetKind.DICOM:
                findings = project.store.findings.select(FindingFilter(asset_id=asset.id))
                texts = project.store.assets.text(asset.id)
                rows += [(asset.path, row) for row in risk_of_pages(asset, texts, findings, scores, threshold)]
    finally:
        project.close()
    if as_json:
        print_json([{"path": path, **asdict(row)} for path, row in rows])
        return
    for path, row in rows:
        click.echo(f"{path}  page {row.page + 1}  {row.category or 'no known category'}")
        for mask in row.masks:
            click.echo(f"    {mask.level.value:<18} covers {mask.covered:6.1%}   risk left {mask.risk:6.0f}")


@click.command(name="census")
@_PROJECT
@JSON
def census_command(folder: Path, as_json: bool) -> None:
    """Count the documents that show each type of private data, by folder, and the pages that are the same again."""
    project = Project.open(folder, create=False)
    try:
        documents = [asset for asset in project.store.assets.all() if asset.kind is not AssetKind.DICOM]
        firsts = copies(page for asset in documents for page in project.store.assets.text(asset.id))
        again = sum(first != place for place, first in enumerate(firsts))
        rows = census(
            (str(Path(asset.path).parent), project.store.findings.select(FindingFilter(asset_id=asset.id)))
            for asset in documents
        )
    finally:
        project.close()
    if as_json:
        whole = {"pages": len(firsts), "copies": again}
        print_json([asdict(row) | {"folder": row.folder or "all"} | ({} if row.folder else whole) for row in rows])
        return
    if rows:
        click.echo(f"{len(firsts)} pages, {again} of them the same as an earlier one")
    for row in rows:
        click.echo(f"{row.folder or 'all folders'}: {row.documents} documents, {row.private} with private data")
        for kind in sorted(row.types, key=lambda k: -row.types[k]):
            click.echo(f"    {row.types[kind]:6d}  {TYPES[EntityType(kind)].label}")
