"""What other thresholds would make of findings that are stored. Nothing is searched or read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.drafts import Draft
from deidra.app.domain.model import Finding, Verdict


@dataclass(frozen=True, slots=True)
class Forecast:
    """How many findings a policy would apply alone, ask about, and leave as they are.

    ``waiting`` are those asked about that have no decision yet; ``unknown`` are findings of an older Deidra, whose
    verdict cannot be told before they are decided again.
    """

    alone: int = 0
    asked: int = 0
    left: int = 0
    waiting: int = 0
    unknown: int = 0


def draft_of(finding: Finding) -> Draft | None:
    """The draft that a stored finding was made of; None where its grounds are not known. Needs its evidence."""
    grounds = finding.grounds
    if grounds is None:
        return None
    return Draft(
        finding.page if finding.page is not None else finding.frame,
        finding.polygon,
        finding.tag,
        finding.text,
        grounds.type,
        finding.score,
        finding.variance,
        finding.action,
        finding.evidence,
        finding.reason,
        grounds.certain,
        asked=grounds.asked,
    )


def forecast(findings: Iterable[Finding], policy: Policy) -> Forecast:
    """What a policy that differs in its thresholds alone would make of stored findings; exact.

    Other differences change what the findings are, since a text that is of one type no more may be of another: they
    show with the next decision only.
    """
    counts: Counter[str] = Counter()
    for finding in findings:
        draft = draft_of(finding)
        verdict = None if draft is None else verdict_of(draft, policy)
        counts[verdict.value if verdict else "unknown"] += 1
        counts["waiting"] += verdict is Verdict.QUEUE and finding.decision is None
    return Forecast(
        counts[Verdict.AUTO.value],
        counts[Verdict.QUEUE.value],
        counts[Verdict.IGNORE.value],
        counts["waiting"],
        counts["unknown"],
    )
