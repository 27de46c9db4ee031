"""The command line. Results, input paths among them, go to stdout; stderr holds progress and messages without PHI."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from deidra.app.border import place
from deidra.app.cli_define import define
from deidra.app.cli_experiments import page_masks, replacement
from deidra.app.cli_measure import bench, evaluate, synth
from deidra.app.cli_risk import census_command, risk
from deidra.app.cli_second import second
from deidra.app.cli_text import tag
from deidra.app.cli_window import review, window_speed
from deidra.app.decide.explain import explained, type_rows
from deidra.app.decide.policy import PRESETS, load_policy
from deidra.app.domain.errors import Cancelled, KnownError
from deidra.app.domain.model import DecisionKind, Finding
from deidra.app.metadata.keys import ProjectKey
from deidra.app.passwords import read_passwords
from deidra.app.printing import JSON, print_json
from deidra.app.progress import Bars
from deidra.app.workflow import Pending, Project, current_user, device_matches, explain_header, import_policy
from deidra.storage.findings import FindingFilter

_PROJECT = click.option(
    "--project", "folder", required=True, type=click.Path(file_okay=False, path_type=Path), help="Project folder."
)
_WORKERS = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Processes that work at the same time; the result is the same.",
)
_PASSWORDS = click.option(
    "--password-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File with passwords of encrypted documents, one a line; '-' asks. They are not stored.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="deidra")
def cli() -> None:
    """Deidra: find private data in DICOM files and scans, review it, and release what is clean."""


def main() -> None:
    """Entry point of the ``deidra`` program."""
    # Libraries quote values of headers in their warnings, and messages of faults do so as well.
    warnings.simplefilter("ignore")
    sys.excepthook = _report_fault
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as signal:
        sys.exit(signal.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt, Cancelled):
        click.echo("Stopped. What was finished is stored; run again to go on.", err=True)
        sys.exit(130)
    except KnownError as error:
        click.echo(f"deidra: {error}", err=True)
        if error.advice:
            click.echo(f"  {error.advice}", err=True)
        sys.exit(error.exit_status)


def _report_fault(kind: type[BaseException], _error: BaseException, trace: TracebackType | None) -> None:
    """A fault of Deidra, without its message and values."""
    click.echo(f"deidra: a fault of Deidra ({kind.__name__} at {place(trace)}); please report it.", err=True)


@cli.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
@_PROJECT
@click.option(
    "--policy",
    "chosen",
    help=f"Policy file, or a preset: {', '.join(PRESETS)}. Default: the project's policy, else basic.",
)
@click.option(
    "--database",
    help="Of a new project, the database that several machines share: postgresql://USER@HOST/DATABASE. The password "
    "comes from PGPASSFILE or PGPASSWORD.",
)
@_WORKERS
@_PASSWORDS
@JSON
def run(
    inputs: tuple[Path, ...],
    folder: Path,
    chosen: str | None,
    database: str | None,
    workers: int,
    password_file: Path | None,
    as_json: bool,
) -> None:
    """Load, detect and decide. INPUT are files, folders and zip archives; they are only read.

    A run that was interrupted goes on where it stopped.
    """
    passwords = read_passwords(password_file)
    bars = Bars("file")
    project = Project.open(folder, database=database)
    project.passwords = passwords
    try:
        result = project.run(inputs, bars, policy=chosen, workers=workers)
    finally:
        bars.close()
        project.close()
    held = [{"path": path, "reason": reason} for path, reason in result.quarantined]
    if as_json:
        print_json({**asdict(result), "quarantined": held})
        return
    known = result.inventory
    click.echo(
        f"{known.patients} patients, {known.studies} studies, {known.series} series, "
        f"{known.instances} instances; {known.documents} documents with {known.pages} pages."
    )
    click.echo(f"{result.assets} files: {result.released_automatically} ready for release,")
    click.echo(f"  {result.queued} of {result.findings} findings wait for a curator, {len(held)} files quarantined.")
    for item in held:
        click.echo(f"  quarantined: {item['path']}: {item['reason']}")
    click.echo(f"{result.seconds:.0f} seconds. Next: deidra review --project {folder}")


@cli.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option("--policy", "name", default="basic", show_default=True, help="Preset or policy file.")
@click.option(
    "--key",
    "key_file",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of the secret key (project.key of a project); made when it does not exist.",
)
@_WORKERS
@JSON
def headers(inputs: tuple[Path, ...], out: Path, name: str, key_file: Path, workers: int, as_json: bool) -> None:
    """De-identify headers alone, in bulk. PIXELS ARE NOT SEARCHED: use run and release for images with text.

    What is uncertain is cut out of texts, since nobody is asked.
    """
    from deidra.app.headers import clean_headers

    bars = Bars("file")
    try:
        key = ProjectKey.load_or_create(key_file)
        result = clean_headers(inputs, out, load_policy(name), key, workers, bars)
    finally:
        bars.close()
    if as_json:
        refused = [{"path": path, "reason": reason} for path, reason in result.refused]
        print_json({"written": result.written, "refused": refused})
        return
    click.echo(f"{result.written} files written to {out}; their pixels were not searched for text.")
    for path, reason in result.refused:
        click.echo(f"  not written: {path}: {reason}")


def finding_json(finding: Finding, location: str) -> dict[str, Any]:
    """A finding as the command line prints it; the keys are a contract."""
    return {
        "id": finding.id,
        "asset": location,
        "frame": finding.frame,
        "page": finding.page,
        "polygon": [list(point) for point in finding.polygon] if finding.polygon else None,
        "tag": finding.tag,
        "text": finding.text,
        "type": finding.type.value if finding.type else None,
        "score": finding.score,
        "variance": finding.variance,
        "risk": finding.risk,
        "evidence": [
            {
                "agent": e.agent,
                "text": e.text,
                "type": e.type.value if e.type else None,
                "score": e.score,
                "variance": e.variance,
                "detail": e.detail,
            }
            for e in finding.evidence
        ],
        "verdict": finding.verdict.value,
        "action": finding.action.value,
        "reason": finding.reason,
        "decision": finding.decision.value if finding.decision else None,
    }


def _list_findings(folder: Path, wanted: FindingFilter | None, sort: str, as_json: bool) -> None:
    project = Project.open(folder, create=False)
    try:
        findings = project.store.findings.select(wanted, sort)
        assets = {asset.id: asset for asset in project.store.assets.all()}
    finally:
        project.close()
    if as_json:
        print_json([finding_json(f, assets[f.asset_id].location) for f in findings])
        return
    for f in findings:
        place = f.tag or (f"page {f.page}" if f.page is not None else f"frame {'all' if f.frame is None else f.frame}")
        kind = f.type.value if f.type else "-"
        state = f.decision.value if f.decision else f.verdict.value
        click.echo(f"{f.id}  {state:<7} {kind:<22} risk {f.risk:5.1f}  {place}  {f.text!r}")
    click.echo(f"{len(findings)} findings", err=True)


@cli.command()
@_PROJECT
@JSON
def queue(folder: Path, as_json: bool) -> None:
    """List what waits for a curator, highest expected leak first."""
    _list_findings(folder, FindingFilter(pending=True), "leak", as_json)


@cli.command()
@_PROJECT
@JSON
def findings(folder: Path, as_json: bool) -> None:
    """List every finding with its evidence."""
    _list_findings(folder, None, "file", as_json)


@cli.command()
@_PROJECT
@click.argument("words", nargs=-1, required=True, metavar="(ID... | --all) accept|replace|blank|keep")
@click.option("--all", "everything", is_flag=True, help="Decide on everything that waits.")
@click.option("--text", help="The text of a replacement; the proposed surrogate when not given.")
@click.option("--by", help="Who decides; your user name when not given.")
def decide(folder: Path, words: tuple[str, ...], everything: bool, text: str | None, by: str | None) -> None:
    """Decide on findings: accept the proposal, replace, blank, or keep the original."""
    *ids, verb = words
    if verb not in set(DecisionKind):
        raise click.UsageError("The last word must be accept, replace, blank or keep.")
    if everything == bool(ids):
        raise click.UsageError("Give either finding ids or --all.")
    project = Project.open(folder, create=False)
    try:
        chosen: Sequence[str] = [f.id for f in project.desk.queue()] if everything else ids
        change = project.desk.decide(chosen, DecisionKind(verb), text, by or current_user())
    finally:
        project.close()
    click.echo(f"{len(change.findings)} findings: {verb}")


@cli.command()
@_PROJECT
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option(
    "--pending",
    type=click.Choice([p.value for p in Pending]),
    default=Pending.REFUSE.value,
    show_default=True,
    help="What to do with findings that wait for a curator.",
)
@_WORKERS
@_PASSWORDS
@JSON
def release(folder: Path, out: Path, pending: str, workers: int, password_file: Path | None, as_json: bool) -> None:
    """Write an audited release; every written file is searched again."""
    passwords = read_passwords(password_file)
    bars = Bars("file")
    project = Project.open(folder, create=False)
    project.passwords = passwords
    try:
        result = project.release(out, pending, bars, workers=workers)
    finally:
        bars.close()
        project.close()
    held = [{"path": path, "reason": reason} for path, reason in result.quarantined]
    if as_json:
        print_json({"folder": str(out), "released": result.released, "quarantined": held, "seconds": result.seconds})
        return
    click.echo(f"{result.released} files released to {out}, {len(held)} held back.")
    for item in held:
        click.echo(f"  held back: {item['path']}: {item['reason']}")


@cli.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def verify(folder: Path) -> None:
    """Check a release against its manifest: hashes and completeness."""
    from deidra.app.release.manifest import verify as check

    click.echo(f"{check(folder)} files verified.")


@cli.command()
@_PROJECT
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the tables.")
def crosswalk(folder: Path, out: Path) -> None:
    """Write the secret tables original to surrogate: uid_map.csv, patid_map.csv, assets.csv."""
    project = Project.open(folder, create=False)
    try:
        for path in project.write_crosswalk(out):
            click.echo(str(path))
    finally:
        project.close()


@cli.command()
@click.option("--project", "folder", type=click.Path(file_okay=False, path_type=Path), help="Project folder.")
@click.option(
    "--policy", "chosen", default="basic", show_default=True, help="Preset or policy file, without --project."
)
@JSON
def devices(folder: Path | None, chosen: str, as_json: bool) -> None:
    """List the device rules: where machines print identifying text. With --project: how many of its files each matches.

    Boxes are x, y, width and height in pixels from the top left corner.
    """
    if folder is None:
        found = device_matches(load_policy(chosen))
    else:
        project = Project.open(folder, create=False)
        try:
            found = project.device_matches()
        finally:
            project.close()
    if as_json:
        print_json([{**m.rule.model_dump(mode="json"), "own": m.own, "assets": list(m.assets)} for m in found])
        return
    for match in found:
        rule = match.rule
        named = ", ".join(f"{name} {value}" for name, value in rule.selectors.items())
        count = f"{len(match.assets):5d} files  " if folder else ""
        click.echo(f"{count}{rule.action.value:<6}  {rule.name}: {named}   [{rule.source or 'no source'}]")
        click.echo(f"        boxes {'; '.join(','.join(map(str, box)) for box in rule.boxes)}")


@cli.group()
def patients() -> None:
    """What patients become: pseudonyms and date shifts."""


@patients.command(name="import")
@click.argument("table", type=click.Path(dir_okay=False, path_type=Path))
@_PROJECT
def import_patients(table: Path, folder: Path) -> None:
    """Take pseudonyms and date shifts from a CSV file, used from the next run on.

    Its first line names the columns: patient_id, and any of issuer, pseudonym, days (whole days, below zero into
    the past) and baseline (the date that becomes day zero).
    """
    project = Project.open(folder)
    try:
        count = project.import_patients(table)
    finally:
        project.close()
    click.echo(f"{count} patients imported.")


@patients.command()
@_PROJECT
@JSON
def dates(folder: Path, as_json: bool) -> None:
    """Print every date of every patient before and after."""
    project = Project.open(folder, create=False)
    try:
        events = project.dated_events()
    finally:
        project.close()
    if as_json:
        print_json([asdict(event) for event in events])
        return
    for event in events:
        click.echo(f"{event.pseudonym:<16} {event.before:<10} -> {event.after or '(removed)':<10} {event.event}")


@cli.group()
def policy() -> None:
    """Say what a policy does."""


@policy.command()
@click.argument("name", default="basic")
def show(name: str) -> None:
    """Explain a preset or policy file in plain words."""
    for line in explained(load_policy(name)):
        click.echo(line)


@policy.command()
@click.argument("name", default="basic")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each type.")
def types(name: str, as_json: bool) -> None:
    """List the types of private data with HIPAA letter, risk, what a policy does to them, and papers' labels."""
    for row in type_rows(load_policy(name)):
        if as_json:
            click.echo(json.dumps(row, ensure_ascii=False))
        else:
            labels = "; ".join(f"{paper}: {label}" for paper, label in row["papers"].items())
            click.echo(
                f"{row['type']:<22} {row['hipaa'] or '-':<2} {row['risk']:>3}  {row['action']:<8} {row['meaning']}"
            )
            click.echo(f"{'':<32}   {labels}" if labels else "", nl=bool(labels))


