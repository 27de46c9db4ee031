"""The command that defines a type of private text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from deidra.app.defining import Found, by_text, defined_in, merged, write_definition
from deidra.app.detect.definitions.borderline import answered, borderline
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.matcher import Match, Matcher
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.printing import JSON, print_json
from deidra.app.workflow import Project

_SHOWN = 20
_YES, _NO = ("yes", "y"), ("no", "n")
_TYPES = [kind.value for kind in EntityType if kind is not EntityType.UNREAD]


def _read_answers(_context: click.Context, _parameter: click.Parameter, value: str | None) -> list[bool] | None:
    if value is None:
        return None
    words = [word.strip().lower() for word in value.split(",") if word.strip()]
    if any(word not in (*_YES, *_NO) for word in words):
        raise click.BadParameter("answers are yes or no, with commas between them")
    return [word in _YES for word in words]


@click.command()
@click.argument("name")
@click.argument("folder", metavar="[PROJECT]", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--policy",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The policy file that gets the definition; made when it does not exist.",
)
@click.option("--description", default="", help="What it looks like, in words: a letter and eight digits.")
@click.option("--example", "examples", multiple=True, help="A text of the type, best a made-up one; can be repeated.")
@click.option("--counter-example", "counter", multiple=True, help="A text that looks so and is not; can be repeated.")
@click.option("--context", "context", multiple=True, help="A word near which it stands; can be repeated.")
@click.option("--pattern", default="", help="A regular expression in place of what would be induced.")
@click.option("--type", "kind", type=click.Choice(_TYPES), help="The type whose risk and surrogate count.")
@click.option("--answers", callback=_read_answers, help="Answers to the questions, in order: yes,no,...")
@JSON
def define(
    name: str,
    folder: Path | None,
    path: Path,
    description: str,
    examples: tuple[str, ...],
    counter: tuple[str, ...],
    context: tuple[str, ...],
    pattern: str,
    kind: str | None,
    answers: list[bool] | None,
    as_json: bool,
) -> None:
    """Define a type of private text NAME ("passport numbers") in words and by examples, in a policy file.

    With a PROJECT: says what of its texts would be found, and asks about up to five that are in doubt. Answers become
    examples and counter-examples. What is defined is found from the next run with that policy on.
    """
    new = Definition(name, description, examples, counter, context, pattern, EntityType(kind) if kind else None)
    definition = merged(defined_in(path, name), new).checked()
    matcher = induced(definition)
    found = _found(folder, matcher) if folder else []
    questions = borderline([one.match for one in found], definition)
    if answers is not None and len(answers) > len(questions):
        raise click.UsageError(f"There are {len(answers)} answers, but {len(questions)} questions.")
    if not as_json:
        _show(matcher, found, folder is not None)
    if answers is None:
        answers = _asked(questions) if sys.stdin.isatty() and not as_json else []
    definition = answered(definition, questions, answers)
    matcher = induced(definition)
    widened = write_definition(path, definition)
    if as_json:
        print_json({**_facts(matcher, found, questions, answers), "policy": str(path), "sentence_changed": widened})
        return
    if widened:
        click.echo("The sentence detect.only names it now.")
    count = len(definition.examples)
    click.echo(f"{definition.name}: {count} example{'' if count == 1 else 's'}, written to {path}.")
    if answers:
        click.echo("The answers are texts of the project: keep that file as safe as the project.")
    if open_ := len(questions) - len(answers):
        click.echo(f"{open_} texts are in doubt and were not asked about; answer with --answers yes,no,...")


def _found(folder: Path, matcher: Matcher) -> list[Found]:
    project = Project.open(folder, create=False)
    try:
        return by_text(project.definition_matches(matcher))
    finally:
        project.close()


def _asked(questions: Sequence[Match]) -> list[bool]:
    return [click.confirm(f"Is {one.text!r} one of them?") for one in questions]


def _show(matcher: Matcher, found: Sequence[Found], looked: bool) -> None:
    for form in matcher.forms:
        click.echo(f"looks like: {form.words}   {form.pattern.pattern}")
    if matcher.words:
        click.echo(f"words like {len(matcher.words)} examples")
    if matcher.types:
        click.echo(f"types of Deidra: {', '.join(TYPES[kind].label for kind in matcher.types)}")
    click.echo(f"surer near: {', '.join(matcher.context_words) or 'no words are told'}")
    for one in found[:_SHOWN]:
        click.echo(
            f"  {one.match.score:.2f}  {one.match.text}   {one.on_images} times on images, {one.in_headers} in headers"
        )
    if len(found) > _SHOWN:
        click.echo(f"  and {len(found) - _SHOWN} more")
    if looked:
        click.echo(f"{len(found)} different texts of the project would be found.")


def _facts(
    matcher: Matcher, found: Sequence[Found], questions: Sequence[Match], answers: Sequence[bool]
) -> dict[str, Any]:
    return {
        "name": matcher.definition.name,
        "type": matcher.type.value,
        "types": [kind.value for kind in matcher.types],
        "forms": [{"words": f.words, "pattern": f.pattern.pattern, "share": f.share} for f in matcher.forms],
        "context": list(matcher.context_words),
        "examples": list(matcher.definition.examples),
        "counter_examples": list(matcher.definition.counter_examples),
        "matches": [
            {"text": f.match.text, "score": f.match.score, "on_images": f.on_images, "in_headers": f.in_headers}
            for f in found
        ],
        "questions": [{"text": one.text, "score": one.score} for one in questions],
        "answers": list(answers),
    }
