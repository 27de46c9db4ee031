"""The status bar: what is stored, how far the review is, whether the audit log is intact, the policy."""

from __future__ import annotations

from PySide6.QtCore import QTime
from PySide6.QtWidgets import QLabel, QStatusBar

from deidra.app.review import Progress


class StatusBar(QStatusBar):
    """Short facts that stay, at the right; the newest event, at the left."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.message = QLabel()
        self.message.setAccessibleName("Message")
        self.progress = QLabel()
        self.progress.setAccessibleName("Progress of the review")
        self.audit = QLabel()
        self.audit.setAccessibleName("Audit log")
        self.policy = QLabel()
        self.policy.setAccessibleName("Policy")
        self.curator = QLabel()
        self.curator.setAccessibleName("Curator")
        self.addWidget(self.message, 1)
        for label in (self.progress, self.curator, self.policy, self.audit):
            self.addPermanentWidget(label)

    def show_message(self, text: str) -> None:
        """Say what just happened."""
        self.message.setText(text)

    def show_saved(self) -> None:
        """Say when the last decision was stored."""
        self.message.setText(f"Saved at {QTime.currentTime().toString('HH:mm:ss')}")

    def show_no_project(self) -> None:
        """Empty all facts."""
        self.message.setText("No project is open")
        for label in (self.progress, self.curator, self.audit, self.policy):
            label.setText("")

    def show_policy(self, name: str) -> None:
        """Name the policy."""
        self.policy.setText(f"policy: {name}")

    def show_curator(self, name: str) -> None:
        """Name who decides."""
        self.curator.setText(f"curator: {name}")

    def show_progress(self, progress: Progress) -> None:
        """Count decided and waiting items."""
        self.progress.setText(f"{progress.decided:,} decided · {progress.waiting:,} waiting")

    def show_audit(self, broken_row: int | None) -> None:
        """Say whether the audit log is what was written."""
        self.audit.setText("audit: intact" if broken_row is None else f"audit: changed at row {broken_row}")
        self.audit.setObjectName("" if broken_row is None else "warning")
        self.audit.style().polish(self.audit)
