"""Asks what a drawn box hides, and on which frames."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QPolygonF
from PySide6.QtWidgets import QCheckBox, QComboBox, QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.ui.theme import GRID
from deidra.ui.translation import tr, trn
from deidra.ui.words import type_label


class BoxPopup(QDialog):
    """A small dialog beside the box: Enter covers it, Esc gives it up."""

    chosen = Signal(QPolygonF, object, bool)
    """The box or polygon in image pixels, its EntityType, and whether it is on all frames."""

    def __init__(self, parent: QWidget, shape: QPolygonF, count: int, has_pages: bool) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Cover this box"))
        self._shape = QPolygonF(shape)
        self.kind = QComboBox()
        self.kind.setAccessibleName(tr("What is private here"))
        for kind in sorted(TYPES, key=type_label):
            self.kind.addItem(type_label(kind), kind)
        self.kind.setCurrentIndex(self.kind.findData(EntityType.OTHERPHI))
        self.everywhere = QCheckBox(
            trn("On {count} page", "On all {count} pages", count)
            if has_pages
            else trn("On {count} frame", "On all {count} frames", count)
        )
        self.everywhere.setVisible(count > 1)
        cover = QPushButton(tr("Cover"))
        cover.setObjectName("primary")
        cover.setDefault(True)
        cover.clicked.connect(self._choose)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addStretch()
        row.addWidget(cancel)
        row.addWidget(cover)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(QLabel(tr("What is private here?")))
        layout.addWidget(self.kind)
        layout.addWidget(self.everywhere)
        layout.addSpacing(GRID)
        layout.addLayout(row)
        self.kind.setFocus()

    def open_at(self, corner: QPoint) -> None:
        """Open beside a point of the screen, without blocking, and not beyond its edges."""
        self.adjustSize()
        screen = self.screen().availableGeometry()
        corner.setX(min(corner.x(), screen.right() - self.width()))
        corner.setY(min(corner.y(), screen.bottom() - self.height() - 4 * GRID))
        self.move(corner)
        self.open()

    def _choose(self) -> None:
        self.chosen.emit(self._shape, EntityType(self.kind.currentData()), self.everywhere.isChecked())
        self.accept()
