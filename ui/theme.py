"""Colours, spacing and styles. The palettes are Deidra's own: platforms report theirs unreliably."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from deidra.ui.words import BoxState

GRID = 8
"""Distances are multiples of this many device-independent pixels."""


class Theme(StrEnum):
    """The choices in the View menu."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """One colour scheme, as ``#rrggbb``."""

    window: str
    panel: str
    raised: str
    text: str
    muted: str
    line: str
    accent: str
    on_accent: str
    selection: str
    warning: str


LIGHT = Colours(
    window="#eef0f3",
    panel="#ffffff",
    raised="#f7f8fa",
    text="#1a1d21",
    muted="#59616b",
    line="#cfd4da",
    accent="#1f5fbf",
    on_accent="#ffffff",
    selection="#dbe7f8",
    warning="#8a5a00",
)
DARK = Colours(
    window="#15181c",
    panel="#1e2227",
    raised="#282d34",
    text="#e8eaed",
    muted="#a3abb5",
    line="#3a414a",
    accent="#6ea8fe",
    on_accent="#0b1a30",
    selection="#2a3d5a",
    warning="#ffc04d",
)

CANVAS = "#0f1114"
"""Behind images, in both themes: radiology reads on black."""

BOX_COLOURS = {
    BoxState.UNDECIDED: "#ffb000",
    BoxState.AUTO: "#8fa9c4",
    BoxState.REDACT: "#e23b4e",
    BoxState.REPLACE: "#a77bff",
    BoxState.BLANK: "#e23b4e",
    BoxState.KEEP: "#2fbf8f",
    BoxState.IGNORED: "#7d8590",
}
"""Distinct in lightness as well as hue, so that they differ for colour-blind eyes; shape says the same."""

FLAG_COLOUR = "#56b4e9"
"""Of the flag at a box that waits for a second look; a shape of its own says it too."""

_current = {"colours": LIGHT}


def colours() -> Colours:
    """The scheme in use."""
    return _current["colours"]


def is_dark(theme: Theme) -> bool:
    """Whether a choice comes out dark on this desktop."""
    if theme is Theme.SYSTEM:
        return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
    return theme is Theme.DARK


def palette_of(scheme: Colours) -> QPalette:
    """A complete palette, with the disabled colours."""
    palette = QPalette()
    role = QPalette.ColorRole
    for target, colour in (
        (role.Window, scheme.window),
        (role.WindowText, scheme.text),
        (role.Base, scheme.panel),
        (role.AlternateBase, scheme.raised),
        (role.Text, scheme.text),
        (role.PlaceholderText, scheme.muted),
        (role.Button, scheme.raised),
        (role.ButtonText, scheme.text),
        (role.BrightText, scheme.warning),
        (role.ToolTipBase, scheme.raised),
        (role.ToolTipText, scheme.text),
        (role.Highlight, scheme.accent),
        (role.HighlightedText, scheme.on_accent),
        (role.Link, scheme.accent),
        (role.LinkVisited, scheme.accent),
        (role.Mid, scheme.line),
        (role.Dark, scheme.line),
        (role.Light, scheme.raised),
    ):
        palette.setColor(target, QColor(colour))
    for target in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(_blend(scheme.muted, scheme.panel)))
    return palette


def _blend(first: str, second: str) -> str:
    a, b = QColor(first), QColor(second)
    return QColor((a.red() + b.red()) // 2, (a.green() + b.green()) // 2, (a.blue() + b.blue()) // 2).name()


def apply(app: QApplication, theme: Theme) -> None:
    """Dress the whole application."""
    scheme = DARK if is_dark(theme) else LIGHT
    _current["colours"] = scheme
    app.setStyle("Fusion")
    app.setPalette(palette_of(scheme))
    app.setStyleSheet(style_sheet(scheme))


def title_font(font: QFont) -> QFont:
    """The one size for titles."""
    title = QFont(font)
    title.setPointSizeF(font.pointSizeF() * 1.35)
    title.setWeight(QFont.Weight.DemiBold)
    return title


def small_font(font: QFont) -> QFont:
    """The smaller of the two text sizes."""
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * 0.9)
    return small


