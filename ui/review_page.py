"""The review: queue, image or header, evidence and decisions, working together on one project."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import QFrame, QSplitter, QTabWidget, QVBoxLayout, QWidget

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import DecisionKind, Finding
from deidra.app.review import Change
from deidra.storage.findings import FindingFilter
from deidra.ui.canvas import ImageCanvas
from deidra.ui.decision_bar import DecisionBar
from deidra.ui.evidence_panel import EvidencePanel
from deidra.ui.header_panel import HeaderPanel
from deidra.ui.marked import Marked
from deidra.ui.operations import Operations
from deidra.ui.pictures import Key, Pictures
from deidra.ui.queue_panel import QueuePanel
from deidra.ui.theme import GRID

if TYPE_CHECKING:
    from deidra.app.workflow import HeaderRow, Project

_DECISIONS = ("accept", "replace", "blank", "keep")
_AHEAD = 3
"""Items whose images are decoded before they are wanted."""

Outcome = tuple[Change | None, list[Finding]]


class ReviewPage(QWidget):
    """Coordinates the panels. A decision is stored first, then shown, then the next item is selected."""

    changed = Signal(object)
    """A Change that is stored and shown."""
    message = Signal(str)
    """A short sentence for the status bar."""
    release_wanted = Signal()

    def __init__(self, project: Project, operations: Operations, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._project = project
        self._operations = operations
        self._actions = actions
        self._current: Finding | None = None
        self._asset_id = ""
        self._findings: list[Finding] = []
        self._frame = 0
        self._frame_count: int | None = None
        self._preview = False
        self._peeking = False
        self._shown_asset = ""
        self._header_asset = ""
        for name in _DECISIONS:
            actions[name].setEnabled(False)
        self.queue = QueuePanel(project, operations)
        self.canvas = ImageCanvas()
        self.header = HeaderPanel()
        self.evidence = EvidencePanel()
        self.bar = DecisionBar(actions)
        self.pictures = Pictures(project, operations, self)
        self._build()
        self.setFocusProxy(self.queue.list)
        self.queue.selected.connect(self.show_finding)
        self.queue.exhausted.connect(self._exhausted)
        self.queue.release_wanted.connect(self.release_wanted)
        self.canvas.finding_clicked.connect(self.select)
        self.canvas.zoomed.connect(self.bar.show_zoom)
        self.header.finding_chosen.connect(self.select)
        self.pictures.ready.connect(self._image_ready)
        self.pictures.failed.connect(self._image_failed)
        self.bar.replacement_typed.connect(lambda text: self._decide(DecisionKind.REPLACE, text))
        self.bar.replacement_left.connect(self.queue.list.setFocus)
        self.tabs.currentChanged.connect(self._tab_changed)

    def _build(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Image or header")
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.canvas, "Image")
        self.tabs.addTab(self.header, "Header")
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
    def frame(self) -> int:
        """The frame or page shown, counted from 0."""
        return self._frame

    @property
    def shows_header(self) -> bool:
        """True when the header is in front."""
        return self.tabs.currentWidget() is self.header

    def show_finding(self, finding: Finding | None) -> None:
        """Put a finding, or nothing, under review."""
        moved = finding is None or self._current is None or finding.id != self._current.id
        self._current = finding
        self.bar.close_editor()
        for name in _DECISIONS:
            self._actions[name].setEnabled(finding is not None)
        if finding is None:
            self._show_nothing()
            return
        if moved:
            self._set_preview(False)
        if finding.asset_id != self._asset_id:
            self._open_asset(finding.asset_id)
        index = finding.frame if finding.frame is not None else finding.page
        if index is not None:
            self._frame = index
        self.evidence.show_finding(finding, self.queue.model.asset(finding.asset_id))
        front = self.header if finding.tag is not None else self.canvas
        if self.tabs.currentWidget() is not front:
            self.tabs.setCurrentWidget(front)
        else:
            self._load_front()
        if finding.tag is None:
            self._show_frame()
        self._decode_ahead()

    def _show_nothing(self) -> None:
        self._asset_id, self._findings, self._frame, self._frame_count = "", [], 0, None
        self._shown_asset = self._header_asset = ""
        self._set_preview(False)
        self.canvas.set_preview(False)
        self._show_mode(False)
        self.evidence.clear()
        self.canvas.clear("No item is selected.")
        self.header.clear("Select an item to see its header.")
        self.bar.show_frame(0, 0, "frame")

    def _open_asset(self, asset_id: str) -> None:
        self._asset_id, self._findings = asset_id, []
        self._frame, self._frame_count = 0, None
        self._header_asset = ""
        self.canvas.show_boxes([], None)
        desk, project = self._project.desk, self._project

        def work() -> tuple[list[Finding], int]:
            return desk.queue(FindingFilter(asset_id=asset_id), "file"), project.frame_count(asset_id)

        def show(result: tuple[list[Finding], int]) -> None:
            self._findings, self._frame_count = result
            self._show_boxes()
            self._show_frame_number()
            if not self.shows_header or (self._current is not None and self._current.tag is None):
                self._show_frame()

        def failed(error: KnownError) -> None:
            self._image_failed(asset_id, error)

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

    def _show_frame(self) -> None:
        self._show_frame_number()
        if self._frame_count == 0:
            self.canvas.clear("This file has no image.")
        elif self._frame_count is not None:
            self.pictures.want(self._asset_id, self._frame, self._preview and not self._peeking)

    def _show_frame_number(self) -> None:
        asset = self.queue.model.asset(self._asset_id)
        word = "page" if asset is not None and asset.has_pages else "frame"
        self.bar.show_frame(self._frame, self._frame_count or 0, word)

    def _image_ready(self, asset_id: str, index: int, preview: bool, image: QImage) -> None:
        if (asset_id, index, preview) != (self._asset_id, self._frame, self._preview and not self._peeking):
            return
        self.canvas.set_preview(preview)
        self._show_mode(preview)
        self.canvas.show_image(image, keep_view=self._shown_asset == asset_id)
        self._shown_asset = asset_id
        self._show_boxes()
        finding = self._current
        if finding is not None and not preview and finding.frame in (None, index) and finding.page in (None, index):
            self.evidence.show_crop(image)

    def _image_failed(self, asset_id: str, error: KnownError) -> None:
        if asset_id == self._asset_id:
            self._shown_asset = ""
            self.canvas.clear(f"{error}\n\n{error.advice}".strip())

    def _show_boxes(self) -> None:
        here = [
            item
            for item in self._findings
            if item.polygon is not None and item.frame in (None, self._frame) and item.page in (None, self._frame)
        ]
        self.canvas.show_boxes(here, self._current.id if self._current else None)
        self.canvas.reveal_selected()

    def _decode_ahead(self) -> None:
        model, row = self.queue.model, self.queue.current_row()
        following = (model.finding(number) for number in range(row + 1, row + 1 + _AHEAD))
        keys: list[Key] = [
            (item.asset_id, item.frame or item.page or 0) for item in following if item is not None and item.tag is None
        ]
        self.pictures.ahead(keys)

    def step_frame(self, step: int) -> None:
        """Go frames or pages on (positive) or back (negative)."""
        target = self._frame + step
        if 0 <= target < (self._frame_count or 0) and not self.shows_header:
            self._frame = target
            self._show_frame()

    def set_peek(self, on: bool) -> None:
        """Show the original without boxes while a key is held."""
        self._peeking = on
        self.canvas.set_peek(on)
        self._show_mode(False)
        if self._preview:
            self._show_frame()

    def _show_mode(self, preview: bool) -> None:
        self.bar.show_mode("as it will be released" if preview else "original" if self._peeking else "")

    @property
    def is_peeking(self) -> bool:
        """True while the original is shown without boxes."""
        return self._peeking

    def toggle_preview(self) -> None:
        """Switch between the original with boxes and the image as it would be released."""
        self._set_preview(not self._preview)
        if self.shows_header:
            self.tabs.setCurrentWidget(self.canvas)
        self._show_frame()

    def _set_preview(self, on: bool) -> None:
        self._preview = on
        self._actions["preview"].setChecked(on)

    # Header

    def toggle_header(self) -> None:
        """Switch between image and header of the present file."""
        self.tabs.setCurrentWidget(self.canvas if self.shows_header else self.header)

    def _tab_changed(self) -> None:
        self._actions["header"].setChecked(self.shows_header)
        self.bar.show_frame_controls(not self.shows_header)
        self._load_front()

    def _load_front(self) -> None:
        if not self._asset_id:
            return
        if not self.shows_header:
            if self._current is not None and self._current.tag is not None:
                self._show_frame()
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
            self.header.clear(f"{error}\n\n{error.advice}".strip())

        self._operations.read("header", lambda: project.header(asset_id), show, failed)

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
        finding, desk = self._current, self._project.desk
        if finding is None:
            return

        def work() -> Outcome:
            return _with_findings(desk.decide([finding.id], kind, text, _curator()), desk.finding)

        self._change(work)
        if not self.queue.list.hasFocus():
            self.queue.list.setFocus()

    def undo(self) -> None:
        """Take back the last decision and go to its item."""
        desk = self._project.desk
        self._change(lambda: _with_findings(desk.undo(_curator()), desk.finding))

    def redo(self) -> None:
        """Decide again what was taken back."""
        desk = self._project.desk
        self._change(lambda: _with_findings(desk.redo(_curator()), desk.finding))

    def _change(self, work: Callable[[], Outcome]) -> None:
        if self._operations.is_changing:
            # The item on the screen is already decided; another key now would hit it a second time.
            self.message.emit("Still storing the decision before; press the key again.")
            return
        self.message.emit("Saving…")
        self._operations.change(work, self._show_change)

    def _show_change(self, outcome: Outcome) -> None:
        change, findings = outcome
        if change is None or not findings:
            self.message.emit("There is nothing to undo or redo.")
            return
        row, current = self.queue.current_row(), self._current
        fresh = {finding.id: finding for finding in findings}
        self._findings = [fresh.get(finding.id, finding) for finding in self._findings]
        self._header_asset = ""
        complete = self.queue.update_findings(findings)
        self.changed.emit(change)
        if change.kind == "undo":
            self._go_to(findings[0], complete)
        elif current is not None and current.id in fresh:
            self._current = fresh[current.id]
            self.evidence.show_finding(self._current, self.queue.model.asset(current.asset_id))
            self._refresh_picture()
            if complete:
                self.queue.go_on(current.id, row)
            else:
                self.queue.reload()
        elif complete:
            self._refresh_picture()
            self.queue.select_next()
        else:
            self.queue.reload()

    def _go_to(self, finding: Finding, complete: bool) -> None:
        if complete and self.queue.select_finding(finding.id):
            return
        self.queue.leave_list()
        self.show_finding(finding)
        if not complete:
            self.queue.reload(finding.id)

    def _refresh_picture(self) -> None:
        self._show_boxes()
        if self._preview:
            self._show_frame()
        if self.shows_header:
            self._load_front()

    def _exhausted(self) -> None:
        if self.queue.model.rowCount() == 0:
            self.show_finding(None)
            self.message.emit("Nothing is waiting.")
        else:
            self.message.emit("Nothing else waits in this list.")

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


def _curator() -> str:
    # Loaded already where a project is open; at the top it would hold up the first window.
    from deidra.app.workflow import current_user

    return current_user()


def _with_findings(change: Change | None, read: Callable[[str], Finding]) -> Outcome:
    return change, [read(finding_id) for finding_id in change.findings] if change else []
