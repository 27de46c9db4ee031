"""Line edits that take one kind of value and go back to the last good one."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from deidra.app.metadata.dates import parse_da
from deidra.ui.translation import tr


class ValueField(QLineEdit):
    """Tells what was typed when it is left or Enter is pressed; what cannot be understood is taken back."""

    chosen = Signal(object)

    def __init__(self, name: str, form: str, characters: int) -> None:
        super().__init__()
        self.setPlaceholderText(form)
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({form})")
        self.setFixedWidth((characters + 6) * self.fontMetrics().averageCharWidth())


class DayField(ValueField):
    """A day as ``YYYY-MM-DD``."""

    def __init__(self, name: str) -> None:
        super().__init__(name, tr("YYYY-MM-DD"), 10)
        self._day = date(2000, 1, 1)
        self.editingFinished.connect(self._take)

    @property
    def day(self) -> date:
        """The day that is typed, or the last good one."""
        return parse_da(self.text()) or self._day

    def show_day(self, day: date) -> None:
        """Show a day."""
        self._day = day
        self.setText(day.isoformat())

    def _take(self) -> None:
        self.show_day(self.day)
        self.chosen.emit(self._day)


class NumberField(ValueField):
    """A whole number from ``least`` to ``most``, both included."""

    def __init__(self, name: str, least: int, most: int) -> None:
        super().__init__(name, tr("{least} to {most}", least=least, most=most), len(str(most)))
        self._least, self._most, self._number = least, most, least
        self.editingFinished.connect(self._take)

    @property
    def number(self) -> int:
        """The number that is typed, or the last good one."""
        text = self.text().strip()
        typed = int(text) if text.removeprefix("-").isdecimal() else None
        return typed if typed is not None and self._least <= typed <= self._most else self._number

    def show_number(self, number: int) -> None:
        """Show a number."""
        self._number = number
        self.setText(str(number))

    def _take(self) -> None:
        self.show_number(self.number)
        self.chosen.emit(self._number)
