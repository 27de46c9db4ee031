"""The queue as a Qt model: pages of findings, read in the background as far as somebody scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from deidra.app.domain.model import Asset, Finding
from deidra.storage.findings import FindingFilter
from deidra.ui.habits import FIRST, Habits
from deidra.ui.operations import Operations
from deidra.ui.translation import tr
from deidra.ui.words import STATE_WORDS, masked, place, state_of, type_label

if TYPE_CHECKING:
    from deidra.app.workflow import Project

PAGE = 200
"""Findings read at a time."""

FINDING_ROLE = Qt.ItemDataRole.UserRole + 1

_ANY_INDEX = QModelIndex | QPersistentModelIndex


class QueueModel(QAbstractListModel):
    """Findings that match a filter, in order. Rows count from 0.

    The loaded rows are always the first ones of the query, so the next page starts at their number
    even after rows have left the list because they were decided.
    """

    loaded = Signal()
    """A page, the first or a later one, has arrived."""
    total_changed = Signal(int)
    """How many findings match in all."""

    def __init__(self, project: Project, operations: Operations, habits: Habits = FIRST) -> None:
        super().__init__()
        self.row_words = habits.row
        self._project = project
        self._operations = operations
        self._wanted = FindingFilter(pending=True)
        self._sort = "leak"
        self._rows: list[Finding] = []
        self._total = 0
        self._fetching = False
        self._assets: dict[str, Asset | None] = {}

    @property
    def total(self) -> int:
        """How many findings match, loaded or not."""
        return self._total

    @property
    def wanted(self) -> FindingFilter:
        """The filter in use."""
        return self._wanted

    def set_query(self, wanted: FindingFilter, sort: str) -> None:
        """Show other findings, or the same ones in another order."""
        self._wanted, self._sort = wanted, sort
        self._read(0, PAGE)

    def reload(self) -> None:
        """Read again as many rows as are loaded, for changes made elsewhere."""
        self._read(0, max(PAGE, len(self._rows)))

    def finding(self, row: int) -> Finding | None:
        """The finding of a loaded row."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    def row_of(self, finding_id: str) -> int:
        """The row of a finding, or -1 when it is not loaded."""
        return next((row for row, finding in enumerate(self._rows) if finding.id == finding_id), -1)

    def asset(self, asset_id: str) -> Asset | None:
        """The asset of a finding; known once its page is loaded."""
        return self._assets.get(asset_id)

    def next_pending(self, after: int) -> int:
        """The first loaded row below ``after`` that waits for a decision, or -1."""
        return next((row for row in range(after + 1, len(self._rows)) if self._rows[row].pending), -1)

    def update_findings(self, findings: list[Finding]) -> bool:
        """Show changed findings; those that no longer match leave the list.

        Returns:
            False when a finding may now belong in the list but has no row: reload then.
        """
        complete = True
        for finding in findings:
            row = self.row_of(finding.id)
            if row < 0:
                complete = complete and not self._matches(finding)
            elif self._matches(finding):
                self._rows[row] = finding
                index = self.index(row)
                self.dataChanged.emit(index, index)
            else:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()
                self._total -= 1
                self.total_changed.emit(self._total)
        if self._fetching and complete:
            # The page under way was counted from the old number of rows; ask for it again.
            self._fetching = False
            self.fetchMore(QModelIndex())
        return complete

    def _matches(self, finding: Finding) -> bool:
        wanted = self._wanted
        facts = (
            (wanted.pending, finding.pending),
            (wanted.decided, finding.decision is not None),
            (wanted.flagged, finding.remark.flagged),
        )
        return not finding.withdrawn and all(asked is None or asked == is_so for asked, is_so in facts)

    def _read(self, offset: int, limit: int) -> None:
        wanted, sort, known = self._wanted, self._sort, set(self._assets)
        desk, assets = self._project.desk, self._project.store.assets
        self._fetching = True

        def work() -> tuple[int, list[Finding], int, dict[str, Asset | None]]:
            page = desk.queue(wanted, sort, offset, limit)
            found: dict[str, Asset | None] = {}
            for asset_id in {finding.asset_id for finding in page} - known:
                try:
                    found[asset_id] = assets.get(asset_id)
                except KeyError:
                    found[asset_id] = None
            return offset, page, desk.count(wanted), found

        self._operations.read("queue", work, self._show)

    def _show(self, result: tuple[int, list[Finding], int, dict[str, Asset | None]]) -> None:
        offset, page, total, found = result
        self._fetching = False
        self._assets.update(found)
        if offset == 0:
            self.beginResetModel()
            self._rows = page
            self.endResetModel()
        elif page:
            self.beginInsertRows(QModelIndex(), offset, offset + len(page) - 1)
            self._rows.extend(page)
            self.endInsertRows()
        # A page that came back empty is the end, whatever the count said before.
        self._total = max(total, len(self._rows)) if page else len(self._rows)
        self.total_changed.emit(self._total)
        self.loaded.emit()

    def rowCount(self, parent: _ANY_INDEX = QModelIndex()) -> int:  # noqa: N802, B008
        """Loaded rows."""
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, parent: _ANY_INDEX) -> bool:  # noqa: N802
        """True while findings match that are not loaded."""
        return not parent.isValid() and len(self._rows) < self._total

    def fetchMore(self, parent: _ANY_INDEX) -> None:  # noqa: N802
        """Read the next page, unless one is under way."""
        if not self._fetching and self.canFetchMore(parent):
            self._read(len(self._rows), PAGE)

    def data(self, index: _ANY_INDEX, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Masked text for display; words for tooltips and screen readers; the finding itself."""
        finding = self.finding(index.row())
        if finding is None:
            return None
        if role == FINDING_ROLE:
            return finding
        if role == Qt.ItemDataRole.DisplayRole:
            return masked(finding.text)
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            where = place(finding, self.asset(finding.asset_id))
            kind, state = type_label(finding.type), tr(STATE_WORDS[state_of(finding)])
            return f"{masked(finding.text)}, {kind}, {where}, {self.row_words(finding)}, {state}"
        return None
