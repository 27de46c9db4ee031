"""Defining a type of private text: in words, by examples, and by answers on what the project holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from deidra.app.detect.definitions.borderline import MOST_QUESTIONS, borderline
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.matcher import Match
from deidra.app.domain.errors import Cancelled, PolicyError
from deidra.app.progress import Control
from deidra.ui.faults import error_words
from deidra.ui.operations import Operations
from deidra.ui.reasons import form_words
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID
from deidra.ui.translation import decimal, number, tr, trn

if TYPE_CHECKING:
    from deidra.app.defining import Found, KeptText
    from deidra.app.workflow import Project

_REST_MS = 300
"""How long typing must rest before the project is looked through again."""
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Seen:
    """What a definition would find: its forms in words, the texts, and those worth a question."""

    forms: tuple[str, ...]
    found: tuple[Found, ...]
    questions: tuple[Match, ...]
    fault: str = ""


class DefinitionDialog(QDialog):
    """Asks for a definition and shows, while it is typed, what it would find in the project."""

    defined = Signal(object)
    """The Definition."""

    def __init__(
        self, parent: QWidget, project: Project, operations: Operations, definition: Definition | None = None
    ) -> None:
        super().__init__(parent)
        self._project = project
        self._operations = operations
        self._texts: list[KeptText] | None = None
        self._control = Control()
        self._old = definition
        self._answers = 0
        self._questions: tuple[Match, ...] = ()
        self.setWindowTitle(tr("Edit an own type") if definition else tr("Add an own type"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._build()
        if definition is not None:
            self._fill(definition)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._look)
        for line in (self.name, self.description, self.context):
            line.textChanged.connect(self._typed)
        for field in (self.examples, self.counter):
            field.textChanged.connect(self._typed)
        self.finished.connect(self._end)
        self._typed()

    def _build(self) -> None:
        self.name = _line(tr("Name"), tr("passport numbers"))
        self.description = _line(tr("Description"), tr("a letter and eight digits"))
        self.context = _line(tr("Words nearby"), tr("passport, travel document"))
        self.examples = _texts(tr("Examples"), tr("one a line, best made up: A12345678"))
        self.counter = _texts(tr("Counter-examples"), tr("texts that look so and are not, one a line"))
        form = QFormLayout()
        form.setSpacing(GRID)
        form.addRow(tr("Name"), self.name)
        form.addRow(tr("Looks like"), self.description)
        form.addRow(tr("Examples"), self.examples)
        form.addRow(tr("Not these"), self.counter)
        form.addRow(tr("Near words"), self.context)
        self.state = QLabel()
        self.state.setAccessibleName(tr("What would be found"))
        self.state.setWordWrap(True)
        self.table = TextTable(
            tr("Texts that would be found"), (tr("Text"), tr("Probability"), tr("On images"), tr("In headers")), 110
        )
        self.table.setColumnWidth(0, 34 * self.fontMetrics().averageCharWidth())
        self.question = QLabel()
        self.question.setAccessibleName(tr("Question"))
        self.question.setTextFormat(Qt.TextFormat.PlainText)
        self.question.setWordWrap(True)
        self.yes, self.no = QPushButton(tr("Yes")), QPushButton(tr("No"))
        self.yes.clicked.connect(lambda: self._answer(True))
        self.no.clicked.connect(lambda: self._answer(False))
        asked = QHBoxLayout()
        asked.addWidget(self.question, 1)
        for button in (self.yes, self.no):
            button.setAutoDefault(False)
            asked.addWidget(button)
        buttons = QDialogButtonBox()
        self.store = buttons.addButton(tr("Save") if self._old else tr("Add"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.store.setObjectName("primary")
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addLayout(form)
        layout.addWidget(self.state)
        layout.addWidget(self.table, 1)
        layout.addLayout(asked)
        layout.addWidget(buttons)
        self.resize(680, 720)

    def _fill(self, definition: Definition) -> None:
        self.name.setText(definition.name)
        self.description.setText(definition.description)
        self.context.setText(", ".join(definition.context))
        self.examples.setPlainText("\n".join(definition.examples))
        self.counter.setPlainText("\n".join(definition.counter_examples))

    @property
    def definition(self) -> Definition:
        """What is filled in; it need not be valid."""
        return Definition(
            self.name.text().strip(),
            self.description.text().strip(),
            _lines(self.examples),
            _lines(self.counter),
            tuple(word.strip() for word in self.context.text().split(",") if word.strip()),
            self._old.pattern if self._old else "",
            self._old.type if self._old else None,
        )

    def _typed(self) -> None:
        self.store.setEnabled(False)
        self._show_question(())
        self._rest.start()

    def _look(self) -> None:
        definition = self.definition
        if not definition.name:
            self.state.setText(tr("Name the type, and say what it looks like or give an example."))
            self.table.rows.show([])
            return
        self.state.setText(tr("Looking through the project…"))
        self._operations.search("definition", lambda: self._seen(definition), self._show)

    def _seen(self, definition: Definition) -> Seen | None:
        """In another thread: what a definition finds; None when the dialog is closed meanwhile."""
        from deidra.app.defining import by_text, places_in

        try:
            checked = definition.checked()
            matcher = induced(checked)
        except PolicyError as error:
            return Seen((), (), (), " ".join(error_words(error)))
        try:
            if self._texts is None:
                self._texts = self._project.kept_texts(self._control)
        except Cancelled:
            return None
        found = by_text(places_in(self._texts, matcher))
        questions = borderline([one.match for one in found], checked)
        return Seen(tuple(form.words for form in matcher.forms), tuple(found), tuple(questions))

    def _show(self, seen: Seen | None) -> None:
        if seen is None:
            return
        self.store.setEnabled(not seen.fault)
        if seen.fault:
            self.state.setText(seen.fault)
            self.table.rows.show([])
            return
        sentences = (
            [tr("Looks like {forms}.", forms=tr(" or ").join(map(form_words, seen.forms)))] if seen.forms else []
        )
        sentences += [
            trn(
                "{count} different text of this project matches.",
                "{count} different texts of this project match.",
                len(seen.found),
            )
        ]
        self.state.setText(" ".join(sentences))
        rows = [
            (one.match.text, decimal(one.match.score, 2), number(one.on_images), number(one.in_headers))
            for one in seen.found[:_SHOWN]
        ]
        self.table.rows.show(rows)
        self._show_question(seen.questions)

    def _show_question(self, questions: tuple[Match, ...]) -> None:
        self._questions = questions if self._answers < MOST_QUESTIONS else ()
        first = self._questions[0].text if self._questions else ""
        left = min(len(self._questions), MOST_QUESTIONS - self._answers)
        asked = tr("Is this one of them ({count} in doubt)?", count=left)
        self.question.setText(f"{asked}   {first}" if first else "")
        for button, verb in ((self.yes, tr("Yes")), (self.no, tr("No"))):
            button.setEnabled(bool(first))
            button.setAccessibleName(f"{verb}: {first}" if first else verb)

    def _answer(self, is_one: bool) -> None:
        """An answer becomes an example or a counter-example, and what is found is looked for again."""
        text = self._questions[0].text
        self._answers += 1
        field = self.examples if is_one else self.counter
        field.setPlainText("\n".join([*_lines(field), text]))

    def _accept(self) -> None:
        self.defined.emit(self.definition)
        self.accept()

    def _end(self) -> None:
        self._rest.stop()
        self._control.cancel()


def _line(name: str, hint: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    return line


def _texts(name: str, hint: str) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(hint)
    field.setTabChangesFocus(True)
    field.setFixedHeight(4 * field.fontMetrics().height())
    return field


def _lines(field: QPlainTextEdit) -> tuple[str, ...]:
    return tuple(line.strip() for line in field.toPlainText().splitlines() if line.strip())
