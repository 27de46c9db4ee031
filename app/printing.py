"""How commands print results for programs."""

from __future__ import annotations

import json

import click

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def print_json(value: object) -> None:
    """One JSON object on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))