@policy.command(name="import")
@click.argument("recipe", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The policy file to write.")
@click.option("--extends", "base", type=click.Choice(PRESETS), default="basic", show_default=True, help="Preset.")
@click.option("--partial", is_flag=True, help="Leave out what has no counterpart, and say so, instead of refusing.")
def import_recipe(recipe: Path, out: Path, base: str, partial: bool) -> None:
    """Make a policy file from a recipe of pydicom/deid, or from an anonymizer script of RSNA's CTP (XML)."""
    count, skipped = import_policy(recipe, out, base, partial)
    click.echo(f"{count} rules written to {out}.")
    for line in skipped:
        click.echo(f"  not taken over: {line}")


@policy.command()
@click.argument("name")
@click.option("--input", "path", required=True, type=click.Path(dir_okay=False, path_type=Path), help="A DICOM file.")
def explain(name: str, path: Path) -> None:
    """Print for each header element of a DICOM file what a policy would do with it, and why."""
    for row in explain_header(path, load_policy(name)):
        after = "(removed)" if row.after is None else row.after
        change = row.before if row.after == row.before else f"{row.before}  ->  {after}"
        click.echo(f"{row.tag:<14} {row.vr:<2} {row.action:<7} {row.keyword}: {change}   [{row.reason}]")


@cli.command()
def doctor() -> None:
    """Print what was found: versions, providers, models, fonts, free disk."""
    from deidra.app.doctor import report

    for name, value in report():
        click.echo(f"{name:<22} {value}")


for command in (census_command, define, evaluate, bench, review, risk, second, synth, tag):
    cli.add_command(command)
bench.add_command(window_speed)
evaluate.add_command(page_masks)
evaluate.add_command(replacement)

if __name__ == "__main__":
    main()
