"""Commands that measure Deidra and make synthetic data: evaluate, bench, synth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from deidra.app.decide.policy import load_policy
from deidra.app.printing import JSON, print_json
from deidra.app.progress import Bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deidra.app.evaluate.detector_run import Run
    from deidra.app.synth.texts.sample import Source, Split
    from deidra.models.calibration import Calibration

_OUT = click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the result, and for what is known of each image: a run that is cut off goes on from there.",
)
_PEERS = click.option(
    "--peers",
    "python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Python that has presidio-image-redactor and an English model of spaCy installed.",
)
_WORKERS = click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1), help="Processes that work at the same time."
)
_FILES = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDERS = click.Path(exists=True, file_okay=False, path_type=Path)


def _run(out: Path, tuned: Calibration, split: str, workers: int) -> Run:
    from deidra.app.evaluate.detector_run import Run

    return Run(out, tuned, split, workers, Bars("image", 60))


@click.group()
def evaluate() -> None:
    """Measure Deidra."""


@evaluate.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--policy", "name", default="basic", show_default=True, help="Preset or policy file.")
@JSON
def conformance(inputs: tuple[Path, ...], name: str, as_json: bool) -> None:
    """Let dciodvfy judge DICOM files before and after their headers are de-identified."""
    from deidra.app.evaluate.conformance import compare

    results = list(compare(inputs, load_policy(name)))
    judged = [r for r in results if not r.refused]
    gaining = [r for r in judged if r.gained]
    if as_json:
        print_json(
            {
                "files": len(judged),
                "refused": [{"path": str(r.path), "reason": r.refused} for r in results if r.refused],
                "gaining": [{"path": str(r.path), "errors": list(r.gained)} for r in gaining],
                "errors_gained": sum(len(r.gained) for r in judged),
                "errors_lost": sum(len(r.lost) for r in judged),
            }
        )
        return
    for r in gaining:
        for message in r.gained:
            click.echo(f"{r.path.name}: {message}")
    click.echo(
        f"{len(judged)} files judged, {len(results) - len(judged)} refused; {len(gaining)} files gain errors "
        f"({sum(len(r.gained) for r in judged)}), {sum(len(r.lost) for r in judged)} errors are gone."
    )


@evaluate.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--released", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path), help="The release."
)
@click.option(
    "--crosswalk",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with uid_map.csv and patid_map.csv (deidra crosswalk).",
)
@click.option("--failures", type=click.Path(dir_okay=False, path_type=Path), help="Write every failure (CSV).")
@JSON
def midi(folder: Path, released: Path, crosswalk: Path, failures: Path | None, as_json: bool) -> None:
    """Score the release of a set that was made with "synth midi" by its answer key."""
    from deidra.app.evaluate.midi import score, table, write_failures
    from deidra.app.evaluate.reading import box_reader

    maps = crosswalk / "uid_map.csv", crosswalk / "patid_map.csv"
    result = score(folder / "answers.csv", released, *maps, box_reader())
    if failures is not None:
        write_failures(result, failures)
    if as_json:
        rows = [{**asdict(row), "percent": row.percent} for row in (*result.rows, result.total)]
        print_json({"rows": rows, "failures": len(result.failures)})
        return
    click.echo(table(result))


@evaluate.command()
@_OUT
@click.option(
    "--images", default=2000, show_default=True, type=click.IntRange(1), help="Synthetic images of each suite."
)
@click.option("--ppocr", default=300, show_default=True, type=click.IntRange(0), help="How many PP-OCR sees as well.")
@click.option("--noise", default=100, show_default=True, type=click.IntRange(0), help="Images of each suite for noise.")
@click.option("--cost/--no-cost", default=True, show_default=True, help="Measure time and memory.")
@click.option("--annotations", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Real images (JSON).")
@click.option("--root", "roots", multiple=True, type=_FOLDERS, help="Where the real images are; can be repeated.")
@click.option("--overlays", type=click.Path(file_okay=False, path_type=Path), help="Pictures of the real images.")
@_WORKERS
@JSON
def detector(
    out: Path,
    images: int,
    ppocr: int,
    noise: int,
    cost: bool,
    annotations: Path | None,
    roots: tuple[Path, ...],
    overlays: Path | None,
    workers: int,
    as_json: bool,
) -> None:
    """Measure the text detector: precision, redaction, doubt, real images, cost.

    Annotations of real images are {"NAME": {"size": [w, h], "frame": n, "frames": n, "group"?: word, "items":
    [{"box": [l, t, r, b], "text": word, "legible": bool, "phi": kind or "none"}]}}.
    """
    from deidra.app.evaluate.detector import Plan, measure_detector, summary
    from deidra.models.calibration import calibration

    plan = Plan(images, ppocr, noise, cost, annotations=annotations, roots=roots, overlays=overlays)
    result = measure_detector(_run(out, calibration(), "test", workers), plan)
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"Tables and plots: {out / 'result.html'}")


@evaluate.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@click.option("--policy", "name", default="basic", show_default=True, help="Preset or policy file.")
@click.option("--sets", default=2, show_default=True, type=click.IntRange(0), help="Synthetic sets of 15 DICOM files.")
@click.option("--seed", default=7, show_default=True, help="Seed of the first set.")
@click.option("--annotations", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Real images (JSON).")
@click.option("--real", "roots", multiple=True, type=_FOLDERS, help="Where the real images are; can be repeated.")
@_PEERS
@click.option("--show-text", is_flag=True, help="Say what missed lines say; of real images this is private data.")
@JSON
def pixels(
    out: Path,
    name: str,
    sets: int,
    seed: int,
    annotations: Path | None,
    roots: tuple[Path, ...],
    python: Path | None,
    show_text: bool,
    as_json: bool,
) -> None:
    """Find, decide and redact on images of which is known what stands on them; tell what is covered and what is not.

    For the form of annotations see "evaluate detector".
    """
    from deidra.app.evaluate.pixels import Plan, measure_pixels, summary

    seeds = tuple(range(seed, seed + sets))
    plan = Plan(out, load_policy(name), seeds, annotations, roots, python, show_text)
    result = measure_pixels(plan, Bars("image", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"One by one: {out / 'result.html'}")


@evaluate.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@JSON
def syntaxes(inputs: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Cover a box in every DICOM image; tell by transfer syntax what stays as it was and what other programs read."""
    from deidra.app.evaluate.syntaxes import by_syntax, outcomes, write_syntaxes

    found = list(outcomes(inputs))
    write_syntaxes(found, out)
    if as_json:
        print_json([asdict(outcome) for outcome in found])
        return
    for syntax, files, before, ways, outside, inside, after in by_syntax(found):
        click.echo(f"{syntax}: {files} files ({ways}); same outside {outside}, covered inside {inside}")
        click.echo(f"  decoded the same by {before}; after by {after}")
    click.echo(f"held back: {sum(bool(outcome.refused) for outcome in found)}; file by file: {out / 'syntaxes.html'}")


