"""Who says that something is private: each agent with its score and its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from deidra.app.domain.model import Evidence, Identifier
from deidra.ui.reasons import reason_words
from deidra.ui.theme import GRID, small_font
from deidra.ui.translation import tr
from deidra.ui.words import AGENT_WORDS, VARIANCE_TIP, score_text, type_label


class AgentsList(QWidget):
    """Rows of the agents. They are used again for the next finding: new widgets are slow to style."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Agents"))
        self._rows: list[_Row] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(0, 1)
        self._nobody = plain_label(tr("No agent recorded anything."), tr("Agents"), muted=True)
        self._grid.addWidget(self._nobody, 0, 0)

    def show_evidence(self, evidence: Sequence[Evidence], headers: Sequence[Identifier]) -> None:
        """Show what each agent says; a match with a header value is shown with it."""
        while len(self._rows) < len(evidence):
            self._rows.append(_Row(self._grid, 1 + 2 * len(self._rows)))
        for number, row in enumerate(self._rows):
            row.show_evidence(evidence[number] if number < len(evidence) else None, headers)
        self._nobody.setVisible(not evidence)


class _Row:
    """Name, score and words of one agent."""

    def __init__(self, grid: QGridLayout, line: int) -> None:
        self.name = plain_label("", tr("Agent"))
        self.score = plain_label("", tr("Score"))
        self.score.setToolTip(f"{tr('Score from 0 to 1 ± its standard deviation.')} {tr(VARIANCE_TIP)}")
        self.score.setWordWrap(False)
        self.score.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self.says = plain_label("", tr("What it says"), muted=True)
        self.says.setFont(small_font(self.says.font()))
        self.says.setContentsMargins(0, 0, 0, GRID - 2)
        grid.addWidget(self.name, line, 0)
        grid.addWidget(self.score, line, 1)
        grid.addWidget(self.says, line + 1, 0, 1, 2)

    def show_evidence(self, item: Evidence | None, headers: Iterable[Identifier]) -> None:
        """Show one agent's evidence; None hides the row."""
        if item is not None:
            self.name.setText(tr(AGENT_WORDS.get(item.agent, item.agent)))
            self.name.setToolTip(item.agent)
            self.score.setText(score_text(item.score, item.variance))
            self.says.setText(_says(item, headers))
        for label in (self.name, self.score, self.says):
            label.setVisible(item is not None)


def _says(item: Evidence, headers: Iterable[Identifier]) -> str:
    parts = [
        f"“{item.text}”" if item.text else "",
        type_label(item.type) if item.type else "",
        reason_words(item.detail),
    ]
    words = re.findall(r"\w+", item.detail)
    parts += [
        tr("{keyword} is “{value}”", keyword=header.source, value=header.value)
        for header in headers
        if header.source in words
    ]
    return " · ".join(part for part in parts if part) or tr("gives a score only")


def plain_label(text: str, name: str, muted: bool = False) -> QLabel:
    """A label of plain text that wraps; ``name`` is for screen readers."""
    label = QLabel(text)
    label.setAccessibleName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    if muted:
        label.setObjectName("muted")
    return label
