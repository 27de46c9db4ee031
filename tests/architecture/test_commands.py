"""Commands of the command line: a second one of the same name would replace the first without a word."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from deidra.app import cli

MODULES = sorted(Path(cli.__file__).parent.glob("cli*.py"))


def names(path: Path) -> list[str]:
    """Group and name of every command that a module defines."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for made in getattr(node, "decorator_list", []):
            call = made.func if isinstance(made, ast.Call) else None
            if (
                isinstance(call, ast.Attribute)
                and call.attr in ("command", "group")
                and isinstance(call.value, ast.Name)
            ):
                given = [k.value.value for k in made.keywords if k.arg == "name" and isinstance(k.value, ast.Constant)]
                given += [a.value for a in made.args if isinstance(a, ast.Constant)]
                found.append(f"{call.value.id} {given[0] if given else node.name}")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_two_commands_of_a_group_have_one_name(path: Path) -> None:
    twice = {name: count for name, count in Counter(names(path)).items() if count > 1}
    assert not twice


def test_commands_are_met_in_every_group() -> None:
    assert {name.split()[0] for path in MODULES for name in names(path)} >= {
        "cli",
        "evaluate",
        "synth",
        "bench",
        "risk",
    }