@evaluate.command()
@click.option(
    "--funsd", required=True, type=_FOLDERS, help="Annotations of FUNSD: forms with linked questions and answers."
)
@JSON
def pairs(funsd: Path, as_json: bool) -> None:
    """Measure on true lines of real forms whether values are paired with their labels."""
    from deidra.app.evaluate.documents_funsd import pairs_found

    result = pairs_found(funsd)
    if as_json:
        print_json({form: asdict(one) for form, one in result.items()})
        return
    for form, one in result.items():
        click.echo(f"{form}: {one.found} of {one.answers} answers found, {one.claimed} other lines claimed")


@evaluate.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@click.option(
    "--set", "sets", multiple=True, type=_FILES, help="Texts labelled with our types (JSON Lines); repeatable."
)
@click.option("--presidio", type=_FILES, help="Sentences of presidio-research (JSON Lines).")
@click.option("--meddocan", type=_FILES, help="Cases of MEDDOCAN (JSON Lines).")
@click.option("--look-alikes", is_flag=True, help="Texts in which nothing is private though much looks so.")
@click.option("--cost/--no-cost", default=True, show_default=True, help="Measure CPU time.")
@click.option("--policy", "name", default="basic", show_default=True, help="Preset or policy file.")
@JSON
def entities(
    out: Path,
    sets: tuple[Path, ...],
    presidio: Path | None,
    meddocan: Path | None,
    look_alikes: bool,
    cost: bool,
    name: str,
    as_json: bool,
) -> None:
    """Measure the entity tagger: spans, tokens, calibration, review, look-alikes, cost.

    A line of a set is {"id", "text", "tag"?, "label"?, "source"?, "spans": [{"start", "end", "type"}]}; spans of
    others' sets may be [start, end, label].
    """
    from deidra.app.evaluate.entities import Plan, measure_entities, summary

    others = {key: path for key, path in (("presidio", presidio), ("meddocan", meddocan)) if path is not None}
    result = measure_entities(Plan(out, load_policy(name), sets, others, look_alikes, cost), Bars("text", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"Tables and plots: {out / 'entities.html'}")


@evaluate.command(name="documents")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@click.option("--pages", default=40, show_default=True, type=click.IntRange(1), help="Filled pages of the split test.")
@click.option("--noise", default=1, show_default=True, type=click.IntRange(0, 2), help="Clean, scanned, copied.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed gives the same pages."
)
@click.option("--policy", "name", default="documents", show_default=True, help="Preset or policy file.")
@_PEERS
@JSON
def filled_documents(
    out: Path, pages: int, noise: int, seed: int, name: str, python: Path | None, as_json: bool
) -> None:
    """Measure what is covered on filled forms, letters, cards and reports whose wordings nobody tuned on."""
    from deidra.app.evaluate.documents import Plan, measure_documents, summary

    result = measure_documents(Plan(out, load_policy(name), pages, noise, seed, python), Bars("page", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"All figures: {out / 'documents.json'}")


@evaluate.command()
@_OUT
@click.option("--images", default=2000, show_default=True, type=click.IntRange(1), help="Synthetic images.")
@_WORKERS
@JSON
def papers(out: Path, images: int, workers: int, as_json: bool) -> None:
    """Make the tables of two papers about detection again, beside the published figures."""
    from deidra.app.evaluate.detector import measure_papers, papers_summary
    from deidra.models.calibration import calibration

    result = measure_papers(_run(out, calibration(), "test", workers), images)
    if as_json:
        print_json(result)
        return
    for line in papers_summary(result):
        click.echo(line)


@evaluate.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@click.option("--images", default=150, show_default=True, type=click.IntRange(1), help="Synthetic images.")
@_WORKERS
@JSON
def definitions(out: Path, images: int, workers: int, as_json: bool) -> None:
    """Define types in words and by examples, and find them on images, beside the figures of paper 000."""
    from deidra.app.decide.policy import Policy
    from deidra.app.evaluate.definitions import Plan, measure_definitions, summary

    result = measure_definitions(Plan(out, images, Policy(), workers), Bars("image", 60))
    if as_json:
        print_json(result)
        return
    for line in summary(result):
        click.echo(line)
    click.echo(f"All figures: {out / 'definitions.json'}")


@evaluate.command()
@_OUT
@click.option(
    "--images", default=600, show_default=True, type=click.IntRange(1), help="Synthetic images of each suite."
)
@click.option("--missed", default=0.01, show_default=True, type=click.FloatRange(0, 1), help="Share of texts missed.")
@click.option(
    "--wrong", default=0.002, show_default=True, type=click.FloatRange(0, 1), help="Share of sure boxes wrong."
)
@_WORKERS
@JSON
def calibrate(out: Path, images: int, missed: float, wrong: float, workers: int, as_json: bool) -> None:
    """Measure what the detector's probabilities and variances are worth, and write its calibration to OUT."""
    from deidra.app.evaluate.calibrate import run_calibration, uncalibrated, write_calibration

    made, about = run_calibration(_run(out, uncalibrated(), "calibrate", workers), images, missed, wrong)
    path = write_calibration(made, about, out)
    if as_json:
        print_json(made.to_dict(about))
        return
    for promise, what in ((made.missed, "missed texts"), (made.sure, "wrong boxes that are sure")):
        kept = "promise kept" if promise.kept else "PROMISE NOT KEPT"
        click.echo(f"{what}: threshold {promise.threshold:.4f}, expected at most {promise.bound:.4f} ({kept})")
    click.echo(f"paper's threshold: {made.tuned.paper_threshold:.6f} of the normalised variance")
    click.echo(f"written: {path}")


@evaluate.command(name="calibrate-tagger")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the result.")
@click.option("--texts", default=4000, show_default=True, type=click.IntRange(10), help="Synthetic texts.")
@JSON
def calibrate_tagger(out: Path, texts: int, as_json: bool) -> None:
    """Measure what the entity tagger's probabilities are worth, and write its calibration to OUT."""
    from deidra.app.evaluate.calibrate_tagger import calibrated_tagger, write_tagger_calibration

    made = calibrated_tagger(texts, Bars("text", 60))
    path = write_tagger_calibration(made, out)
    if as_json:
        print_json(made)
        return
    about = made["about"]
    click.echo(f"temperature {made['temperature']}: error {about['error_before']} before, {about['error_after']} after")
    click.echo(f"written: {path}")


@click.group()
def bench() -> None:
    """Compare speed with other tools, in one run."""


@bench.command()
@click.option("--files", default=500, show_default=True, type=click.IntRange(2), help="Slices of the series.")
@click.option(
    "--peers",
    "python",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A Python that has the peers installed; this one when not given.",
)
@click.option("--rounds", default=3, show_default=True, type=click.IntRange(1), help="Each tool's best one counts.")
@JSON
def headers(files: int, python: Path | None, rounds: int, as_json: bool) -> None:
    """De-identify the headers of a CT series, as a file a CPU-second, beside the peers that are installed."""
    from deidra.app.evaluate.bench import compare_headers
    from deidra.app.synth.series import slices

    results = compare_headers(slices(files), python, rounds)
    if as_json:
        print_json([asdict(result) for result in results])
        return
    for result in results:
        click.echo(
            f"{result.tool:<18} {result.version:<10} "
            + (
                f"{result.files_per_cpu_second:8.1f} files/CPU s, {result.peak_mb:6.0f} MB"
                if result.files
                else result.note
            )
        )


@bench.command(name="pixels")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1), help="Threads of the networks.")
@JSON
def pixel_costs(threads: int, as_json: bool) -> None:
    """Find and read the text of slices, clips and radiographs, in CPU seconds, and of stacks beside single images."""
    from deidra.app.evaluate.bench_pixels import cost_of_search

    costs = cost_of_search(Bars("case"), threads)
    if as_json:
        stacks = {"series_in_slices": costs.series_in_slices, "cine_in_frames": costs.cine_in_frames}
        print_json({"cases": [asdict(case) for case in costs.cases], **stacks})
        return
    for case in costs.cases:
        click.echo(
            f"{case.case:<20} {case.images:4} images, {case.searched:3} searched whole: {case.cpu_seconds:7.2f} CPU s, "
            f"{case.wall_seconds:7.2f} s, {case.peak_mb:5.0f} MB"
        )
    click.echo(f"the series costs {costs.series_in_slices:.3f} of its slices one by one")
    click.echo(f"the cine costs as much as {costs.cine_in_frames:.1f} of its frames")


