"""What goes into the header engine beside the profile, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field

from deidra.app.domain.model import Action, DecisionKind
from deidra.app.load.encoded import Encoding


@dataclass(frozen=True, slots=True)
class FieldChange:
    """What happens to one element: ``after`` None means it is removed."""

    path: str
    keyword: str
    vr: str
    before: str
    after: str | None
    action: Action
    reason: str


@dataclass(frozen=True, slots=True)
class Override:
    """A curator's or cleaner's word on one element.

    Args:
        kind: what is to be done.
        text: the new value of a replacement.
        reason: why.
        cut: the text is what was left of the original when private parts were cut out. It may be as odd as that
            was; what a curator writes must fit the element's type.
    """

    kind: DecisionKind
    text: str = ""
    reason: str = "decision of a curator"
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Subject:
    """What the patient of a dataset becomes: the pseudonym, and the shift of all dates in days."""

    pseudonym: str
    shift_days: int


@dataclass(slots=True)
class HeaderResult:
    """What happened to a header.

    ``changes`` has every element that was looked at; ``uids`` the UIDs that were replaced (old to
    new); ``parts`` the encoded elements that stay, by tag; ``touched`` is True when any byte changed.
    """

    changes: list[FieldChange] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)
    parts: list[tuple[int, bytes | memoryview]] = field(default_factory=list)
    touched: bool = False

    def value(self, tag: int, encoding: Encoding) -> str:
        """The new value of a top-level UID; empty when there is none."""
        data = next((bytes(part) for known, part in self.parts if known == tag), b"")
        head = 8 if encoding.implicit or data[4:6] == b"UI" else 12
        return data[head:].rstrip(b"\0 ").decode("latin-1")
