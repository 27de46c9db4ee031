"""The right panel: why something was found, who says so, what is proposed, what was decided."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from deidra.app.domain.geometry import padded_box
from deidra.app.domain.model import Asset, Evidence, Finding, Identifier
from deidra.ui.habits import FIRST, Habits
from deidra.ui.queue_delegate import draw_mark
from deidra.ui.reasons import reason_words
from deidra.ui.remark_fields import RemarkFields
from deidra.ui.theme import GRID, small_font, title_font
from deidra.ui.translation import decimal, tr, trn
from deidra.ui.words import (
    AGENT_WORDS,
    RISK_TIP,
    STATE_WORDS,
    VARIANCE_TIP,
    BoxState,
    place,
    proposal_text,
    score_text,
    state_of,
    type_label,
)

_CROP_HEIGHT = 96


class StateMark(QWidget):
    """The same mark as in the queue."""

    def __init__(self) -> None:
        super().__init__()
        self.state = BoxState.UNDECIDED
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the mark of the state."""
        painter = QPainter(self)
        draw_mark(painter, self.rect(), self.state)
        painter.end()


class EvidencePanel(QFrame):
    """Everything that a decision on one finding needs. The full text is shown here and nowhere else."""

    remarked = Signal(object)
    """A Remark that the curator made on the finding shown."""

    def __init__(self, habits: Habits = FIRST) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAccessibleName(tr("Evidence"))
        self._habits = habits
        self._finding: Finding | None = None
        self.text = _text("", tr("Text"))
        self.text.setFont(title_font(self.text.font()))
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = _text("", tr("Type and place"), muted=True)
        self.mark = StateMark()
        self.state = _text("", tr("State"))
        self.crop = QLabel()
        self.crop.setObjectName("picture")
        self.crop.setAccessibleName(tr("The region on the image"))
        self.crop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.crop.setFixedHeight(_CROP_HEIGHT)
        self.crop.hide()
        self.reason = _text("", tr("Why"))
        self.risk = _text("", tr("Risk"))
        self.risk.setToolTip(tr(RISK_TIP))
        self.variance = _text("", tr("Uncertainty"))
        self.variance.setToolTip(tr(VARIANCE_TIP))
        self.proposal = _text("", tr("Proposal"))
        self.history = _text("", tr(habits.history_title))
        self.agents = QWidget()
        self.agents.setAccessibleName(tr("Agents"))
        self.alike = _text("", tr("Alike"), muted=True)
        self.alike.hide()
        self.remark = RemarkFields()
        self.remark.changed.connect(self.remarked)
        self._headers: list[Identifier] = []

        self._body = QWidget()
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.text)
        layout.addWidget(self.facts)
        state = QHBoxLayout()
        state.setSpacing(GRID)
        state.addWidget(self.mark)
        state.addWidget(self.state, 1)
        layout.addLayout(state)
        layout.addWidget(self.alike)
        layout.addWidget(self.crop)
        numbers = QGridLayout()
        numbers.setHorizontalSpacing(GRID * 2)
        for row, (name, value) in enumerate(((tr("Risk"), self.risk), (tr("Uncertain"), self.variance))):
            label = _text(name, name, muted=True)
            label.setToolTip(value.toolTip())
            numbers.addWidget(label, row, 0)
            numbers.addWidget(value, row, 1)
        numbers.setColumnStretch(1, 1)
        sections: list[tuple[str, QWidget]] = [
            (tr("Why"), self.reason),
            (tr("Who says so"), self.agents),
            (tr("Proposal"), self.proposal),
            (tr(habits.remark_title), self.remark),
        ]
        sections.insert(0 if habits.history_first else 3, (tr(habits.history_title), self.history))
        for title, part in sections:
            layout.addWidget(_rule())
            layout.addWidget(_heading(title))
            layout.addWidget(part)
            if part is self.reason:
                layout.addLayout(numbers)
        layout.addStretch()
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._body)
        self._scroll.setAccessibleName(tr("Evidence"))
        # The scroll area paints the panel's colour, not a palette colour of its own.
        self._scroll.viewport().setAutoFillBackground(False)
        self._body.setAutoFillBackground(False)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 1, 1, 1)
        outer.addWidget(self._scroll)
        self.clear()

    def clear(self) -> None:
        """Show nothing."""
        self._finding = None
        self._scroll.hide()

    def show_finding(self, finding: Finding, asset: Asset | None) -> None:
        """Show one finding. The crop follows when its image has arrived."""
        moved = self._finding is None or self._finding.id != finding.id
        self._finding = finding
        self._scroll.show()
        self.text.setText(finding.text or tr("(no text)"))
        self.facts.setText(f"{type_label(finding.type)} · {place(finding, asset)}")
        self.mark.state = state_of(finding)
        self.mark.update()
        state = tr("taken away") if finding.withdrawn else tr(STATE_WORDS[self.mark.state])
        self.state.setText(f"{state} · {tr('flagged')}" if finding.remark.flagged else state)
        self.reason.setText(_sentence(reason_words(finding.reason)) or tr("The policy gives no reason."))
        self.risk.setText(tr("{risk} of 100", risk=decimal(finding.risk, 0)))
        self.variance.setText(tr("{variance} (variance)", variance=decimal(finding.variance, 2)))
        self.proposal.setText(_sentence(proposal_text(finding)))
        self.history.setText(self._habits.history(finding))
        may_fill = finding.polygon is not None and self._habits.is_first
        self.remark.show_remark(finding.id, finding.remark, may_fill)
        self._show_agents(finding.evidence)
        if moved:
            self.alike.hide()
            self.crop.hide()
            self._scroll.verticalScrollBar().setValue(0)

    def show_alike(self, count: int, key: str) -> None:
        """Say how many more items wait that are like this one."""
        told = trn(
            "{count} more alike. {key} and the key of a decision shows it and decides on both.",
            "{count} more alike. {key} and the key of a decision shows them and decides on all.",
            count,
            key=key,
        )
        self.alike.setText(told)
        self.alike.setVisible(count > 0)

    def show_headers(self, headers: list[Identifier]) -> None:
        """Take what the file's header says, so that a match with it is shown with its value."""
        self._headers = headers
        if self._finding is not None:
            self._show_agents(self._finding.evidence)

    def focus_note(self) -> None:
        """Put the cursor into the note."""
        self._scroll.ensureWidgetVisible(self.remark)
        self.remark.note.setFocus()
        self.remark.note.selectAll()

    def show_crop(self, image: QImage) -> None:
        """Show the region of the current finding cut from its frame."""
        finding = self._finding
        if finding is None or finding.polygon is None:
            return
        left, top, right, bottom = padded_box(finding.polygon, image.width(), image.height(), 0.5, 6)
        if right <= left or bottom <= top:
            return
        part = image.copy(left, top, right - left, bottom - top)
        room = max(120, self._scroll.viewport().width() - 2 * GRID - 16)
        scaled = part.scaled(
            room,
            _CROP_HEIGHT - 16,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        self.crop.setPixmap(QPixmap.fromImage(scaled))
        self.crop.show()

    def _show_agents(self, evidence: tuple[Evidence, ...]) -> None:
        old = self.agents.layout()
        if old is not None:
            while (place_in_grid := old.takeAt(0)) is not None:
                widget = place_in_grid.widget()
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()
        grid = old if isinstance(old, QGridLayout) else QGridLayout(self.agents)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        if not evidence:
            grid.addWidget(_text(tr("No agent recorded anything."), tr("Agents"), muted=True), 0, 0)
        for number, item in enumerate(evidence):
            name = _text(tr(AGENT_WORDS.get(item.agent, item.agent)), tr("Agent"))
            name.setToolTip(item.agent)
            score = _text(score_text(item.score, item.variance), tr("Score"))
            score.setToolTip(f"{tr('Score from 0 to 1 ± its standard deviation.')} {tr(VARIANCE_TIP)}")
            score.setWordWrap(False)
            score.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(name, 3 * number, 0)
            grid.addWidget(score, 3 * number, 1)
            says = _text(_says(item, self._headers), tr("What it says"), muted=True)
            says.setFont(small_font(says.font()))
            says.setContentsMargins(0, 0, 0, GRID - 2)
            grid.addWidget(says, 3 * number + 1, 0, 1, 2)


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


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _text(text: str, name: str, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setAccessibleName(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setMinimumWidth(40)
    if muted:
        label.setObjectName("muted")
    return label


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    return label


def _rule() -> QFrame:
    rule = QFrame()
    rule.setObjectName("rule")
    return rule
