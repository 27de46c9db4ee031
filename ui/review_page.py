"""The review: queue, image or header, evidence and decisions, working together on one project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QFrame, QSplitter, QTabWidget, QVBoxLayout, QWidget

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import DecisionKind, Finding, Identifier, Remark
from deidra.app.review import Change
from deidra.storage.findings import FindingFilter
from deidra.ui.actions import ON_ITEM
from deidra.ui.box_editing import BoxEditing
from deidra.ui.canvas import ImageCanvas
from deidra.ui.deciding import Deciding
from deidra.ui.decision_bar import DecisionBar
from deidra.ui.evidence_panel import EvidencePanel
from deidra.ui.faults import error_words
from deidra.ui.frame_viewer import FrameViewer, Mode
from deidra.ui.habits import FIRST, Habits
from deidra.ui.header_panel import HeaderPanel, with_decoys
from deidra.ui.leasing import Leasing
from deidra.ui.marked import Marked
from deidra.ui.operations import Operations
from deidra.ui.page_actions import PageActions
from deidra.ui.pictures import Key
from deidra.ui.queue_panel import QueuePanel
from deidra.ui.theme import GRID
from deidra.ui.together import Together
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.app.workflow import HeaderRow, Project

_AHEAD = 3
"""Items whose images are decoded before they are wanted."""


class ReviewPage(QWidget):
    """Coordinates the panels. A decision is stored first, then shown, then the next item is selected."""

    changed = Signal(object)
    """A Change that is stored and shown."""
    message = Signal(str)
    """A short sentence for the status bar."""
    release_wanted = Signal()
    changed_elsewhere = Signal()
    """Another curator has done something, and the list is being read again."""

    def __init__(
        self,
        project: Project,
        operations: Operations,
        actions: Mapping[str, QAction],
        habits: Habits = FIRST,
    ) -> None:
        super().__init__()
        self.project = self._project = project
        self._operations = operations
        self._own_actions = PageActions(actions, self, habits.without)
        actions = self._actions = self._own_actions.by_id
        self._is_first = habits.is_first
        self._current: Finding | None = None
        self._asset_id = ""
        self._findings: list[Finding] = []
        self._header_asset = ""
        self._revealed = ("", 0)
        for name in ON_ITEM:
            actions[name].setEnabled(False)
        self.queue = QueuePanel(project, operations, habits)
        self.canvas = ImageCanvas()
        self.header = HeaderPanel()
        self.evidence = EvidencePanel(habits)
        self.bar = DecisionBar(actions)
        self.viewer = FrameViewer(project, operations, self.canvas, self.bar, actions)
        self.deciding = Deciding(project, operations, self)
        find_asset = self.queue.model.asset
        self.boxes = BoxEditing(
            self,
            self.canvas,
            self.viewer,
            self.deciding,
            actions,
            lambda: find_asset(self._asset_id),
            habits.is_first,
        )
        self.leasing = Leasing(project, operations, self)
        self.together = Together(self, project, operations, self.deciding, find_asset)
        self._build()
        self.setFocusProxy(self.queue.list)
        self.queue.selected.connect(self.show_finding)
        self.queue.exhausted.connect(self._exhausted)
        self.queue.release_wanted.connect(self.release_wanted)
        self.canvas.finding_clicked.connect(self.select)
        self.canvas.zoomed.connect(self.bar.show_zoom)
        self.header.finding_chosen.connect(self.select)
        self.viewer.moved.connect(self._show_boxes)
        self.viewer.shown.connect(self._original_shown)
        self.together.counted.connect(self._show_count)
        for part in (self.viewer, self.deciding, self.boxes, self.together):
            part.message.connect(self.message)
        # What was not stored is not shown.
        self.deciding.refused.connect(self.canvas.frame_selected)
        operations.unsaved.connect(self.canvas.frame_selected)
        self.deciding.stored.connect(self._show_change)
        self.leasing.refused.connect(self._give_way)
        self.leasing.changed_elsewhere.connect(self.follow_others)
        self.bar.replacement_typed.connect(lambda text: self._decide(DecisionKind.REPLACE, text))
        self.bar.replacement_tried.connect(self.canvas.try_text)
        self.bar.replacement_left.connect(self.queue.list.setFocus)
        self.evidence.remarked.connect(self._remark)
        self.tabs.currentChanged.connect(self._tab_changed)

    def _build(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Image or header"))
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.canvas, tr("Image"))
        self.tabs.addTab(self.header, tr("Header"))
        centre = QFrame()
        centre.setObjectName("panel")
        column = QVBoxLayout(centre)
        column.setContentsMargins(GRID, 0, GRID, GRID)
        column.setSpacing(GRID)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.bar)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(GRID)
        self.splitter.setChildrenCollapsible(False)
        for part, stretch in ((self.queue, 0), (centre, 1), (self.evidence, 0)):
            self.splitter.addWidget(part)
            self.splitter.setStretchFactor(self.splitter.count() - 1, stretch)
        # Side panels grow with the system's font, so that larger text still fits into them.
        least = 35 * self.fontMetrics().averageCharWidth()
        self.queue.setMinimumWidth(least)
        self.evidence.setMinimumWidth(least)
        self.splitter.setSizes([max(328, least), 760, max(320, least)])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GRID, GRID, GRID, GRID)
        layout.addWidget(self.splitter)

    @property
    def current(self) -> Finding | None:
        """The finding under review."""
        return self._current

    @property
    def marked(self) -> Marked | None:
        """The place of the finding under review on an image, with the machine that made it; None for other findings."""
        finding = self._current
        asset = self.queue.model.asset(finding.asset_id) if finding else None
        if finding is None or finding.polygon is None or asset is None or asset.has_pages:
            return None
        return Marked(bounding_box(finding.polygon), asset.info.get("device") or {})

    @property
    def shows_header(self) -> bool:
        """True when the header is in front."""
        return self.tabs.currentWidget() is self.header

    def show_finding(self, finding: Finding | None) -> None:
        """Put a finding, or nothing, under review."""
        moved = finding is None or self._current is None or finding.id != self._current.id
        self._current = finding
        self.bar.close_editor()
        for name in ON_ITEM:
            self._actions[name].setEnabled(finding is not None)
        self._actions["erase"].setEnabled(finding is not None and finding.drawn)
        if finding is None:
            self.leasing.take(None)
            self._show_nothing()
            return
        if moved:
            self.viewer.set_mode(Mode.ORIGINAL)
        if finding.asset_id != self._asset_id:
            self._open_asset(finding.asset_id)
        index = finding.frame if finding.frame is not None else finding.page
        if index is not None:
            self.viewer.go(index)
        self.evidence.show_finding(finding, self.queue.model.asset(finding.asset_id))
        front = self.header if finding.tag is not None else self.canvas
        if self.tabs.currentWidget() is not front:
            self.tabs.setCurrentWidget(front)
        else:
            self._load_front()
        if finding.tag is None:
            self.viewer.show()
        # The image and its boxes come first; what else is worth knowing can wait until they are there.
        self.leasing.take(finding)
        self._operations.at_rest(self._look_around)

    def _look_around(self) -> None:
        """Prepare what may be wanted next: the images of the following items, and what is like this one."""
        self._decode_ahead()
        if self._current is not None and self._current.pending:
            self.together.count(self._current)

    def _show_nothing(self) -> None:
        self._asset_id, self._findings, self._header_asset = "", [], ""
        self.evidence.clear()
        self.viewer.close()
        self.header.clear(tr("Select an item to see its header."))

    def _open_asset(self, asset_id: str) -> None:
        self._asset_id, self._findings = asset_id, []
        self._header_asset = ""
        self.viewer.open(asset_id, self.queue.model.asset(asset_id))
        self.canvas.show_boxes([], None)
        desk, project = self._project.desk, self._project

        def work() -> tuple[list[Finding], int, list[Identifier]]:
            found = desk.queue(FindingFilter(asset_id=asset_id, with_decoys=True), "file")
            return found, project.frame_count(asset_id), project.store.assets.identifiers_of(asset_id)

        def show(result: tuple[list[Finding], int, list[Identifier]]) -> None:
            self._findings, count, headers = result
            self.evidence.show_headers(headers)
            self.viewer.set_count(count)
            self._show_boxes()
            if not self.shows_header or (self._current is not None and self._current.tag is None):
                self.viewer.show()

        def failed(error: KnownError) -> None:
            self.viewer.fail(asset_id, error)

        self._operations.read("asset", work, show, failed)

    def select(self, finding_id: str) -> None:
        """Review a finding of the present file, whether or not it is in the list."""
        if self._current is not None and finding_id == self._current.id:
            return
        if self.queue.select_finding(finding_id):
            return
        finding = next((item for item in self._findings if item.id == finding_id), None)
        if finding is not None:
            self.queue.leave_list()
            self.show_finding(finding)

    # Images

    def _original_shown(self, index: int, image: QImage) -> None:
        self._show_boxes()
        finding = self._current
        if finding is not None and finding.frame in (None, index) and finding.page in (None, index):
            self.evidence.show_crop(image)

    def _show_boxes(self) -> None:
        frame = self.viewer.frame
        here = [
            item
            for item in self._findings
            if item.polygon is not None and item.frame in (None, frame) and item.page in (None, frame)
        ]
        self.canvas.show_boxes(here, self._current.id if self._current else None)
        # Once for each item and frame: what was moved out of sight since stays there.
        place = (self._current.id if self._current else "", frame)
        if place != self._revealed:
            self._revealed = place
            self.canvas.reveal_selected()

    def _decode_ahead(self) -> None:
        model, row = self.queue.model, self.queue.current_row()
        following = (model.finding(number) for number in range(row + 1, row + 1 + _AHEAD))
        keys: list[Key] = [
            (item.asset_id, item.frame or item.page or 0) for item in following if item is not None and item.tag is None
        ]
        self.viewer.pictures.ahead(keys)

    def step_frame(self, step: int) -> None:
        """Go frames or pages on (positive) or back (negative)."""
        if not self.shows_header:
            self.viewer.step(step)

    def show_as(self, mode: Mode) -> None:
        """Switch between the original with boxes and another way to look at the image."""
        if self.shows_header:
            self.tabs.setCurrentWidget(self.canvas)
        self.viewer.toggle(mode)

    def draw(self, on: bool) -> None:
        """Let drags draw boxes, or move the image."""
        if on and self.shows_header:
            self.tabs.setCurrentWidget(self.canvas)
        self.boxes.draw(on)

    def erase(self) -> None:
        """Take the drawn box under review away."""
        if self._current is not None:
            self.deciding.erase(self._current.id)

    # Header

    def toggle_header(self) -> None:
        """Switch between image and header of the present file."""
        self.tabs.setCurrentWidget(self.canvas if self.shows_header else self.header)

    def _tab_changed(self) -> None:
        self._actions["header"].setChecked(self.shows_header)
        self.bar.show_frame_controls(not self.shows_header)
        if self.shows_header:
            self.viewer.stop()
        self._load_front()

    def _load_front(self) -> None:
        if not self._asset_id:
            return
        if not self.shows_header:
            if self._current is not None and self._current.tag is not None:
                self.viewer.show()
            return
        if self._header_asset == self._asset_id:
            self.header.mark(self._current)
            return
        asset_id, project = self._asset_id, self._project

        def show(rows: Sequence[HeaderRow]) -> None:
            if asset_id == self._asset_id:
                self._header_asset = asset_id
                self.header.show_rows(rows, self._current)

        def failed(error: KnownError) -> None:
            self.header.clear("\n\n".join(error_words(error)).strip())

        def work() -> Sequence[HeaderRow]:
            return with_decoys(project.header(asset_id), project.desk.decoys_on(asset_id))

        self._operations.read("header", work, show, failed)

    # Decisions

    def decide(self, kind: DecisionKind) -> None:
        """Decide on the finding under review; a replacement asks for its text first."""
        if self._current is None:
            return
        if kind is DecisionKind.REPLACE:
            self.bar.open_editor(self._current.decision_text or self._current.proposal or "")
        else:
            self._decide(kind, None)

    def _decide(self, kind: DecisionKind, text: str | None) -> None:
        if self._current is None:
            return
        self.deciding.decide([self._current], kind, text)
        if not self.queue.list.hasFocus():
            self.queue.list.setFocus()

    def decide_alike(self, kind: DecisionKind) -> None:
        """Show what is like the finding under review, and decide on all of it together."""
        if self._current is not None:
            self.together.decide(self._current, kind)

    def _show_count(self, finding_id: str, count: int) -> None:
        if self._current is not None and self._current.id == finding_id:
            self.evidence.show_alike(count, "Shift")

    def _remark(self, remark: Remark) -> None:
        if self._current is not None:
            self.deciding.remark(self._current.id, remark)

    def flag(self) -> None:
        """Flag the finding under review for a second look, or take the flag back."""
        if self._current is not None:
            remark = self._current.remark
            self.deciding.remark(self._current.id, replace(remark, flagged=not remark.flagged))

    def _show_change(self, change: Change, findings: list[Finding]) -> None:
        row, current = self.queue.current_row(), self._current
        fresh = {finding.id: finding for finding in findings}
        known = {finding.id for finding in self._findings}
        new = [item for item in findings if item.drawn and item.asset_id == self._asset_id and item.id not in known]
        # What was withdrawn is not drawn any more; redo brings it back.
        self._findings = [
            item for item in (*(fresh.get(old.id, old) for old in self._findings), *new) if not item.withdrawn
        ]
        self._header_asset = ""
        complete = self.queue.update_findings(findings)
        self.changed.emit(change)
        self._tell_decoys(change, findings)
        shown = next((item for item in findings if not item.withdrawn), None)
        if shown is not None and (change.kind == "undo" or new):
            self._go_to(shown, complete)
        elif current is not None and current.id in fresh:
            self._after_own_change(fresh[current.id], current, row, complete)
        elif complete:
            self._refresh_picture()
            self.queue.select_next()
        else:
            self.queue.reload()

    def _tell_decoys(self, change: Change, findings: Sequence[Finding]) -> None:
        """Say that an item was a decoy, once the decision on it is made."""
        decoys = [finding for finding in findings if finding.id in change.decoys]
        if any(finding.decision is DecisionKind.KEEP for finding in decoys):
            self.message.emit(tr("That was a decoy, a made-up private value, and you kept it. Take a closer look."))
        elif decoys:
            self.message.emit(tr("That was a decoy, a made-up private value, and you noticed it."))

    def _after_own_change(self, finding: Finding, before: Finding, row: int, complete: bool) -> None:
        self._current = finding
        self.evidence.show_finding(finding, self.queue.model.asset(finding.asset_id))
        self._refresh_picture()
        if not complete:
            self.queue.reload()
        elif finding.remark == before.remark:
            self.queue.go_on(finding.id, row)
        if self._current is not None and self._current.withdrawn:
            self.show_finding(None)

    def _go_to(self, finding: Finding, complete: bool) -> None:
        if complete and self.queue.select_finding(finding.id):
            return
        self.queue.leave_list()
        self.show_finding(finding)
        if not complete:
            self.queue.reload(finding.id)

    def _refresh_picture(self) -> None:
        self._show_boxes()
        self.viewer.refresh()
        if self.shows_header:
            self._load_front()

    def _give_way(self, finding_id: str) -> None:
        """Go on from an item that another curator has, where the list is one of items to decide on."""
        if self._current is None or self._current.id != finding_id:
            return
        if self.queue.shows_waiting:
            self.message.emit(tr("Another curator has that item; here is the next one."))
            self.queue.apply_filter()
        else:
            self.message.emit(tr("Another curator has this item."))

    def follow_others(self) -> None:
        """Show what other curators did. What is being typed or looked at stays."""
        self.changed_elsewhere.emit()
        if self.bar.is_editing:
            self.leasing.look_again()
            return
        self.queue.reload()
        if self._asset_id:
            self._read_findings(self._asset_id)

    def _read_findings(self, asset_id: str) -> None:
        desk = self._project.desk

        def show(found: list[Finding]) -> None:
            if asset_id == self._asset_id:
                self._findings = found
                self._header_asset = ""
                self._show_boxes()

        wanted = FindingFilter(asset_id=asset_id, with_decoys=True)
        self._operations.read("boxes", lambda: desk.queue(wanted, "file"), show)

    def enter(self) -> None:
        """The page comes to the front: the commands act on it."""
        self._own_actions.set_front(True)
        if not self._is_first:
            self.leasing.start()

    def leave(self) -> None:
        """Another page comes to the front."""
        self._own_actions.set_front(False)
        self.viewer.stop()
        if not self._is_first:
            # Its list may change while nobody looks; it is read anew then. The first review follows what others do.
            self.leasing.stop()

    def stop(self) -> None:
        """Start no work any more: the project is about to be closed."""
        self.queue.stop()
        self.leasing.stop()

    def _exhausted(self) -> None:
        if self.queue.model.rowCount() == 0:
            self.show_finding(None)
            self.message.emit(tr("Nothing is waiting."))
        else:
            self.message.emit(tr("Nothing else waits in this list."))

    def next_undecided(self) -> None:
        """Go to the next item that waits."""
        self.queue.select_next()

    def previous(self) -> None:
        """Go to the item above in the list."""
        self.queue.select_previous()

    def focus_filter(self) -> None:
        """Put the cursor into the filter."""
        self.queue.text.setFocus()
        self.queue.text.selectAll()

    def reload(self) -> None:
        """Read everything again, after a run."""
        self._asset_id = ""
        self.queue.reload()
