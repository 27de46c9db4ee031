"""The second reader: a blind decision on some of what is decided, agreement, and the settling of differences."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from deidra.app.decide.second import ReviewSection, SecondReader, Strata
from deidra.app.domain.errors import KnownError
from deidra.app.domain.model import NO_REMARK, DecisionKind, Finding, Remark, Verdict
from deidra.app.review.agreement import Estimate, cohen, fleiss, wilson
from deidra.app.review.decoys import Sensitivity, sensitivity
from deidra.storage import ProjectStore
from deidra.storage.findings import FindingFilter, Judged
from deidra.storage.readings import Reading

Item = TypeVar("Item", Finding, Judged)


@dataclass(frozen=True, slots=True)
class Difference:
    """An item on which curators differ: the decision that counts at present with its curator, and the second ones.

    ``readings`` are the second decisions with their texts and remarks, in the order of ``seconds``.
    """

    finding: Finding
    first_by: str
    seconds: tuple[tuple[str, DecisionKind], ...]
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far second decisions agree with first ones, of all items or of one type.

    ``share`` counts the same of four decisions, ``kappa`` is Cohen's, ``private`` Cohen's on whether an item is
    private at all (kept or not). Figures are None where they are not defined.
    """

    readings: int
    share: Estimate | None
    kappa: Estimate | None
    private: Estimate | None


@dataclass(frozen=True, slots=True)
class SecondState:
    """What a release waits for: items that a second curator has yet to read, and differences to settle."""

    unread: int
    differences: int

    @property
    def is_done(self) -> bool:
        """True when nothing is in the way of a release."""
        return not self.unread and not self.differences


class SecondDesk:
    """The second reading of one project under its policy's ``[review]``. All methods may be called from any thread."""

    def __init__(self, store: ProjectStore, wanted: ReviewSection) -> None:
        self._store = store
        self._wanted = wanted

    @property
    def is_wanted(self) -> bool:
        """Whether the policy asks for a second reader."""
        return self._wanted.second_reader is not SecondReader.OFF

    def chosen(self) -> list[str]:
        """The ids of the decided items that a second curator reads."""
        if not self.is_wanted:
            return []
        decided = self._store.findings.judged(FindingFilter(decided=True, verdict=Verdict.QUEUE))
        return [item.id for item in choose([item for item in decided if not item.drawn], self._wanted)]

    def to_read(self, curator: str) -> list[Finding]:
        """What this curator may read, without the first decision, its remark and its author."""
        ids = self.to_read_ids(curator)
        found = self._store.findings.many(ids)
        return [blind(found[finding_id]) for finding_id in ids]

    def to_read_ids(self, curator: str) -> list[str]:
        """The ids of what this curator may read, in the order of files.

        Left out is what nobody needs to read any more, what the curator has decided on first, and what others have.
        """
        readings = self._store.readings.all()
        done = {r.finding_id for r in readings if r.curator == curator} | self._read_enough(readings)
        first_by = self._store.readings.first_curators()
        held = self._store.leases.held()
        return [
            finding_id
            for finding_id in self.chosen()
            if finding_id not in done
            and first_by.get(finding_id) != curator
            and held.get(finding_id, curator) == curator
        ]

    def decide(
        self,
        finding_id: str,
        kind: DecisionKind,
        curator: str,
        text: str | None = None,
        remark: Remark = NO_REMARK,
    ) -> None:
        """Store a second decision, with its note and reason. The first one counts on.

        Raises:
            KnownError: there is no such item, the curator made the first decision, has read it already, or another
                curator has it; or a replacement has no text.
        """
        self._add(finding_id, kind, curator, text, final=False, remark=remark)

    def settle(self, finding_id: str, kind: DecisionKind, curator: str, text: str | None = None) -> None:
        """Decide on a difference, whoever does so; this decision counts.

        Raises:
            KnownError: there is no such difference, another curator has the item, or a replacement has no text.
        """
        if finding_id not in {item.finding.id for item in self.differences()}:
            raise KnownError(f"There is no difference about {finding_id}.", "List them with: deidra second differences")
        self._add(finding_id, kind, curator, text, final=True)

    def undo(self, curator: str, final: bool = False) -> str | None:
        """Take back the curator's newest second decision, or the newest that settled a difference (``final``).

        Returns:
            The id of the item, which waits again then; None where there is nothing to take back.

        Raises:
            KnownError: that was settled or decided upon since, or another curator has the item.
        """
        return self._store.readings.undo(curator, final)

    def can_undo(self, curator: str, final: bool = False) -> bool:
        """True when there is something to take back."""
        return self._store.readings.can_undo(curator, final)

    def own_readings(self, curator: str) -> dict[str, Reading]:
        """A curator's second decisions by finding."""
        return {r.finding_id: r for r in self._store.readings.all() if r.curator == curator and not r.final}

    def waiting(self, curator: str) -> int:
        """How many items wait for a curator here: to read, and to settle; 0 where nobody asks for a second reader."""
        if not self.is_wanted:
            return 0
        return len(self.to_read_ids(curator)) + len(self.differences())

    def _add(
        self,
        finding_id: str,
        kind: DecisionKind,
        curator: str,
        text: str | None,
        final: bool,
        remark: Remark = NO_REMARK,
    ) -> None:
        try:
            if kind is DecisionKind.REPLACE and not text:
                text = self._store.findings.get(finding_id).proposal
                if not text:
                    raise KnownError("There is no surrogate for this item.", "Type the text to write instead.")
            written = text if kind is DecisionKind.REPLACE else None
            self._store.readings.add(finding_id, curator, kind, written, final, remark)
        except KeyError as error:
            raise KnownError(f"There is no finding {finding_id}.", "List the ids with: deidra second list") from error

    def differences(self) -> list[Difference]:
        """Items on which a second decision is another than the one that counts, and that nobody has settled."""
        by_item: dict[str, list[Reading]] = {}
        for reading in self._store.readings.all():
            by_item.setdefault(reading.finding_id, []).append(reading)
        if not by_item:
            return []
        first_by = self._store.readings.first_curators()
        counts = {item.id: item.decision for item in self._store.findings.judged(ids=list(by_item))}
        differing: dict[str, tuple[Reading, ...]] = {}
        for finding_id, readings in by_item.items():
            first = counts.get(finding_id)
            seconds = tuple(reading for reading in readings if not reading.final)
            settled = readings[-1].final and readings[-1].kind is first
            if not settled and any(reading.kind is not first for reading in seconds):
                differing[finding_id] = seconds
        found = self._store.findings.many(list(differing))
        return [
            Difference(found[name], first_by.get(name, ""), tuple((r.curator, r.kind) for r in seconds), seconds)
            for name, seconds in differing.items()
        ]

    def state(self) -> SecondState:
        """What a release waits for; nothing where the policy asks for no second reader."""
        if not self.is_wanted:
            return SecondState(0, 0)
        read = self._read_enough(self._store.readings.all())
        unread = sum(finding_id not in read for finding_id in self.chosen())
        return SecondState(unread, len(self.differences()))

    def _read_enough(self, readings: Sequence[Reading]) -> set[str]:
        """Items that as many curators have read as the policy wants, or that were settled."""
        counts = Counter(reading.finding_id for reading in readings if not reading.final)
        settled = {reading.finding_id for reading in readings if reading.final}
        return settled | {name for name, count in counts.items() if count >= self._wanted.readers - 1}

    def agreement(self) -> dict[str, Agreement]:
        """Agreement by type, and of all items under the empty name. What settles a difference counts nowhere."""
        groups: dict[str, list[tuple[DecisionKind, DecisionKind]]] = {"": []}
        readings = self._store.readings.all()
        read = list(dict.fromkeys(reading.finding_id for reading in readings))
        types = {item.id: item.type for item in self._store.findings.judged(ids=read)}
        for reading in readings:
            if not reading.final:
                kind = types.get(reading.finding_id)
                pair = (reading.first, reading.kind)
                groups[""].append(pair)
                groups.setdefault(kind.value if kind else "unknown", []).append(pair)
        return {name: _agreement(pairs) for name, pairs in groups.items()}

    def sensitivity(self) -> dict[str, Sensitivity]:
        """The share of decoys that curators noticed, by curator, and of all under the empty name."""
        return sensitivity(self._store.decoys.decisions())

    def fleiss(self) -> dict[int, float | None]:
        """Fleiss' kappa of the four decisions, by the number of readings (three or more, the first one included)."""
        by_item: dict[str, list[DecisionKind]] = {}
        for reading in self._store.readings.all():
            if not reading.final:
                by_item.setdefault(reading.finding_id, [reading.first]).append(reading.kind)
        sizes = sorted({len(kinds) for kinds in by_item.values() if len(kinds) > 2})
        return {size: fleiss([kinds for kinds in by_item.values() if len(kinds) == size]) for size in sizes}