def style_sheet(c: Colours) -> str:
    """What palettes cannot say: panel borders, buttons, visible focus."""
    return f"""
    QFrame#panel {{ background: {c.panel}; border: 1px solid {c.line}; border-radius: 6px; }}
    QFrame#strip {{ background: {c.panel}; border: none; border-bottom: 1px solid {c.line}; }}
    QFrame#rail {{ background: {c.panel}; border: none; border-right: 1px solid {c.line}; }}
    QFrame#rail QToolButton {{ border: 2px solid transparent; border-radius: 6px; padding: 6px 2px; color: {c.muted}; }}
    QFrame#rail QToolButton:hover {{ background: {c.raised}; color: {c.text}; }}
    QFrame#rail QToolButton:checked {{ background: {c.selection}; color: {c.text}; border-left-color: {c.accent}; }}
    QFrame#rail QToolButton:focus {{ border: 2px solid {c.accent}; }}
    QFrame#rule {{ background: {c.line}; border: none; max-height: 1px; min-height: 1px; }}
    QLabel#muted {{ color: {c.muted}; }}
    QLabel#mode {{ background: {c.accent}; color: {c.on_accent}; border-radius: 4px; padding: 3px 8px; }}
    QLabel#warning {{ color: {c.warning}; }}
    QLabel#picture {{ background: {CANVAS}; border-radius: 4px; }}
    QPushButton {{ padding: 6px 14px; border: 1px solid {c.line}; border-radius: 5px;
                   background: {c.raised}; color: {c.text}; }}
    QPushButton:hover {{ border-color: {c.accent}; }}
    QPushButton:pressed {{ background: {c.selection}; }}
    QPushButton:focus {{ border: 2px solid {c.accent}; padding: 5px 13px; }}
    QPushButton:disabled {{ color: {_blend(c.muted, c.panel)}; }}
    QPushButton#primary {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
    QPushButton#primary:focus {{ border: 2px solid {c.text}; }}
    QPushButton#primary:disabled {{ background: {c.raised}; color: {_blend(c.muted, c.panel)};
                                    border-color: {c.line}; }}
    QGroupBox {{ border: 1px solid {c.line}; border-radius: 6px; margin-top: 10px; font-weight: 600; }}
    QGroupBox::title {{ subcontrol-origin: margin; left: 8px; padding: 0 4px; }}
    QWidget#clear {{ background: transparent; }}
    QListWidget::item {{ padding: 4px 2px; }}
    QPlainTextEdit {{ padding: 3px 6px; border: 1px solid {c.line}; border-radius: 5px; background: {c.panel};
                      selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
    QPlainTextEdit:focus {{ border: 2px solid {c.accent}; padding: 2px 5px; }}
    QCheckBox::indicator, QListWidget::indicator, QTableView::indicator {{
        width: 14px; height: 14px; border: 1px solid {c.muted}; border-radius: 3px; background: {c.panel}; }}
    QCheckBox::indicator:checked, QListWidget::indicator:checked, QTableView::indicator:checked {{
        background: {c.accent}; border-color: {c.accent};
        image: url({_icon_url("tick-dark" if c is DARK else "tick-light")}); }}
    QCheckBox::indicator:disabled, QListWidget::indicator:disabled, QTableView::indicator:disabled {{
        border-color: {c.line}; }}
    QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {c.line}; }}
    QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {c.accent}; }}
    QSlider::handle:horizontal {{ width: 12px; height: 12px; margin: -5px 0; border-radius: 7px;
                                  border: 1px solid {c.panel}; background: {c.accent}; }}
    QSlider:focus {{ border: 2px solid {c.accent}; border-radius: 5px; }}
    QCheckBox:focus, QRadioButton:focus {{ border: 2px solid {c.accent}; border-radius: 4px; }}
    QLineEdit, QComboBox {{ padding: 5px 8px; border: 1px solid {c.line}; border-radius: 5px; background: {c.panel};
                            selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
    QLineEdit:focus, QComboBox:focus {{ border: 2px solid {c.accent}; padding: 4px 7px; }}
    QAbstractSpinBox {{ padding: 4px 6px; border: 1px solid {c.line}; border-radius: 5px; background: {c.panel};
                        color: {c.text}; }}
    QAbstractSpinBox:focus {{ border: 2px solid {c.accent}; padding: 3px 5px; }}
    QAbstractSpinBox QLineEdit {{ border: none; padding: 0; background: transparent; }}
    QComboBox::drop-down {{ border: none; width: 20px; }}
    QComboBox::down-arrow {{ image: url({_icon_url("down-dark" if c is DARK else "down-light")});
                             width: 10px; height: 10px; }}
    QComboBox QAbstractItemView {{ background: {c.panel}; border: 1px solid {c.line};
                                   selection-background-color: {c.selection}; selection-color: {c.text}; }}
    QListView, QTableView {{ border: 2px solid {c.line}; border-radius: 5px; background: {c.panel};
                             alternate-background-color: {c.raised}; gridline-color: {c.line};
                             selection-background-color: {c.selection}; selection-color: {c.text}; outline: none; }}
    QListView:focus, QTableView:focus, QGraphicsView:focus {{ border: 2px solid {c.accent}; }}
    QGraphicsView {{ border: 2px solid {c.line}; border-radius: 5px; }}
    QHeaderView::section {{ background: {c.raised}; color: {c.muted}; padding: 5px 4px; border: none;
                            border-bottom: 1px solid {c.line}; }}
    QTabWidget::pane {{ border: none; }}
    QTabBar::tab {{ padding: 7px 16px; color: {c.muted}; border: none; border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {c.text}; border-bottom: 2px solid {c.accent}; }}
    QTabBar::tab:focus {{ color: {c.accent}; }}
    QProgressBar {{ border: 1px solid {c.line}; border-radius: 4px; background: {c.raised}; max-height: 8px; }}
    QProgressBar::chunk {{ background: {c.accent}; border-radius: 3px; }}
    QScrollArea {{ background: transparent; border: none; }}
    QScrollArea#page {{ border: 2px solid {c.line}; border-radius: 5px; }}
    QScrollArea#page:focus {{ border: 2px solid {c.accent}; }}
    QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
    QScrollBar::handle {{ background: {c.line}; border-radius: 4px; min-height: 28px; min-width: 28px; margin: 2px; }}
    QScrollBar::handle:hover {{ background: {c.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QSplitter::handle {{ background: transparent; }}
    QStatusBar {{ background: {c.panel}; border-top: 1px solid {c.line}; }}
    QStatusBar::item {{ border: none; }}
    QStatusBar QLabel {{ color: {c.muted}; padding: 2px 8px; }}
    QMenuBar {{ background: {c.panel}; }}
    QMenuBar::item {{ padding: 5px 10px; background: transparent; }}
    QMenuBar::item:selected {{ background: {c.selection}; }}
    QMenu {{ background: {c.panel}; border: 1px solid {c.line}; padding: 4px; }}
    QMenu::item {{ padding: 5px 28px 5px 24px; border-radius: 4px; }}
    QMenu::item:selected {{ background: {c.selection}; color: {c.text}; }}
    QMenu::item:disabled {{ color: {_blend(c.muted, c.panel)}; }}
    QMenu::separator {{ height: 1px; background: {c.line}; margin: 4px 8px; }}
    QToolTip {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.line}; padding: 4px; }}
    """


def _icon_url(name: str) -> str:
    return icon_path(name).replace("\\", "/")


def icon_path(name: str) -> str:
    """The file of an icon, for Qt; ``name`` without ending."""
    return str(Path(__file__).parent / "icons" / f"{name}.svg")
