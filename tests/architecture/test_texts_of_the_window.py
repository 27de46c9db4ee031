"""Every text of the window goes through the catalogue: nothing in ``ui/`` is shown as it stands in the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

UI = Path(__file__).resolve().parents[2] / "ui"
NAMES = sorted(path.name for path in UI.glob("*.py"))

MARKED = {"tr", "trn", "trc", "later", "Binding"}
"""Calls whose texts the catalogue has. (``Binding`` is translated where it is shown.)"""
NO_TEXT = {
    "log",
    "cast",
    "TypeVar",
    "KnownError",
    "Signal",
    "getattr",
    "compile",
    "sub",
    "findall",
    "fullmatch",
    "split",
}
"""Calls whose literals are not shown. Messages of errors are looked up where they are shown (``error_words``)."""
SHOWN = {
    *("addAction", "addButton", "addItem", "addMenu", "addRow", "addTab", "setAccessibleDescription"),
    *("setAccessibleName", "setDetailedText", "setHorizontalHeaderLabels", "setIconText", "setInformativeText"),
    *("setLabelText", "setOkButtonText", "setPlaceholderText", "setStatusTip", "setTabText", "setText", "setTitle"),
    *("setToolTip", "setWindowTitle", "show_message", "QAction", "QCheckBox", "QGroupBox", "QLabel", "QListWidgetItem"),
    *("QMenu", "QPushButton", "QRadioButton", "QTableWidgetItem", "QToolButton", "StatePage", "TextTable", "drawText"),
}
"""Calls that put their texts on the screen, whatever these look like."""
NOT_SHOWN = {
    "bench.py": "measures, and is read on the command line",
    "theme.py": "holds a style sheet and colours",
    "translation.py": "is the catalogue's own module",
}
PASS_ON = (ast.BinOp, ast.BoolOp, ast.FormattedValue, ast.IfExp, ast.JoinedStr, ast.List, ast.Starred, ast.Tuple)
"""What is shown where its parts are."""
EXCEPTIONS = {
    "Deidra",  # the name of the program is the same in every language
    "deidra",
    "DICOM",
    # Keys by their portable names, which Qt gives the names of the language.
    *("Return", "Enter", "Esc", "Tab", "Shift+Tab", "Up", "Down", "Left", "Right", "PgUp", "PgDown", "Home", "End"),
    *("Shift", "Space", "Num+"),
    # Formats of files.
    *("PDF", "PNG", "TIFF", "RGB"),
    # The guide is in English, and its headings are looked for by name.
    *(
        "Install and start",
        "See which files are held back",
        "Choose a policy",
        "Look at the dates",
        "Review what waits",
    ),
    *("Read a second time", "Release"),
    # Menus, by the name of their group.
    *("Project", "Go", "Review", "View", "Contrast", "Help"),
    # Deidra understands definitions in English, whatever the window speaks; this one stands in a picture of the guide.
    *("order numbers", "a letter, two digits, a hyphen and six digits", "A24-012345"),
    # Names of what runs in the background.
    *("alike to decide", "second page"),
    # Between a number and its meaning.
    *("HH:mm:ss", "DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"),
}


def name_of(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def owner_of(call: ast.Call) -> str:
    function = call.func
    return function.value.id if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) else ""


def reads_like_words(text: str) -> bool:
    """Two words, or one that starts with a capital letter; not a name in the source such as ``review_page``."""
    return bool(re.search(r"[^\W\d_]{2,} +[^\W\d_]", text) or re.match(r"&?[A-Z]\w", text) or re.search(r"\w…", text))


def has_letters(text: str) -> bool:
    return bool(re.search(r"[^\W\d_]{2}", text))


def untranslated(node: ast.AST, shown: bool = False) -> Iterator[str]:
    """Literals under a node that reach the screen as they are; ``shown`` says that the node itself does."""
    if isinstance(node, ast.Constant):
        text = node.value.strip(" –") if isinstance(node.value, str) else ""
        if text not in EXCEPTIONS and (has_letters(text) if shown else reads_like_words(text)):
            yield f"line {node.lineno}: {text!r}"
    elif isinstance(node, ast.Call):
        yield from in_call(node)
    else:
        for child in parts(node):
            yield from untranslated(child, shown and isinstance(node, PASS_ON))


def in_call(call: ast.Call) -> Iterator[str]:
    name = name_of(call)
    filled_in = [keyword.value for keyword in call.keywords]
    if name in MARKED:
        # What is filled into a text is shown as well.
        yield from (found for part in filled_in for found in untranslated(part, name != "Binding"))
    elif name not in NO_TEXT and owner_of(call) not in NO_TEXT:
        yield from untranslated(call.func)
        yield from (found for part in (*call.args, *filled_in) for found in untranslated(part, name in SHOWN))


def parts(node: ast.AST) -> list[ast.AST]:
    """What may hold texts: no docstrings, no annotations, nothing that a text is only compared with or looked up by."""
    if isinstance(node, ast.Compare | ast.Subscript) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ):
        return []
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value is not None else []
    returns = node.returns if isinstance(node, ast.FunctionDef) else None
    return [
        child for child in ast.iter_child_nodes(node) if child is not returns and not isinstance(child, ast.arguments)
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NOT_SHOWN])
def test_no_text_of_the_window_is_shown_as_it_stands_in_the_source(name: str) -> None:
    assert list(untranslated(ast.parse((UI / name).read_text("utf-8")))) == []


@pytest.mark.parametrize(
    "source",
    [
        'QLabel("file")',
        'label.setText(f"{count} files")',
        'words = "Nothing is waiting."',
        'button.setText("Pause" if on else tr("Play"))',
        'box.setText(tr("{a} of {b}", a="one file", b=2))',
        'QPushButton("Save")',
        'menu.addAction(text or "none")',
        '_TABLE = {1: "kept as it is"}',
    ],
)
def test_the_rule_finds_a_text_that_is_not_translated(source: str) -> None:
    assert list(untranslated(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    ['QLabel(tr("file"))', 'widget.setObjectName("muted")', '_X = {1: later("kept")}', 'f(tr("a {b}", b=name))'],
)
def test_the_rule_leaves_what_is_translated_or_not_shown(source: str) -> None:
    assert not list(untranslated(ast.parse(source)))


def test_the_files_without_texts_are_still_there() -> None:
    assert set(NOT_SHOWN) < set(NAMES)
    assert len(NAMES) > 50