@click.group()
def synth() -> None:
    """Make synthetic data."""


@synth.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option("--seed", default=7, show_default=True, help="The same seed gives the same files.")
def sample(out: Path, seed: int) -> None:
    """Make a sample set of DICOM files and scans with planted private data, and its answer key."""
    from deidra.app.synth.sample import make_sample

    made = make_sample(out, seed)
    click.echo(f"{len(made.dicom)} DICOM files, {len(made.scans)} scans; what is planted: {made.key}")


@synth.command()
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option("--suite", default="machines", show_default=True, type=click.Choice(["papers", "machines"]))
@click.option("--split", default="train", show_default=True, type=click.Choice(["train", "calibrate", "test"]))
@click.option("--images", "count", default=100, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", default=0, show_default=True, help="Number of the first; the same number gives the same image.")
@click.option("--view", type=(int, int), metavar="WIDTH HEIGHT", help="Windows of at most this size.")
def images(out: Path, suite: str, split: str, count: int, seed: int, view: tuple[int, int] | None) -> None:
    """Make images with burned-in text, the mask of its ink, and the truth (JSON Lines)."""
    from deidra.app.synth.scenes.files import write_scenes

    texts = write_scenes(out, suite, split, range(seed, seed + count), view)
    click.echo(f"{count} images with {texts} texts: {out}")


@synth.command(name="documents")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option("--pages", default=40, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--split", default="train", show_default=True, type=click.Choice(["train", "calibrate", "test"]))
@click.option("--noise", default=1, show_default=True, type=click.IntRange(0, 2), help="Clean, scanned, copied.")
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed gives the same pages."
)
def document_pages(out: Path, pages: int, split: str, noise: int, seed: int) -> None:
    """Make filled documents of eight kinds (PNG), and what stands where on each (JSON)."""
    from deidra.app.synth.filled.files import write_filled

    made = write_filled(out, pages, split, noise, seed)
    click.echo(f"{pages} pages with {sum(len(page.texts) for _, page in made)} texts: {out}")


@synth.command(name="midi")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="A new folder.")
@click.option("--patients", default=24, show_default=True, type=click.IntRange(1), help="About 22 instances each.")
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same files.")
def midi_set(out: Path, patients: int, seed: int) -> None:
    """Make a set in the manner of the MIDI-B challenge: CR CT DX MG MR PT SR US, and its answer key."""
    from deidra.app.synth.midi.generate import make_midi

    made = make_midi(out, patients, seed)
    click.echo(f"{made.instances} instances of {made.patients} patients, {made.checks} checks: {made.key}")


