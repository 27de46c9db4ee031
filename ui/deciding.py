"""What a curator does to findings: each act is one operation, stored before it is shown, and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPolygonF

from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.app.domain.model import DecisionKind, Finding, Remark
from deidra.app.domain.taxonomy import EntityType
from deidra.app.review import Change
from deidra.ui.curator import curator
from deidra.ui.operations import Operations
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.app.workflow import Project

Outcome = tuple[Change | None, list[Finding]]


class Deciding(QObject):
    """Sends the curator's acts to the review desk, one at a time."""

    stored = Signal(object, object)
    """A Change that is stored, and its findings as they are now."""
    message = Signal(str)
    refused = Signal()
    """An act was not taken, since the one before is still being stored."""

    def __init__(self, project: Project, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = project.desk
        self._operations = operations

    def decide(self, findings: Sequence[Finding], kind: DecisionKind, text: str | None = None) -> None:
        """Decide on findings together, as they are on the screen."""
        seen = {finding.id: finding.decision for finding in findings}
        self._change(lambda: self._desk.decide(list(seen), kind, text, curator(), seen))

    def undo(self) -> None:
        """Take back the last operation."""
        self._change(lambda: self._desk.undo(curator()))

    def redo(self) -> None:
        """Do again what was taken back."""
        self._change(lambda: self._desk.redo(curator()))

    def draw(self, asset_id: str, index: int | None, shape: QPolygonF, kind: EntityType) -> None:
        """Cover a new box on a frame or page, or on all of them (None)."""
        self._change(lambda: self._desk.draw(asset_id, index, _polygon(shape), kind, curator()))

    def redraw(self, finding_id: str, shape: QPolygonF) -> None:
        """Put a box in the place of a finding's."""
        self._change(lambda: self._desk.redraw(finding_id, _polygon(shape), curator()))

    def erase(self, finding_id: str) -> None:
        """Take a drawn box away."""
        self._change(lambda: self._desk.erase(finding_id, curator()))

    def remark(self, finding_id: str, remark: Remark) -> None:
        """Flag a finding or note why."""
        self._change(lambda: self._desk.remark([finding_id], remark, curator()))

    def _change(self, work: Callable[[], Change | None]) -> None:
        if self._operations.is_changing:
            # The item on the screen is already decided; another key now would hit it a second time.
            self.message.emit(tr("Still storing the decision before; press the key again."))
            self.refused.emit()
            return
        self.message.emit(tr("Saving…"))
        desk = self._desk

        def stored() -> Outcome:
            change = work()
            return change, [desk.finding(finding_id) for finding_id in change.findings] if change else []

        self._operations.change(stored, self._show)

    def _show(self, outcome: Outcome) -> None:
        change, findings = outcome
        if change is None or not findings:
            self.message.emit(tr("There is nothing to undo or redo."))
        else:
            self.stored.emit(change, findings)


def _polygon(shape: QPolygonF) -> Polygon:
    points = shape.toList()
    # A rectangle comes with its first corner again at its end.
    if shape.isClosed():
        points = points[:-1]
    return as_polygon([(point.x(), point.y()) for point in points])
