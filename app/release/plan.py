"""What a release would write and hold back, and what the last one did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from deidra.app.domain.model import AssetStatus
from deidra.app.release.job import Pending, held_back
from deidra.app.review.second import SecondState
from deidra.storage import ProjectStore

_LAST = "last_release"
_UNFINISHED = "the run is not finished with it"


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """What a release would do with the files as they are, before its own search of what it has written.

    ``held`` has by reason the number of files that stay out; ``blocked`` tells that nothing would be written at all.
    """

    pending: Pending
    written: int
    held: tuple[tuple[str, int], ...]
    blocked: bool


@dataclass(frozen=True, slots=True)
class LastRelease:
    """The newest release: its folder, the number of files in it, and which were held back (location, reason)."""

    folder: Path
    written: int
    held: tuple[tuple[str, str], ...]


def plans(store: ProjectStore, second: SecondState) -> list[ReleasePlan]:
    """One plan for each way of treating findings that wait; none writes anything while the second reading is open."""
    assets, waiting = store.assets.all(), store.findings.pending_by_asset()
    unfinished = [a for a in assets if a.status not in (AssetStatus.DECIDED, AssetStatus.QUARANTINED)]
    made = []
    for pending in Pending:
        reasons = Counter(reason for asset in assets if (reason := held_back(asset, waiting, pending)))
        blocked = not second.is_done or bool(unfinished) or not assets or (bool(waiting) and pending is Pending.REFUSE)
        if unfinished:
            reasons[_UNFINISHED] = len(unfinished)
        written = 0 if blocked else len(assets) - reasons.total()
        made.append(ReleasePlan(pending, written, tuple(reasons.most_common()), blocked))
    return made


def remember_release(store: ProjectStore, folder: Path) -> None:
    """Keep in mind where the newest release is."""
    store.set_value(_LAST, str(folder.absolute()))


def last_release(store: ProjectStore) -> LastRelease | None:
    """The newest release; None where there is none."""
    folder = store.value(_LAST)
    if folder is None:
        return None
    where = {asset.id: asset.location for asset in store.assets.all()}
    outputs = store.assets.outputs().values()
    held = [(where.get(o.asset_id, ""), o.reason) for o in outputs if o.status == "quarantined"]
    # What the search of the written files has found is the newest news of all.
    held.sort(key=lambda pair: (not pair[1].startswith("re-scan"), pair))
    return LastRelease(Path(folder), sum(o.status == "released" for o in outputs), tuple(held))
