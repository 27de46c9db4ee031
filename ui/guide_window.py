"""The user guide in a window of its own: read offline, with contents, search and pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QPixmap, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from deidra.ui.theme import GRID
from deidra.ui.translation import Language, language, tr

GUIDE = Path(__file__).parent / "guide" / "guide.md"
"""The guide; its pictures are beside it."""
SECTIONS = {
    "": "Install and start",
    "project_page": "See which files are held back",
    "policy": "Choose a policy",
    "dates_page": "Look at the dates",
    "review_page": "Review what waits",
    "second_page": "Read a second time",
    "release_page": "Release",
}
"""Where the guide opens, by the id of the page in front; the first is for the welcome. In another language it is the
heading at the same place."""
_WIDE = 680
"""Width of pictures in pixels."""
_BLOCK = Qt.ItemDataRole.UserRole


def guide_of(wanted: Language) -> Path:
    """The guide in a language; in English where it is not translated."""
    own = GUIDE.with_name(f"guide.{wanted.value}.md")
    return own if own.exists() else GUIDE


def headings() -> list[str]:
    """The headings of the sections in English, in their order."""
    return re.findall(r"^## (.+)$", GUIDE.read_text("utf-8"), re.MULTILINE)


class _Pages(QTextBrowser):
    """Shows the guide; pictures are made as wide as the text."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: N802
        """Pictures beside the guide; nothing else is ever loaded, and nothing from elsewhere."""
        folder = GUIDE.parent.resolve()
        path = (folder / QUrl(name).path()).resolve()
        if kind != QTextDocument.ResourceType.ImageResource.value or not path.is_relative_to(folder):
            return None
        picture = QPixmap(str(path))
        if picture.width() <= _WIDE:
            return picture
        return picture.scaledToWidth(_WIDE, Qt.TransformationMode.SmoothTransformation)


class GuideWindow(QDialog):
    """Contents at the left, text at the right, a search above. It does not hold up the main window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("User guide"))
        self.setModal(False)
        self.contents = QListWidget()
        self.contents.setAccessibleName(tr("Contents"))
        self.contents.setFixedWidth(34 * self.fontMetrics().averageCharWidth())
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.pages = _Pages()
        self.pages.setAccessibleName(tr("Guide"))
        self.pages.setOpenLinks(False)
        self.pages.setFrameShape(QFrame.Shape.NoFrame)
        self.pages.document().setDocumentMargin(2 * GRID)
        self.pages.setMarkdown(guide_of(language()).read_text("utf-8"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a word; Enter finds the next"))
        self.search.setAccessibleName(tr("Find in the guide"))
        self.search.setClearButtonEnabled(True)
        self.found = QLabel()
        self.found.setObjectName("muted")
        self.found.setAccessibleName(tr("Result of the search"))
        above = QHBoxLayout()
        above.addWidget(self.search, 1)
        above.addWidget(self.found)
        right = QVBoxLayout()
        right.setSpacing(GRID)
        right.addLayout(above)
        right.addWidget(self.pages, 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(GRID, GRID, GRID, GRID)
        row.setSpacing(GRID)
        row.addWidget(self.contents)
        row.addLayout(right, 1)
        self._list_headings()
        self.contents.currentItemChanged.connect(lambda item, _old: self._go(item))
        self.search.textChanged.connect(lambda: self._find(from_start=True))
        self.search.returnPressed.connect(lambda: self._find(from_start=False))
        self.resize(1040, 760)

    def open_at(self, heading: str) -> None:
        """Show a section by its English heading, and come to the front."""
        self.show()
        self.raise_()
        self.activateWindow()
        item = self.contents.item(headings().index(heading))
        self.contents.setCurrentItem(item)
        # The same section may have been scrolled away.
        self._go(item)
        self.contents.setFocus()

    def _list_headings(self) -> None:
        block = self.pages.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() == 2:
                item = QListWidgetItem(block.text())
                item.setData(_BLOCK, block.position())
                self.contents.addItem(item)
            block = block.next()

    def _go(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        block: QTextBlock = self.pages.document().findBlock(item.data(_BLOCK))
        cursor = QTextCursor(block)
        self.pages.setTextCursor(cursor)
        # The heading comes to the top, not just into sight.
        top = self.pages.document().documentLayout().blockBoundingRect(block).top()
        self.pages.verticalScrollBar().setValue(round(top) - GRID)

    def _find(self, from_start: bool) -> None:
        word = self.search.text()
        if from_start:
            self.pages.moveCursor(QTextCursor.MoveOperation.Start)
        there = bool(word) and self.pages.find(word)
        if word and not there and not from_start:
            self.pages.moveCursor(QTextCursor.MoveOperation.Start)
            there = self.pages.find(word)
        self.found.setText("" if there or not word else tr("Not found"))


def show_guide(window: QWidget, front: str) -> None:
    """Open the guide, or bring the open one to the front, at the section about a page.

    Args:
        window: the main window.
        front: the id of the page in front; empty for the welcome.
    """
    guide = window.findChild(GuideWindow) or GuideWindow(window)
    guide.open_at(SECTIONS.get(front, SECTIONS[""]))
