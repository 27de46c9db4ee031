"""The right panel: why something was found, who says so, what is proposed, what was decided."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from deidra.app.domain.geometry import padded_box
from deidra.app.domain.model import Asset, Finding, Identifier
from deidra.ui.agents_list import AgentsList, plain_label
from deidra.ui.habits import FIRST, Habits
from deidra.ui.queue_delegate import draw_mark
from deidra.ui.reasons import reason_words
from deidra.ui.remark_fields import RemarkFields
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import decimal, tr, trn
from deidra.ui.words import (
    RISK_TIP,
    STATE_WORDS,
    VARIANCE_TIP,
    BoxState,
    place,
    proposal_text,
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
        self.text = plain_label("", tr("Text"))
        self.text.setFont(title_font(self.text.font()))
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.facts = plain_label("", tr("Type and place"), muted=True)
        self.mark = StateMark()
        self.state = plain_label("", tr("State"))
        self.crop = QLabel()
        self.crop.setObjectName("picture")
        self.crop.setAccessibleName(tr("The region on the image"))
        self.crop.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.crop.setFixedHeight(_CROP_HEIGHT)
        self.crop.hide()
        self.reason = plain_label("", tr("Why"))
        self.risk = plain_label("", tr("Risk"))
        self.risk.setToolTip(tr(RISK_TIP))
        self.variance = plain_label("", tr("Uncertainty"))
        self.variance.setToolTip(tr(VARIANCE_TIP))
        self.proposal = plain_label("", tr("Proposal"))
        self.history = plain_label("", tr(habits.history_title))
        self.agents = AgentsList()
        self.alike = plain_label("", tr("Alike"), muted=True)
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
            label = plain_label(name, name, muted=True)
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
        self.agents.show_evidence(finding.evidence, self._headers)
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
            self.agents.show_evidence(self._finding.evidence, headers)

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


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


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
