"""Commands of the second reader."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from deidra.app.domain.model import DecisionKind
from deidra.app.printing import JSON, print_json
from deidra.app.review.agreement import Estimate
from deidra.app.review.second import SecondDesk
from deidra.app.workflow import Project, current_user

_PROJECT = click.option(
    "--project", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Project folder."
)
_BY = click.option("--by", help="Who decides; your user name when not given.")
_TEXT = click.option("--text", help="The text of a replacement; the proposed surrogate when not given.")
_VERB = click.argument("verb", type=click.Choice([kind.value for kind in DecisionKind]))


@contextmanager
def _desk(folder: Path) -> Iterator[SecondDesk]:
    project = Project.open(folder, create=False)
    try:
        yield project.second
    finally:
        project.close()


@click.group()
def second() -> None:
    """Read decided items a second time without sight of the first decision, and settle differences."""


@second.command("list")
@_PROJECT
@_BY
@JSON
def list_(folder: Path, by: str | None, as_json: bool) -> None:
    """What you may read: items that the policy's [review] chooses and that others have decided on."""
    with _desk(folder) as desk:
        found, state = desk.to_read(by or current_user()), desk.state()
    if as_json:
        print_json([asdict(finding) for finding in found])
        return
    for finding in found:
        click.echo(f"{finding.id}  {finding.type or 'unknown'}  {finding.text!r}")
    click.echo(f"{len(found)} for you, {state.unread} unread in all, {state.differences} differences to settle")


@second.command()
@_PROJECT
@click.argument("finding_id")
@_VERB
@_TEXT
@_BY
def decide(folder: Path, finding_id: str, verb: str, text: str | None, by: str | None) -> None:
    """Decide a second time. The first decision counts on until a difference is settled."""
    with _desk(folder) as desk:
        desk.decide(finding_id, DecisionKind(verb), by or current_user(), text)
    click.echo("1 item read")


@second.command()
@_PROJECT
@JSON
def differences(folder: Path, as_json: bool) -> None:
    """Items on which curators differ and that nobody has settled."""
    with _desk(folder) as desk:
        found = desk.differences()
    if as_json:
        print_json([asdict(item) for item in found])
        return
    for item in found:
        others = ", ".join(f"{who}: {kind}" for who, kind in item.seconds)
        first = f"{item.first_by}: {item.finding.decision or 'undecided'}"
        click.echo(f"{item.finding.id}  {item.finding.text!r}  {first}, {others}")
    click.echo(f"{len(found)} differences to settle")


@second.command()
@_PROJECT
@click.argument("finding_id")
@_VERB
@_TEXT
@_BY
def settle(folder: Path, finding_id: str, verb: str, text: str | None, by: str | None) -> None:
    """Settle a difference: this decision counts."""
    with _desk(folder) as desk:
        desk.settle(finding_id, DecisionKind(verb), by or current_user(), text)
    click.echo("1 difference settled")


@second.command()
@_PROJECT
@click.option("--settled", is_flag=True, help="Open again the difference that you settled last.")
@_BY
def undo(folder: Path, settled: bool, by: str | None) -> None:
    """Take back your newest second decision; the item waits for you again then."""
    with _desk(folder) as desk:
        undone = desk.undo(by or current_user(), settled)
    click.echo(f"taken back: {undone}" if undone else "there is nothing to take back")


@second.command()
@_PROJECT
@JSON
def agreement(folder: Path, as_json: bool) -> None:
    """How far curators agree: in percent, and beyond chance (kappa) with 95 % intervals, of all and by type.

    Where the policy plants decoys, also how many of them each curator noticed.
    """
    with _desk(folder) as desk:
        found, several, noticed = desk.agreement(), desk.fleiss(), desk.sensitivity()
    if as_json:
        by_type = {name or "all": asdict(item) for name, item in found.items()}
        by_curator = {name or "all": asdict(item) for name, item in noticed.items()}
        print_json({"agreement": by_type, "fleiss": several, "sensitivity": by_curator})
        return
    for name, item in found.items():
        click.echo(
            f"{name or 'all'}: {item.readings} readings, same decision {_percent(item.share)}, "
            f"kappa {_figure(item.kappa)}, private or not {_figure(item.private)}"
        )
    for readers, kappa in several.items():
        click.echo(f"Fleiss' kappa of items with {readers} readings: {'-' if kappa is None else f'{kappa:.3f}'}")
    for name, curator in noticed.items():
        if curator.decoys:
            click.echo(
                f"decoys, {name or 'all curators'}: {curator.noticed} of {curator.decoys} noticed, "
                f"sensitivity {_percent(curator.share)}"
            )


def _percent(value: Estimate | None) -> str:
    return "-" if value is None else f"{value.value:.1%} ({value.low:.1%} to {value.high:.1%})"


def _figure(value: Estimate | None) -> str:
    return "-" if value is None else f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"
