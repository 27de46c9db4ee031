"""What was done with elements before: outcomes by their bytes, within a context, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from deidra.app.load.encoded import Encoding
from deidra.app.metadata.changes import FieldChange, Subject
from deidra.app.metadata.recipes import Rule

_MOST_CONTEXTS = 16
_MOST_BYTES = 24 << 20
"""All memos are emptied when they hold this many bytes: memory stays flat over any number of files."""
_ENTRY_BYTES = 600
"""What an entry costs beside its bytes, roughly."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one element: its new bytes (none when removed), its changes and new UIDs.

    Paths of the changes start at the element itself.
    """

    data: bytes
    changes: tuple[FieldChange, ...]
    uids: Mapping[str, str]

    def below(self, prefix: str) -> tuple[FieldChange, ...]:
        """The changes with their paths from the top."""
        return tuple(replace(change, path=prefix + change.path) for change in self.changes)


@dataclass(slots=True)
class Context:
    """Everything but its bytes that an element's outcome depends on, with the outcomes so far."""

    encoding: Encoding
    charset: list[str]
    sop_class: str
    pixel_representation: bytes
    subject: Subject
    rules: list[Rule]
    memo: dict[object, Outcome] = field(default_factory=dict)
    groups: dict[int, tuple[bytes, Outcome]] = field(default_factory=dict)
    """By number, the group that was met last and what became of its elements together."""


class Memos:
    """The contexts that were used last."""

    def __init__(self) -> None:
        self._contexts: OrderedDict[object, Context] = OrderedDict()
        self._bytes = 0

    def get(self, key: object) -> Context | None:
        """The context of a key, if it was used lately."""
        known = self._contexts.get(key)
        if known is not None:
            self._contexts.move_to_end(key)
        return known

    def add(self, key: object, context: Context) -> None:
        """Take a new context; the one unused for longest is forgotten when there are too many."""
        self._contexts[key] = context
        if len(self._contexts) > _MOST_CONTEXTS:
            _, oldest = self._contexts.popitem(last=False)
            oldest.memo.clear()

    def remember(self, context: Context, key: object, outcome: Outcome, size: int) -> None:
        """Remember an outcome of ``size`` bytes."""
        self._bytes += size + len(outcome.data) + _ENTRY_BYTES * (1 + len(outcome.changes))
        if self._bytes > _MOST_BYTES:
            for other in self._contexts.values():
                other.memo.clear()
            self._bytes = 0
        context.memo[key] = outcome