def _write_texts(out: Path, split: str, seed: int, count: int, sources: Sequence[Source]) -> None:
    from deidra.app.synth.texts.generate import write_samples

    bars = Bars("text", 60)
    try:
        values = write_samples(out, cast("Split", split), seed, count, sources, bars)
    finally:
        bars.close()
    click.echo(f"{count} texts with {values} private values: {out}")


_TEXTS = click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="A file (JSON Lines)."
)
_COUNT = click.option("--count", default=1000, show_default=True, type=click.IntRange(1), help="How many texts.")
_SEED = click.option("--seed", default=0, show_default=True, help="The same seed gives the same texts.")
_SPLIT = click.option("--split", default="train", show_default=True, type=click.Choice(["train", "calibrate", "test"]))


@synth.command(name="notes")
@_TEXTS
@_COUNT
@_SEED
@_SPLIT
def note_texts(out: Path, count: int, seed: int, split: str) -> None:
    """Make clinical notes and letters, whole and in pieces, with their private values marked."""
    _write_texts(out, split, seed, count, ["note"])


@synth.command(name="fields")
@_TEXTS
@_COUNT
@_SEED
@_SPLIT
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Choice(["field", "cell", "line"]),
    help="Header fields, cells of documents, or lines read from images; can be repeated. All, in turn, when not given.",
)
def field_texts(out: Path, count: int, seed: int, split: str, sources: tuple[Source, ...]) -> None:
    """Make values of header fields, cells of documents and lines read from images, with their private values marked."""
    _write_texts(out, split, seed, count, sources or ("field", "cell", "line"))
