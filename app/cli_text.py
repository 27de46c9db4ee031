"""The command that says of single texts what is private in them."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

import click

from deidra.app.decide.policy import load_policy
from deidra.app.decide.texts import JudgedSpan, TextJudge
from deidra.app.domain.errors import InputError, KnownError


def span_json(span: JudgedSpan) -> dict[str, Any]:
    """A span as the command line prints it; the keys are a contract."""
    return {
        "start": span.start,
        "end": span.end,
        "type": span.type.value,
        "text": span.text,
        "score": span.score,
        "variance": span.variance,
        "verdict": span.verdict.value,
        **({"definition": span.definition} if span.definition else {}),
    }


def read_line(line: bytes) -> dict[str, Any]:
    """One line of the input.

    Raises:
        InputError: it is no JSON object with "id" and "text", or a value is of the wrong kind. The message says
            what is wrong without quoting the line.
    """
    try:
        entry = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError("is not JSON in UTF-8") from error
    if not isinstance(entry, dict):
        raise InputError("is no JSON object")
    if not isinstance(entry.get("id"), str | int | float):
        raise InputError('has no "id" that is a string or number')
    if not isinstance(entry.get("text"), str):
        raise InputError('has no "text" that is a string')
    if not all(isinstance(entry.get(key) or "", str) for key in ("tag", "label")):
        raise InputError('has a "tag" or "label" that is no string')
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InputError("holds half a character (a lone surrogate)") from error
    return entry


@click.command()
@click.argument("lines", metavar="FILE.jsonl", type=click.File("rb"))
@click.option("--policy", "name", default="basic", show_default=True, help="Preset or policy file.")
def tag(lines: BinaryIO, name: str) -> None:
    """Say which parts of texts are private: one JSON line in, one out. FILE "-" is standard input.

    In: {"id", "text", "tag" (keyword of the DICOM attribute, optional), "label" (what stands beside the text,
    optional)}. Out: {"id", "spans": [{"start", "end", "type", "text", "score", "variance", "verdict"}]}, places in
    characters, the verdict auto (private), queue (a curator is asked) or ignore. What a definition of the policy finds
    has "definition" as well.
    """
    judge = TextJudge(load_policy(name))
    bad = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = read_line(line)
        except InputError as error:
            bad += 1
            click.echo(f"deidra: line {number} {error}.", err=True)
            continue
        spans = judge.spans(entry["text"], tag=entry.get("tag") or "", label=entry.get("label") or "")
        answer = {"id": entry["id"], "spans": [span_json(span) for span in spans]}
        click.echo(json.dumps(answer, ensure_ascii=False))
    if bad:
        raise KnownError(
            f"{bad} of the lines could not be read.", "The others were tagged; correct these and run again."
        )
