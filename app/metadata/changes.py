"""What goes into the header engine beside the profile, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, field

from deidra.app.domain.model import Action, DecisionKind


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
    """A curator's or cleaner's word on one element; ``text`` is the new value of a replacement."""

    kind: DecisionKind
    text: str = ""
    reason: str = "decision of a curator"


@dataclass(frozen=True, slots=True)
class Subject:
    """What the patient of a dataset becomes: the pseudonym, and the shift of all dates in days."""

    pseudonym: str
    shift_days: int


@dataclass(slots=True)
class HeaderResult:
    """Every element that was looked at, and the UIDs that were replaced (old to new)."""

    changes: list[FieldChange] = field(default_factory=list)
    uids: dict[str, str] = field(default_factory=dict)
