"""Items that are alike: counted for the one under review, listed, and decided together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from deidra.app.domain.model import Asset, DecisionKind, Finding
from deidra.app.review.alike import Alike
from deidra.ui.alike_dialog import AlikeDialog
from deidra.ui.deciding import Deciding
from deidra.ui.operations import Operations
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.app.workflow import Project


class Together(QObject):
    """Looks for likes off the GUI thread, and asks before it decides on them."""

    counted = Signal(str, int)
    """The id of a finding, and how many more are like it."""
    message = Signal(str)

    def __init__(
        self,
        page: QWidget,
        project: Project,
        operations: Operations,
        deciding: Deciding,
        asset: Callable[[str], Asset | None],
    ) -> None:
        super().__init__(page)
        self._page, self._project, self._operations, self._deciding = page, project, operations, deciding
        self._asset = asset

    def count(self, finding: Finding) -> None:
        """Count what is like a finding; :attr:`counted` tells."""

        def tell(items: list[Alike]) -> None:
            self.counted.emit(finding.id, sum(item.finding.id != finding.id for item in items))

        self._search("alike", finding, tell)

    def decide(self, finding: Finding, kind: DecisionKind) -> None:
        """List what is like a finding, and decide on what stays ticked as one operation."""

        def ask(items: list[Alike]) -> None:
            if len(items) < 2:
                self.message.emit(tr("Nothing else that waits is like this item."))
                return
            dialog = AlikeDialog(self._page, kind, items, self._asset)
            listed = {item.finding.id: item.finding for item in items}
            dialog.chosen.connect(lambda ids: self._deciding.decide([listed[i] for i in ids], kind))
            dialog.open()

        self._search("alike to decide", finding, ask)

    def _search(self, name: str, finding: Finding, show: Callable[[list[Alike]], None]) -> None:
        # This looks through the whole project, so it has the lane of long searches.
        self._operations.search(name, lambda: self._project.desk.alike(finding.id), show)
