"""The status bar: what is stored, how far the review is, whether the audit log is intact, the policy."""

from __future__ import annotations

from PySide6.QtCore import QTime
from PySide6.QtWidgets import QLabel, QStatusBar

from deidra.app.review import Progress
from deidra.ui.translation import number, tr


class StatusBar(QStatusBar):
    """Short facts that stay, at the right; the newest event, at the left."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.message = QLabel()
        self.message.setAccessibleName(tr("Message"))
        self.progress = QLabel()
        self.progress.setAccessibleName(tr("Progress of the review"))
        self.audit = QLabel()
        self.audit.setAccessibleName(tr("Audit log"))
        self.policy = QLabel()
        self.policy.setAccessibleName(tr("Policy"))
        self.curator = QLabel()
        self.curator.setAccessibleName(tr("Curator"))
        self.addWidget(self.message, 1)
        for label in (self.progress, self.curator, self.policy, self.audit):
            self.addPermanentWidget(label)

    def show_message(self, text: str) -> None:
        """Say what just happened."""
        self.message.setText(text)

    def show_saved(self) -> None:
        """Say when the last decision was stored."""
        time = QTime.currentTime()
        self.message.setText(tr("Saved at {time}", time=time.toString("HH:mm:ss")))

    def show_no_project(self) -> None:
        """Empty all facts."""
        self.message.setText(tr("No project is open"))
        for label in (self.progress, self.curator, self.audit, self.policy):
            label.setText("")

    def show_policy(self, name: str) -> None:
        """Name the policy."""
        self.policy.setText(tr("policy: {name}", name=name))

    def show_curator(self, name: str) -> None:
        """Name who decides."""
        self.curator.setText(tr("curator: {name}", name=name))

    def show_progress(self, progress: Progress) -> None:
        """Count decided and waiting items."""
        told = tr(
            "{decided} decided · {waiting} waiting",
            decided=number(progress.decided),
            waiting=number(progress.waiting),
        )
        self.progress.setText(told)

    def show_audit(self, broken_row: int | None) -> None:
        """Say whether the audit log is what was written."""
        intact = broken_row is None
        self.audit.setText(tr("audit: intact") if intact else tr("audit: changed at row {row}", row=broken_row))
        self.audit.setObjectName("" if broken_row is None else "warning")
        self.audit.style().polish(self.audit)