def _agreement(pairs: Sequence[tuple[DecisionKind, DecisionKind]]) -> Agreement:
    kept = [(first is DecisionKind.KEEP, second is DecisionKind.KEEP) for first, second in pairs]
    same = sum(first is second for first, second in pairs)
    return Agreement(len(pairs), wilson(same, len(pairs)), cohen(pairs), cohen(kept))


def blind(finding: Finding) -> Finding:
    """A finding without what a curator has said of it."""
    return replace(finding, decision=None, decision_text=None, remark=NO_REMARK)


def blinded(findings: Iterable[Finding]) -> list[Finding]:
    """Findings without anything that curators did: what they drew is left out."""
    return [blind(finding) for finding in findings if not finding.drawn]


def choose(findings: Iterable[Item], wanted: ReviewSection) -> list[Item]:
    """The findings that the settings choose, in their order.

    A sample takes its share, rounded up, of every stratum; which ones is told by a hash of seed and id alone.
    """
    everything = list(findings)
    if wanted.second_reader is SecondReader.OFF:
        return []
    if wanted.second_reader is SecondReader.TYPES:
        return [finding for finding in everything if finding.type in wanted.types]
    groups: dict[str, list[Item]] = {}
    for finding in everything:
        groups.setdefault(_stratum(finding, wanted.strata), []).append(finding)
    drawn: set[str] = set()
    for group in groups.values():
        group.sort(key=lambda finding: hashlib.sha256(f"{wanted.seed} {finding.id}".encode()).digest())
        # Less a little: a tenth of 30 must not become four by rounding.
        drawn.update(finding.id for finding in group[: math.ceil(wanted.share * len(group) - 1e-9)])
    return [finding for finding in everything if finding.id in drawn]


def _stratum(finding: Finding | Judged, strata: Strata) -> str:
    if strata is Strata.TYPE:
        return finding.type.value if finding.type else ""
    return str(min(2, int(finding.risk * 3 / 100))) if strata is Strata.RISK else ""
