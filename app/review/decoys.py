"""How many private values curators notice, measured by decoys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deidra.app.domain.model import DecisionKind
from deidra.app.review.agreement import Estimate, wilson
from deidra.storage.decoys import DecoyDecision


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Decoys that somebody decided on, those of them that were not kept, and that share."""

    decoys: int
    noticed: int
    share: Estimate | None


def sensitivity(decisions: Iterable[DecoyDecision]) -> dict[str, Sensitivity]:
    """Sensitivity by curator, and of all under the empty name. A decoy is private: whoever keeps it overlooks that."""
    groups: dict[str, list[bool]] = {"": []}
    for decision in decisions:
        noticed = decision.kind is not DecisionKind.KEEP
        groups[""].append(noticed)
        groups.setdefault(decision.curator, []).append(noticed)
    return {name: Sensitivity(len(all_), sum(all_), wilson(sum(all_), len(all_))) for name, all_ in groups.items()}
