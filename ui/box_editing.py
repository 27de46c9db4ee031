"""Drawing, changing and deleting boxes on the image, between the canvas and the desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QPolygonF
from PySide6.QtWidgets import QWidget

from deidra.app.domain.model import Asset
from deidra.app.domain.taxonomy import EntityType
from deidra.ui.box_popup import BoxPopup
from deidra.ui.canvas import ImageCanvas
from deidra.ui.deciding import Deciding
from deidra.ui.frame_viewer import FrameViewer
from deidra.ui.translation import tr


class BoxEditing(QObject):
    """A drawn box or polygon asks for its type and is covered then; a changed one is stored at once."""

    message = Signal(str)

    def __init__(
        self,
        page: QWidget,
        canvas: ImageCanvas,
        viewer: FrameViewer,
        deciding: Deciding,
        actions: Mapping[str, QAction],
        asset: Callable[[], Asset | None],
        may_draw: bool = True,
    ) -> None:
        super().__init__(page)
        self._page, self._canvas, self._viewer, self._deciding = page, canvas, viewer, deciding
        self._actions = actions
        self._asset = asset
        canvas.box_drawn.connect(self._ask_type if may_draw else self._refuse)
        canvas.box_changed.connect(deciding.redraw if may_draw else self._refuse)
        canvas.drawing_left.connect(lambda: self.draw(False))

    def draw(self, on: bool) -> None:
        """Let drags draw boxes, or move the image."""
        self._actions["draw"].setChecked(on)
        self._viewer.set_drawing(on)
        if on:
            self.message.emit(
                tr("Drag a box over what is private, or click corners around it and press Enter. Esc ends drawing.")
            )

    def _ask_type(self, shape: QPolygonF) -> None:
        asset, frame = self._asset(), self._viewer.frame
        if asset is None:
            self._canvas.frame_selected()
            return
        popup = BoxPopup(self._page, shape, self._viewer.count or 0, asset.has_pages)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def cover(shape: QPolygonF, kind: EntityType, everywhere: bool) -> None:
            self._deciding.draw(asset.id, None if everywhere else frame, shape, kind)

        popup.chosen.connect(cover)
        popup.finished.connect(self._leave_popup)
        popup.open_at(
            self._canvas.viewport().mapToGlobal(self._canvas.mapFromScene(shape.boundingRect().bottomRight()))
        )

    def _refuse(self) -> None:
        self._canvas.frame_selected()
        self.message.emit(tr("Boxes are drawn and changed in the review."))

    def _leave_popup(self) -> None:
        self._canvas.frame_selected()
        self._canvas.setFocus()
