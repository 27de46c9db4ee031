from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("app", "models", "storage", "ui")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in SOURCES}

BORDERS = {"app/border.py", "models/runtime.py"}
"""Where anything may be caught: a bad file must not end a batch, and onnxruntime raises bare exceptions."""
LOG_KEYS = {"stage", "asset", "error", "where"}
"""What a log line may hold: ids, names of stages and classes, places in the source. Never a value or a path."""
LOG_METHODS = {"debug", "info", "warning", "error", "critical", "exception", "msg", "log", "bind", "fatal", "warn"}


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names of imported modules, wherever in the file the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.lineno


def imports_of(tree: ast.AST, *packages: str) -> list[str]:
    return [f"{name}:{line}" for name, line in imported(tree) if name.split(".")[0] in packages]


def blind_handlers(tree: ast.AST) -> list[int]:
    """Lines of handlers that catch everything, those that raise it again excepted."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            types = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            names = {t.id if isinstance(t, ast.Name) else None if t else "" for t in types}
            again = bool(node.body) and isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if names & {"", "Exception", "BaseException"} and not again:
                found.append(node.lineno)
    return found


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def log_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in calls(tree):
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in LOG_METHODS:
            owner = function.value
            if isinstance(owner, ast.Name) and owner.id in ("log", "logger", "logging", "structlog"):
                yield node


def class_names(tree: ast.AST) -> set[str]:
    """Variables that are only ever given the name of a class."""
    values: dict[str, list[bool]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            named = isinstance(node.value, ast.Attribute) and node.value.attr == "__name__"
            for target in node.targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name):
                        values.setdefault(part.id, []).append(named and part is target)
        elif isinstance(node, ast.arg):
            values.setdefault(node.arg, []).append(False)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            values.setdefault(node.id, [])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            values.setdefault(node.name, []).append(False)
    stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return {name for name, kinds in values.items() if kinds and all(kinds) and stores.count(name) == len(kinds)}


def faulty_log_call(call: ast.Call, allowed: set[str], names: Collection[str] = ()) -> str:
    """What is wrong with a log call; an empty text when nothing is."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Constant) or not isinstance(call.args[0].value, str):
        return f"line {call.lineno}: the event is no plain text"
    unknown = [str(keyword.arg) for keyword in call.keywords if keyword.arg not in allowed]
    if unknown:
        return f"line {call.lineno}: {', '.join(unknown)} may not be logged"
    for keyword in call.keywords:
        value = keyword.value
        named = isinstance(value, ast.Attribute) and value.attr == "__name__"
        if keyword.arg == "error" and not named and not (isinstance(value, ast.Name) and value.id in names):
            return f"line {call.lineno}: only the name of an error's class may be logged"
    return ""


def by_package(*packages: str) -> list[str]:
    return [name for name in TREES if name.split("/")[0] in packages]


def test_the_sources_are_found() -> None:
    assert len(TREES) > 60
    assert {name.split("/")[0] for name in TREES} == set(PACKAGES)


@pytest.mark.parametrize("name", by_package("app", "models", "storage"))
def test_qt_is_imported_by_the_window_only(name: str) -> None:
    assert imports_of(TREES[name], "PySide6", "PyQt6", "PyQt5", "shiboken6", "qtpy") == []


@pytest.mark.parametrize("name", by_package("app", "models", "ui"))
def test_sql_is_written_by_the_storage_only(name: str) -> None:
    assert imports_of(TREES[name], "sqlalchemy", "alembic", "sqlite3") == []


@pytest.mark.parametrize("name", by_package("app", "storage", "ui"))
def test_networks_are_run_by_the_models_only(name: str) -> None:
    # The models package silences onnxruntime before it is first imported.
    assert imports_of(TREES[name], "onnxruntime") == []


