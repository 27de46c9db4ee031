"""The policy that is being edited, beside the one in force."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from deidra.app.decide.editing import differences
from deidra.app.decide.policy import DEFAULT_PRESET, Policy, load_policy
from deidra.app.domain.errors import PolicyError
from deidra.ui.theme import GRID
from deidra.ui.translation import later, tr

_STALE = later("Something has changed since the project was decided. Apply to decide again.")


class PolicyDraft(QObject):
    """Two policies: ``applied``, which the project was decided with, and ``policy``, which the pages edit."""

    changed = Signal()
    """Either of them is another now."""
    refused = Signal(object)
    """A PolicyError: an edit that would not be valid was not taken."""

    def __init__(self) -> None:
        super().__init__()
        self.applied: Policy = load_policy(DEFAULT_PRESET)
        self.policy: Policy = self.applied
        self.is_stale = False

    def set_stale(self, stale: bool) -> None:
        """Say that the project was decided otherwise than now would be, so that applying changes something."""
        if stale != self.is_stale:
            self.is_stale = stale
            self.changed.emit()

    @property
    def differences(self) -> list[str]:
        """What was edited and is not in force yet, in words."""
        return differences(self.applied, self.policy)

    @property
    def is_edited(self) -> bool:
        """Whether something is not in force yet."""
        return self.policy != self.applied

    def adopt(self, applied: Policy) -> None:
        """Take the policy in force; edits that wait stay."""
        if not self.is_edited or self.policy == applied:
            self.policy = applied
        self.applied = applied
        self.changed.emit()

    def edit(self, change: Callable[[Policy], Policy]) -> bool:
        """Change the edited policy; False when that would not be valid, and then :attr:`refused` says why."""
        try:
            made = change(self.policy)
        except PolicyError as error:
            self.refused.emit(error)
            # Whoever showed the new value shows the old one again.
            self.changed.emit()
            return False
        if made != self.policy:
            self.policy = made
            self.changed.emit()
        return True

    def discard(self) -> None:
        """Go back to the policy in force."""
        self.policy = self.applied
        self.changed.emit()


class ChangesBar(QWidget):
    """Says what is not applied yet, and applies or discards it."""

    apply_wanted = Signal()

    def __init__(self, draft: PolicyDraft) -> None:
        super().__init__()
        self._draft = draft
        self.text = QLabel()
        self.text.setAccessibleName(tr("Changes that are not applied"))
        self.text.setWordWrap(True)
        self.discard = QPushButton(tr("Discard"))
        self.discard.setAccessibleName(tr("Discard the changes"))
        self.discard.clicked.connect(draft.discard)
        self.apply = QPushButton(tr("Apply"))
        self.apply.setObjectName("primary")
        self.apply.setAccessibleName(tr("Apply the changes"))
        self.apply.setToolTip(tr("Decide again on everything that was found. Decisions of curators stay."))
        self.apply.clicked.connect(self.apply_wanted)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(GRID)
        self.row.addWidget(self.text, 1)
        self.row.addWidget(self.discard)
        self.row.addWidget(self.apply)
        draft.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what is not applied."""
        edited = self._draft.is_edited
        names = ", ".join(map(tr, self._draft.differences))
        due = edited or self._draft.is_stale
        stands = tr(_STALE) if self._draft.is_stale else tr("The project was decided with these settings.")
        self.text.setText(tr("Not applied yet: {names}.", names=names) if edited else stands)
        self.text.setObjectName("warning" if due else "muted")
        self.text.style().polish(self.text)
        self.discard.setEnabled(edited)
        self.apply.setEnabled(due)
