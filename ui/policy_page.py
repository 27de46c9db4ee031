"""The policy: read in plain words, edited as a form, and applied to everything that was found as one step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QPushButton, QScrollArea, QTabWidget

from deidra.app.decide.policy import Policy
from deidra.app.decide.policy_file import policy_toml, write_policy_text
from deidra.ui.marked import Marked
from deidra.ui.operations import Operations
from deidra.ui.policy_draft import ChangesBar, PolicyDraft
from deidra.ui.policy_settings import PolicySettings
from deidra.ui.policy_tables import DefinitionTable, DeviceTable
from deidra.ui.policy_words import policy_lines
from deidra.ui.state_pages import StatePage, selectable
from deidra.ui.theme import GRID
from deidra.ui.translation import tr

if TYPE_CHECKING:
    from deidra.app.domain.model import Asset
    from deidra.app.workflow import Project


@dataclass(frozen=True, slots=True)
class PolicyState:
    """The project, its policy and files, and whether it was decided otherwise than it would be now."""

    project: Project
    policy: Policy
    assets: list[Asset]
    is_stale: bool


class PolicyPage(StatePage):
    """Tabs over one edited policy, and a bar that says what is not applied yet."""

    exported = Signal(str)
    """A sentence: where the policy was written to."""

    def __init__(self, draft: PolicyDraft, operations: Operations, marked: Callable[[], Marked | None]) -> None:
        super().__init__(tr("Policy"))
        self.draft = draft
        self._operations = operations
        self.settings = PolicySettings(draft, operations)
        self.definitions = DefinitionTable(draft, operations)
        self.devices = DeviceTable(draft, operations, marked)
        self.text = selectable(tr("What the policy does"))
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Parts of the policy"))
        self.tabs.tabBar().setDrawBase(False)
        for page, words in (
            (self.settings, tr("Settings")),
            (self.definitions, tr("Own types")),
            (self.devices, tr("Devices")),
            (self._words(), tr("In words")),
        ):
            self.tabs.addTab(page, words)
        self.changes = ChangesBar(draft)
        self.export = QPushButton(tr("Export…"))
        self.export.setAccessibleName(tr("Export the policy to a file"))
        self.export.clicked.connect(self._ask_file)
        self.changes.row.insertWidget(1, self.export)
        self.body.addWidget(self.tabs, 1)
        self.body.addWidget(self.changes)
        self.setFocusProxy(self.tabs.tabBar())
        draft.changed.connect(self._show_words)

    def _words(self) -> QScrollArea:
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setContentsMargins(GRID, GRID, GRID, GRID)
        area = QScrollArea()
        area.setObjectName("page")
        area.setWidgetResizable(True)
        area.setWidget(self.text)
        area.setAccessibleName(tr("Policy in words"))
        # The panel's colour shows through, as under the other pages' text.
        area.viewport().setAutoFillBackground(False)
        self.text.setAutoFillBackground(False)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return area

    def reader(self, project: Project) -> Callable[[], PolicyState]:
        """What the page shows."""
        return lambda: PolicyState(project, project.policy, project.store.assets.all(), not project.is_current())

    def show_state(self, state: PolicyState) -> None:
        """Take the policy in force; edits that wait stay."""
        self.definitions.adopt(state.project)
        self.draft.adopt(state.policy)
        self.draft.set_stale(state.is_stale)
        self.devices.adopt(state.assets)
        self.settings.thresholds.adopt(state.project)

    def stop(self) -> None:
        """Count nothing any more."""
        self.settings.thresholds.stop()

    def show_second_reader(self) -> None:
        """Show where a second reader is asked for."""
        self.tabs.setCurrentWidget(self.settings)
        self.settings.show_second_reader()

    def _show_words(self) -> None:
        policy = self.draft.policy
        self.title.setText(f"{policy.name}: {tr(policy.description)}" if policy.description else policy.name)
        self.text.setText("\n\n".join(policy_lines(policy)))

    def _ask_file(self) -> None:
        dialog = QFileDialog(self.window(), tr("Export the policy"), "", tr("Policies (*.toml)"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.export_to(Path(name)))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Write the edited policy into a file that ``deidra run --policy`` takes."""
        policy = self.draft.policy

        def done(_result: None) -> None:
            sentences = [tr("The policy is written to {file}.", file=path.name)]
            sentences += [tr("It holds examples: keep it as safe as the project.")] if policy.definitions else []
            self.exported.emit(" ".join(sentences))

        self._operations.change(lambda: write_policy_text(path, policy_toml(policy)), done)
