"""Keeps the catalogues of the window's texts: gathers the texts from the source, merges and compiles.

    python packaging/catalogue.py            # merge new texts into the catalogues, and compile them
    python packaging/catalogue.py --check    # say what is not translated; status 1 where something is not

Needs Babel, which the development tools bring. What it gathers: texts in calls of ``ui/translation.py``, groups,
texts and tips of commands, and the fixed texts of the rest of Deidra that reach the window: names of types, reasons,
messages of known errors.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "ui" / "locale"
LANGUAGES = ("de",)

UI_CALLS = {"tr": 1, "later": 1, "trn": 2, "trc": 2}
"""Functions of ``ui/translation.py`` with the number of texts that stand first in a call."""
COMMAND = "Binding"
"""Its arguments 1 to 3 are group, text and tip."""

ERRORS = ("KnownError", "InputError", "ModelError", "PolicyError", "ReleaseBlocked", "StoreError")
NOT_SHOWN = (
    "app/cli",
    "app/evaluate/",
    "app/headers.py",
    "app/metadata/recipe_",
    "app/passwords.py",
    "app/risk/",
    "app/synth/",
    "models/training",
)
"""What the window never runs."""
TABLES = {
    "app/decide/editing.py": ("_SECTIONS",),
    "app/decide/explain.py": ("_OPTIONS", "_FILLS", "_DOCUMENTS", "_THINGS"),
    "app/review/alike.py": ("SAME_TEXT", "SAME_PLACE", "SAME_LAYOUT", "SAME_PAGE"),
}
"""Tables of fixed texts, by file."""
ENUMS = {"app/domain/model.py": ("Action",)}
"""Enumerations whose values are words, by file."""
STAGES = ("Meter", "_each")
"""Calls whose first argument names a stage of a run or release."""
GENERATORS = {"app/dating.py": ("_faults",)}
"""Functions that yield fixed texts, by file."""
DATA = {
    "app/decide/data/*.toml": "description",
    "app/detect/data/rules.toml": "detail",
    "app/detect/layout/labels.toml": "name",
}
"""Files with presets and rules, and the key of what a curator is told of one."""

Text = str | tuple[str, str]
"""A text, or the forms for one and for many."""


def ui_texts(tree: ast.AST) -> Iterator[tuple[Text, str | None]]:
    """Texts of one file of ``ui/``, each with its context or None."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        name = call.func.id
        if name == COMMAND:
            yield from ((text, None) for text in _literals(call.args[1:4]))
        elif name in UI_CALLS:
            texts = list(_literals(call.args[: UI_CALLS[name]]))
            if len(texts) < UI_CALLS[name]:
                continue
            if name == "trn":
                yield (texts[0], texts[1]), None
            elif name == "trc":
                yield texts[1], texts[0]
            else:
                yield texts[0], None


def app_texts(name: str, tree: ast.AST) -> Iterator[str]:
    """Fixed texts of one other file that reach the window."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ERRORS:
                yield from _literals(node.args[:2])
            elif node.func.id in ("TypeInfo", *STAGES):
                yield from _literals(node.args[:1])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STAGES:
            yield from _literals(node.args[:1])
        elif isinstance(node, ast.ClassDef) and node.name in ENUMS.get(name, ()):
            yield from (text for part in node.body if isinstance(part, ast.Assign) for text in _values(part.value))
        elif isinstance(node, ast.Assign) and any(
            isinstance(part, ast.Name) and part.id in TABLES.get(name, ())
            for target in node.targets
            for part in ast.walk(target)
        ):
            yield from _values(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name in GENERATORS.get(name, ()):
            yield from (text for part in ast.walk(node) if isinstance(part, ast.Yield) for text in _values(part.value))


def _literals(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            yield node.value


def _values(node: ast.expr | None) -> Iterator[str]:
    """Texts of an expression; of a dictionary its values."""
    if isinstance(node, ast.Dict):
        yield from _literals(node.values)
    elif isinstance(node, ast.Tuple):
        yield from _literals(node.elts)
    elif isinstance(node, ast.IfExp):
        yield from (text for part in (node.body, node.orelse) for text in _values(part))
    elif node is not None:
        yield from _literals([node])


def gathered() -> Catalog:
    """All texts that the window can show in another language, with the files that hold them."""
    catalog = Catalog(domain="deidra", project="Deidra", charset="utf-8")
    for path in sorted((ROOT / "ui").glob("*.py")):
        for text, context in ui_texts(ast.parse(path.read_text("utf-8"))):
            catalog.add(text, context=context, locations=[(path.relative_to(ROOT).as_posix(), 0)])
    for package in ("app", "models", "storage"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(NOT_SHOWN):
                for text in app_texts(name, ast.parse(path.read_text("utf-8"))):
                    catalog.add(text, locations=[(name, 0)])
    for pattern, key in DATA.items():
        for path in sorted(ROOT.glob(pattern)):
            for text in _told(tomllib.loads(path.read_text("utf-8")), key):
                catalog.add(text, locations=[(path.relative_to(ROOT).as_posix(), 0)])
    return catalog


def _told(part: object, key: str) -> Iterator[str]:
    """Texts under a key, at any depth."""
    if isinstance(part, dict):
        if isinstance(part.get(key), str):
            yield part[key]
        for value in part.values():
            yield from _told(value, key)
    elif isinstance(part, list):
        for value in part:
            yield from _told(value, key)


def po_path(language: str) -> Path:
    """The catalogue that people edit."""
    return LOCALE / language / "LC_MESSAGES" / "deidra.po"


def read(language: str) -> Catalog:
    """The catalogue of a language; an empty one where there is none yet."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language, domain="deidra", charset="utf-8")
    with path.open("rb") as stream:
        return read_po(stream, locale=language, domain="deidra")


def missing(catalog: Catalog) -> list[str]:
    """Texts without a translation, or with one that is only a guess."""
    found = []
    for message in catalog:
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and (message.fuzzy or not all(forms)):
            found.append(message.id if isinstance(message.id, str) else message.id[0])
    return found


def compile_to(catalog: Catalog, path: Path) -> None:
    """Write the file that the window reads."""
    with path.open("wb") as stream:
        write_mo(stream, catalog)


def update(language: str) -> Catalog:
    """Merge what the source says into a catalogue, without guesses, and compile it."""
    catalog = read(language)
    catalog.update(gathered(), no_fuzzy_matching=True, update_creation_date=False)
    catalog.fuzzy = False
    catalog.obsolete.clear()
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        write_po(stream, catalog, width=120, include_lineno=False, ignore_obsolete=True)
    compile_to(catalog, path.with_suffix(".mo"))
    return catalog


def main() -> int:
    """Merge and compile, or check."""
    checks = sys.argv[1:] == ["--check"]
    status = 0
    for language in LANGUAGES:
        texts = missing(read(language) if checks else update(language))
        for text in texts:
            sys.stdout.write(f"{language}: not translated: {text!r}\n")
        status = max(status, int(checks and bool(texts)))
    return status


if __name__ == "__main__":
    sys.exit(main())
