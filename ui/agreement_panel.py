"""How far curators agree, in one sentence and in figures by type."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from deidra.app.domain.taxonomy import EntityType
from deidra.app.review.agreement import Estimate
from deidra.app.review.decoys import Sensitivity
from deidra.app.review.second import Agreement
from deidra.ui.state_pages import selectable
from deidra.ui.text_table import TextTable
from deidra.ui.theme import GRID, title_font
from deidra.ui.translation import decimal, later, number, tr, trn
from deidra.ui.words import type_label

_STRENGTH = (
    (0.0, later("slight")),
    (0.2, later("fair")),
    (0.4, later("moderate")),
    (0.6, later("substantial")),
    (0.8, later("almost perfect")),
)
"""Words for kappa above these values (Landis and Koch 1977)."""
_FEW = 30
"""With fewer readings the sentence warns."""
_NONE = later("Nobody has read an item a second time yet. When somebody has, this says how far curators agree.")
_HELP = later(
    "Kappa says how far curators agree beyond what chance alone would give: 1 is always, 0 no more than by chance. "
    "“Private or not” asks only whether an item was kept, not what was written instead. In brackets: where the figure "
    "lies with 95 % certainty; few readings leave it wide."
)


class AgreementPanel(QScrollArea):
    """Read only."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Agreement"))
        self.sentence = selectable(tr("Agreement in one sentence"))
        self.sentence.setFont(title_font(self.sentence.font()))
        self.several = selectable(tr("Agreement of several readers"))
        columns = (tr("Type"), tr("Readings"), tr("Same decision"), tr("Kappa"), tr("Private or not"))
        self.table = TextTable(tr("Agreement by type"), columns, 130)
        for column, width in enumerate((26, 12, 28, 26)):
            self.table.setColumnWidth(column, width * self.fontMetrics().averageCharWidth())
        self.table.setMinimumHeight(6 * (self.fontMetrics().height() + 12))
        self.noticed = selectable(tr("Decoys that were noticed"))
        self.curators = TextTable(
            tr("Decoys by curator"), (tr("Curator"), tr("Decoys"), tr("Noticed"), tr("Share")), 130
        )
        for column, width in enumerate((26, 12, 12)):
            self.curators.setColumnWidth(column, width * self.fontMetrics().averageCharWidth())
        self.curators.setFixedHeight(5 * (self.fontMetrics().height() + 12))
        self.help = selectable(tr("What the figures mean"))
        self.help.setText(tr(_HELP))
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
        self.sentence.setText(agreement_sentence(whole) if whole is not None and read else tr(_NONE))
        self.several.setText("\n".join(_fleiss_words(readers, kappa) for readers, kappa in several.items()))
        self.several.setVisible(bool(several))
        rows = [_row(tr("all"), whole)] if whole is not None and read else []
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
                [(name, number(item.decoys), number(item.noticed), percent(item.share)) for name, item in rows]
            )


def sensitivity_sentence(item: Sensitivity) -> str:
    """What the decoys tell, in plain words."""
    told = tr(
        "Of {decoys} {noticed}.",
        decoys=trn("{count} decoy", "{count} decoys", item.decoys),
        noticed=trn("{count} was noticed", "{count} were noticed", item.noticed),
    )
    sentences = [told]
    sentences += [
        tr("Expect that curators notice about {share} of private values like these.", share=percent(item.share))
    ]
    sentences += [tr("So few decoys say little yet.")] if item.decoys < _FEW else []
    return " ".join(sentences)


def agreement_sentence(item: Agreement) -> str:
    """What the figures mean, in plain words."""
    if item.share is None:
        return tr(_NONE)
    told = trn(
        "In {count} second reading the decision was the same in {share}.",
        "In {count} second readings the decision was the same in {share}.",
        item.readings,
        share=percent(item.share),
    )
    sentences = [told, _chance_words(item)]
    sentences += [tr("So few readings say little yet.")] if item.readings < _FEW else []
    return " ".join(sentences)


def _chance_words(item: Agreement) -> str:
    if item.kappa is None:
        return tr("Everything got one and the same decision, so chance cannot be told from agreement.")
    kappa = decimal(item.kappa.value, 2)
    if item.kappa.value <= 0:
        return tr("That is no more than chance would give (kappa {kappa}).", kappa=kappa)
    strength = [words for least, words in _STRENGTH if item.kappa.value > least][-1]
    return tr("Beyond chance the agreement is {strength} (kappa {kappa}).", strength=tr(strength), kappa=kappa)


def percent(value: Estimate | None) -> str:
    """A share with its interval, for example ``93 % (87 to 97)``; a dash where there is none."""
    if value is None:
        return "–"
    whole, low, high = (decimal(part * 100, 0) for part in (value.value, value.low, value.high))
    return tr("{share} % ({low} to {high})", share=whole, low=low, high=high)


def _figure(value: Estimate | None) -> str:
    if value is None:
        return "–"
    # Rounded first, and more than nothing: zero has no sign.
    parts = (decimal(round(part, 2) + 0.0, 2) for part in (value.value, value.low, value.high))
    return tr("{value} ({low} to {high})", **dict(zip(("value", "low", "high"), parts, strict=True)))


def _row(name: str, item: Agreement) -> tuple[str, ...]:
    return name, number(item.readings), percent(item.share), _figure(item.kappa), _figure(item.private)


def _type_words(name: str) -> str:
    return type_label(EntityType(name)) if name in [kind.value for kind in EntityType] else name


def _fleiss_words(readers: int, kappa: float | None) -> str:
    if kappa is None:
        return tr(
            "Items that {readers} curators have read: Fleiss' kappa is not defined, since all decisions are the same.",
            readers=readers,
        )
    return tr(
        "Items that {readers} curators have read: Fleiss' kappa {kappa}.", readers=readers, kappa=decimal(kappa, 2)
    )