@pytest.mark.parametrize("name", by_package("app", "models", "storage", "ui"))
def test_the_network_is_never_used(name: str) -> None:
    packages = ("requests", "urllib3", "httpx", "aiohttp", "http", "socket", "ftplib", "smtplib")
    assert imports_of(TREES[name], *packages) == []
    assert [n for n, _ in imported(TREES[name]) if n.startswith("urllib.request")] == []


@pytest.mark.parametrize("name", TREES)
def test_nothing_imports_synthetic_data_but_what_measures_and_trains(name: str) -> None:
    users = [n for n, _ in imported(TREES[name]) if n.startswith("deidra.app.synth")]
    may = name == "app/cli_measure.py" or name.startswith(("app/synth/", "app/evaluate/", "models/training/"))
    assert users == [] or may


@pytest.mark.parametrize("name", TREES)
def test_everything_is_caught_at_two_borders_only(name: str) -> None:
    assert len(blind_handlers(TREES[name])) <= (name in BORDERS)


def test_the_window_has_at_most_one_border_of_its_own() -> None:
    assert sum(len(blind_handlers(TREES[name])) for name in by_package("ui")) <= 1


@pytest.mark.parametrize("name", TREES)
def test_nothing_is_printed(name: str) -> None:
    assert [
        call.lineno for call in calls(TREES[name]) if isinstance(call.func, ast.Name) and call.func.id == "print"
    ] == []


@pytest.mark.parametrize("name", TREES)
def test_the_log_holds_only_what_is_free_of_private_data(name: str) -> None:
    # The window adds the places of a traceback, which are functions and line numbers.
    allowed = LOG_KEYS | ({"trace"} if name == "ui/application.py" else set())
    names = class_names(TREES[name])
    assert [fault for call in log_calls(TREES[name]) if (fault := faulty_log_call(call, allowed, names))] == []


def test_there_are_log_calls_to_check() -> None:
    assert sum(len(list(log_calls(tree))) for tree in TREES.values()) >= 3


@pytest.mark.parametrize("name", TREES)
def test_the_plain_logging_module_is_used_by_the_log_only(name: str) -> None:
    assert name == "app/logs.py" or imports_of(TREES[name], "logging") == []


@pytest.mark.parametrize(
    ("source", "faulty"),
    [
        ("log.error('bug', stage=stage, asset=asset.id, error=type(error).__name__, where=place)", False),
        ("log.info('started')", False),
        ("log.info(f'started {name}')", True),
        ("log.info(name)", True),
        ("log.info('started', path=path)", True),
        ("log.info('started', **values)", True),
        ("log.error('bug', error=str(error))", True),
        ("log.error('bug', error=error)", True),
        ("name = type(error).__name__\nlog.error('bug', error=name)", False),
        ("name = str(error)\nlog.error('bug', error=name)", True),
        ("name = type(error).__name__\nname += str(error)\nlog.error('bug', error=name)", True),
        ("name = type(error).__name__\nname = str(error)\nlog.error('bug', error=name)", True),
        ("for name in values:\n  log.error('bug', error=name)", True),
        ("log.info('a', 'b')", True),
    ],
)
def test_the_check_of_log_calls_sees_private_data(source: str, faulty: bool) -> None:
    tree = ast.parse(source)
    (call,) = log_calls(tree)
    assert bool(faulty_log_call(call, LOG_KEYS, class_names(tree))) is faulty


@pytest.mark.parametrize(
    ("handler", "blind"),
    [
        ("except Exception: pass", True),
        ("except: pass", True),
        ("except BaseException as e: x(e)", True),
        ("except (ValueError, Exception): pass", True),
        ("except BaseException:\n  x()\n  raise", False),
        ("except ValueError: pass", False),
        ("except (ValueError, sqlite.Error): pass", False),
    ],
)
def test_the_check_of_handlers_sees_blind_ones(handler: str, blind: bool) -> None:
    assert bool(blind_handlers(ast.parse(f"try:\n x()\n{handler}"))) is blind
