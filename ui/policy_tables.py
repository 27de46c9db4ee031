"""The parts of a policy that are lists: own types of private text, and device rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from deidra.app.decide.editing import with_definition, with_device, without_definition, without_device
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.devices import DeviceAction, DeviceRule
from deidra.ui.definition_dialog import DefinitionDialog
from deidra.ui.device_dialog import DeviceDialog
from deidra.ui.edited_table import EditedTable
from deidra.ui.marked import Marked
from deidra.ui.operations import Operations
from deidra.ui.policy_draft import PolicyDraft
from deidra.ui.translation import later, number, tr

if TYPE_CHECKING:
    from deidra.app.domain.model import Asset
    from deidra.app.workflow import DeviceMatch, Project

_ACTIONS = {DeviceAction.COVER: later("cover"), DeviceAction.SEARCH: later("search")}
_SELECTORS = {
    "manufacturer": later("manufacturer"),
    "model": later("model"),
    "modality": later("modality"),
    "sop_class": later("sop class"),
    "rows": later("rows"),
    "columns": later("columns"),
}


class DefinitionTable(EditedTable):
    """The types of private text that the policy defines."""

    def __init__(self, draft: PolicyDraft, operations: Operations) -> None:
        super().__init__(
            tr("Own types"),
            (tr("Add own type"), tr("Edit own type"), tr("Remove own type")),
            (tr("Name"), tr("Looks like"), tr("Examples"), tr("Not these"), tr("Near words")),
            (28, 40, 12, 12),
            tr("Types of private text beside those that Deidra knows, described in words and by examples."),
            tr("No own types yet. Press Add to describe one: “passport numbers”, “a letter and eight digits”."),
        )
        self._draft = draft
        self._operations = operations
        self._project: Project | None = None
        self.dialog: DefinitionDialog | None = None
        self.add_wanted.connect(lambda: self._open(None))
        self.edit_wanted.connect(lambda row: self._open(self._draft.policy.definitions[row].definition))
        self.remove_wanted.connect(self._remove)
        draft.changed.connect(self.refresh)

    def adopt(self, project: Project) -> None:
        """The project in which definitions are tried."""
        self._project = project

    def refresh(self) -> None:
        """Show the edited policy's definitions."""
        self.show_rows(
            [
                (
                    entry.name,
                    entry.pattern or entry.description or tr("as its examples"),
                    str(len(entry.examples)),
                    str(len(entry.counter_examples)),
                    ", ".join(entry.context),
                )
                for entry in self._draft.policy.definitions
            ]
        )

    def _open(self, definition: Definition | None) -> None:
        if self._project is None:
            return
        self.dialog = DefinitionDialog(self.window(), self._project, self._operations, definition)
        old = definition.name if definition else ""
        self.dialog.defined.connect(lambda made: self._draft.edit(lambda policy: with_definition(policy, made, old)))
        self.dialog.open()

    def _remove(self, row: int) -> None:
        name = self._draft.policy.definitions[row].name
        self._draft.edit(lambda policy: without_definition(policy, name))


class DeviceTable(EditedTable):
    """The device rules in force: the policy's own, which can be changed, and those that Deidra comes with."""

    def __init__(self, draft: PolicyDraft, operations: Operations, marked: Callable[[], Marked | None]) -> None:
        super().__init__(
            tr("Device rules"),
            (tr("Add device rule"), tr("Edit device rule"), tr("Remove device rule")),
            (tr("Rule"), tr("On images with"), tr("Action"), tr("Boxes"), tr("Files"), tr("From")),
            (34, 90, 9, 8, 8),
            tr(
                "Where machines print identifying text. “cover” always covers the boxes; “search” takes text in them "
                "for more surely private. Rules that come with Deidra cannot be changed."
            ),
            tr("There are no device rules."),
        )
        self._draft = draft
        self._operations = operations
        self._marked = marked
        self._assets: list[Asset] = []
        self.dialog: DeviceDialog | None = None
        self.add_wanted.connect(lambda: self._open(None))
        self.edit_wanted.connect(self._open)
        self.remove_wanted.connect(lambda row: self._draft.edit(lambda policy: without_device(policy, row)))
        draft.changed.connect(self.refresh)

    def adopt(self, assets: list[Asset]) -> None:
        """The files that rules are matched with."""
        self._assets = assets
        self.refresh()

    def refresh(self) -> None:
        """Show the rules of the edited policy, each with the number of files that it matches."""
        from deidra.app.workflow import device_matches

        work = partial(device_matches, self._draft.policy, self._assets)
        self._operations.read("devices", work, self._show)

    def _show(self, matches: list[DeviceMatch]) -> None:
        rows = [
            (
                match.rule.name,
                selector_words(match.rule),
                tr(_ACTIONS[match.rule.action]),
                number(len(match.rule.boxes)),
                number(len(match.assets)),
                tr("you") if match.own else match.rule.source or "Deidra",
            )
            for match in matches
        ]
        self.show_rows(rows, frozenset(n for n, match in enumerate(matches) if not match.own))

    def _open(self, row: int | None) -> None:
        rule = self._draft.policy.devices[row] if row is not None else None
        self.dialog = DeviceDialog(self.window(), self._marked(), rule)
        self.dialog.ruled.connect(lambda made: self._draft.edit(lambda policy: with_device(policy, made, row)))
        self.dialog.open()


def selector_words(rule: DeviceRule) -> str:
    """What an image must have, for example ``manufacturer sonic, rows 480``."""
    return ", ".join(f"{tr(_SELECTORS[name])} {value}" for name, value in rule.selectors.items())
