"""Commands that make the experiments of papers about redaction again: evaluate replacement, evaluate masks."""

from __future__ import annotations

from pathlib import Path

import click

from deidra.app.decide.policy import load_policy
from deidra.app.printing import JSON, print_json
from deidra.app.progress import Bars

_OUT = click.option(
    "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result."
)
_PAGES = click.option(
    "--pages", default=200, show_default=True, type=click.IntRange(1), help="Filled pages of the split test."
)
_NOISE = click.option(
    "--noise", default=1, show_default=True, type=click.IntRange(0, 2), help="Clean, scanned, copied."
)
_SEED = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed gives the same pages."
)


@click.command()
@_OUT
@_PAGES
@click.option(
    "--again", default=200, show_default=True, type=click.IntRange(1), help="Pages like those of the training."
)
@click.option(
    "--training", default=320, show_default=True, type=click.IntRange(8), help="Pages that classifiers are trained on."
)
@_NOISE
@_SEED
@JSON
def replacement(out: Path, pages: int, again: int, training: int, noise: int, seed: int, as_json: bool) -> None:
    """Compare pages with black, white, inpainted, blurred and made-up values to the originals, as paper 002 did."""
    from deidra.app.evaluate.replacement import Plan, measure_replacement, summary

    result = measure_replacement(Plan(out, pages, again, training, noise, seed), Bars("page", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"Tables and plots: {out / 'replacement.html'}")


@click.command(name="masks")
@_OUT
@_PAGES
@click.option(
    "--searched", default=24, show_default=True, type=click.IntRange(0), help="Of them, pages that Deidra searches."
)
@click.option(
    "--threshold", type=click.FloatRange(0, 101), default=50, show_default=True, help="From which score risk is high."
)
@click.option("--policy", "name", default="documents", show_default=True, help="Preset or policy file.")
@_NOISE
@_SEED
@JSON
def page_masks(
    out: Path, pages: int, searched: int, threshold: float, name: str, noise: int, seed: int, as_json: bool
) -> None:
    """Measure what masks of three levels cover, which risk they leave, and seconds a page, as paper 001 did."""
    from deidra.app.evaluate.page_masks import Plan, measure_masks, summary
    from deidra.app.risk.scores import published, scaled

    plan = Plan(out, load_policy(name), scaled(published()), pages, searched, threshold, noise, seed)
    result = measure_masks(plan, Bars("page", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"All figures: {out / 'masks.json'}")
