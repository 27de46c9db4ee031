"""How far curators agree, in one sentence and in figures by type."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.review.agreement import Estimate
from deidra.app.review.decoys import Sensitivity
from deidra.app.review.second import Agreement
from deidra.ui.state_pages import selectable
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID, title_font

_STRENGTH = ((0.0, "slight"), (0.2, "fair"), (0.4, "moderate"), (0.6, "substantial"), (0.8, "almost perfect"))
"""Words for kappa above these values (Landis and Koch 1977)."""
_FEW = 30
"""With fewer readings the sentence warns."""
_NONE = "Nobody has read an item a second time yet. When somebody has, this says how far curators agree."
_HELP = (
    "Kappa says how far curators agree beyond what chance alone would give: 1 is always, 0 no more than by chance. "
    "“Private or not” asks only whether an item was kept, not what was written instead. In brackets: where the figure "
    "lies with 95 % certainty; few readings leave it wide."
)


class AgreementPanel(QScrollArea):
    """Read only."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Agreement")
        self.sentence = selectable("Agreement in one sentence")
        self.sentence.setFont(title_font(self.sentence.font()))
        self.several = selectable("Agreement of several readers")
        columns = ("Type", "Readings", "Same decision", "Kappa", "Private or not")
        self.table = TextTable("Agreement by type", columns, 130)
        for number, width in enumerate((26, 12, 28, 26)):
            self.table.setColumnWidth(number, width * self.fontMetrics().averageCharWidth())
        self.table.setMinimumHeight(6 * (self.fontMetrics().height() + 12))
        self.noticed = selectable("Decoys that were noticed")
        self.curators = TextTable("Decoys by curator", ("Curator", "Decoys", "Noticed", "Share"), 130)
        for number, width in enumerate((26, 12, 12)):
            self.curators.setColumnWidth(number, width * self.fontMetrics().averageCharWidth())
        self.curators.setFixedHeight(5 * (self.fontMetrics().height() + 12))
        self.help = selectable("What the figures mean")
        self.help.setText(_HELP)
        self.help.setObjectName("muted")
        self._rest = QWidget()
        body = QWidget()
        body.setObjectName("clear")
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        self.column.setSpacing(GRID)
        self.column.addWidget(self.sentence)
        self.column.addWidget(self.several)
        self.column.addWidget(self.table, 1)
        self.column.addWidget(self.noticed)
        self.column.addWidget(self.curators)
        self.column.addWidget(self.help)
        self.column.addWidget(self._rest, 1)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidget(body)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_agreement(self, found: Mapping[str, Agreement], several: Mapping[int, float | None]) -> None:
        """Show agreement of all (the empty name) and by type, and Fleiss' kappa by the number of readings."""
        whole = found.get("")
        read = whole is not None and whole.readings > 0
        self.sentence.setText(agreement_sentence(whole) if whole is not None and read else _NONE)
        self.several.setText("\n".join(_fleiss_words(readers, kappa) for readers, kappa in several.items()))
        self.several.setVisible(bool(several))
        rows = [_row("all", whole)] if whole is not None and read else []
        rows += [_row(_type_words(name), item) for name, item in sorted(found.items()) if name]
        self.table.rows.show(rows)
        self.table.setVisible(read)
        self.help.setVisible(read)
        self._rest.setVisible(not read)

    def show_sensitivity(self, found: Mapping[str, Sensitivity]) -> None:
        """Show how many decoys each curator noticed; nothing where there are none."""
        whole = found.get("")
        there = whole is not None and whole.decoys > 0
        self.noticed.setVisible(there)
        self.curators.setVisible(there)
        if whole is not None and there:
            self.noticed.setText(sensitivity_sentence(whole))
            rows = [(name, item) for name, item in sorted(found.items()) if name]
            self.curators.rows.show(
                [(name, f"{item.decoys:,}", f"{item.noticed:,}", percent(item.share)) for name, item in rows]
            )


def sensitivity_sentence(item: Sensitivity) -> str:
    """What the decoys tell, in plain words."""
    few = " So few decoys say little yet." if item.decoys < _FEW else ""
    return (
        f"Of {item.decoys:,} {'decoy' if item.decoys == 1 else 'decoys'} {item.noticed:,} "
        f"{'was' if item.noticed == 1 else 'were'} noticed. Expect that curators notice about {percent(item.share)} of "
        f"private values like these.{few}"
    )


def agreement_sentence(item: Agreement) -> str:
    """What the figures mean, in plain words."""
    if item.share is None:
        return _NONE
    count = f"{item.readings:,} second {'reading' if item.readings == 1 else 'readings'}"
    told = f"In {count} the decision was the same in {percent(item.share)}"
    few = " So few readings say little yet." if item.readings < _FEW else ""
    if item.kappa is None:
        return f"{told}. Everything got one and the same decision, so chance cannot be told from agreement.{few}"
    if item.kappa.value <= 0:
        return f"{told}. That is no more than chance would give (kappa {item.kappa.value:.2f}).{few}"
    strength = [words for least, words in _STRENGTH if item.kappa.value > least][-1]
    return f"{told}. Beyond chance the agreement is {strength} (kappa {item.kappa.value:.2f}).{few}"


def percent(value: Estimate | None) -> str:
    """A share with its interval, for example ``93 % (87 to 97)``; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value.value * 100:.0f} % ({value.low * 100:.0f} to {value.high * 100:.0f})"


def _figure(value: Estimate | None) -> str:
    # Rounded first, and more than nothing: zero has no sign.
    return (
        "–"
        if value is None
        else "{:.2f} ({:.2f} to {:.2f})".format(
            *(round(number, 2) + 0.0 for number in (value.value, value.low, value.high))
        )
    )


def _row(name: str, item: Agreement) -> tuple[str, ...]:
    return name, f"{item.readings:,}", percent(item.share), _figure(item.kappa), _figure(item.private)


def _type_words(name: str) -> str:
    return TYPES[EntityType(name)].label if name in [kind.value for kind in EntityType] else name


def _fleiss_words(readers: int, kappa: float | None) -> str:
    figure = "not defined, since all decisions are the same" if kappa is None else f"{kappa:.2f}"
    return f"Items that {readers} curators have read: Fleiss' kappa {figure}."
