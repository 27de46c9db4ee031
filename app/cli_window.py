"""Commands that open the window, draw pictures of it and measure it. Qt is loaded only when one of them runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import click

from deidra.app.domain.errors import KnownError
from deidra.app.printing import JSON, print_json


@contextmanager
def _window_libraries() -> Iterator[None]:
    """Everything else runs on machines without the window's libraries, so their absence is told here."""
    try:
        yield
    except ImportError as error:
        raise KnownError(
            "The window needs libraries that are not installed.", "Install them with: bash packaging/run.sh"
        ) from error


@click.command()
@click.option("--project", "folder", type=click.Path(file_okay=False, path_type=Path), help="Project folder.")
@click.option(
    "--picture", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture of the window (PNG) instead."
)
@click.option(
    "--pictures", type=click.Path(file_okay=False, path_type=Path), help="Write pictures of all pages into a folder."
)
@click.option(
    "--language",
    "wanted",
    type=click.Choice(["en", "de"]),
    envvar="DEIDRA_LANGUAGE",
    help="Language of the window, for this time; else that chosen in its View menu, or the system's.",
)
def review(folder: Path | None, picture: Path | None, pictures: Path | None, wanted: str | None) -> None:
    """Open the review window."""
    with _window_libraries():
        from deidra.ui.gallery import save_pictures
        from deidra.ui.start import open_window, save_picture
        from deidra.ui.translation import Language
    language = Language(wanted) if wanted else None
    if picture is None and pictures is None:
        sys.exit(open_window(folder, language))
    if folder is None:
        raise click.UsageError("--picture and --pictures need --project.")
    if picture is not None:
        save_picture(folder, picture, language=language)
        click.echo(str(picture))
    if pictures is not None:
        for path in save_pictures(folder, pictures, language):
            click.echo(str(path))


@click.command(name="ui")
@click.option("--findings", default=100_000, show_default=True, type=click.IntRange(500), help="Items of the project.")
@click.option("--rounds", default=20, show_default=True, type=click.IntRange(3), help="How often each thing is done.")
@click.option("--boxes", default=100, show_default=True, type=click.IntRange(1), help="Items on each image.")
@JSON
def window_speed(findings: int, rounds: int, boxes: int, as_json: bool) -> None:
    """Measure the window on a synthetic project with images of 2500 x 3000: milliseconds until all is drawn."""
    with _window_libraries():
        from deidra.ui.bench import measure

    speeds = measure(findings, rounds, boxes)
    if as_json:
        print_json([asdict(speed) for speed in speeds])
        return
    for speed in speeds:
        click.echo(
            f"{speed.what:<26} median {speed.median_ms:7.1f} ms, 95 % within {speed.p95_ms:7.1f} ms "
            f"({speed.times} times); held up at most {speed.stall_ms:.0f} ms"
        )
