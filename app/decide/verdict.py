"""From drafts to findings: risk, verdict and the proposed surrogate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deidra.app.decide.policy import Doubt, Policy, ThresholdSection
from deidra.app.decide.surrogates import Surrogates
from deidra.app.detect.agents import AGENTS, DEVICE_RULE, VARIATIONAL, WRITTEN, probability_digits
from deidra.app.detect.definitions.together import definition_of
from deidra.app.detect.drafts import Draft, decoded
from deidra.app.domain.model import Action, Asset, Evidence, Finding, Grounds, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.keys import ProjectKey
from deidra.models.calibration import calibration
from deidra.models.text_reader import TesseractReader

_SECOND = (TesseractReader.name, WRITTEN)
"""Agents whose reading stands beside that of the first reader."""


def verdict_of(draft: Draft, policy: Policy) -> Verdict:
    """Apply when certain, ask when in doubt, ignore what is not private."""
    return judged(draft, policy)[0]


def judged(draft: Draft, policy: Policy) -> tuple[Verdict, str]:
    """The verdict, and the draft's reason with what kept the policy from acting alone.

    What a rule finds in pixels is applied only where the detectors have no doubt that text stands there. What
    a header value vouches for is applied whatever they think.
    """
    if not counts(draft, policy):
        return Verdict.IGNORE, draft.reason
    if draft.certain:
        return Verdict.AUTO, draft.reason
    if draft.asked:
        return Verdict.QUEUE, draft.reason
    if draft.score < policy.thresholds.queue_score:
        return Verdict.IGNORE, draft.reason
    noise = _noise(draft, policy.thresholds, policy.detect.agents)
    if noise:
        return Verdict.IGNORE, f"{draft.reason}; {noise}"
    if not is_clear(draft, policy):
        return Verdict.QUEUE, draft.reason
    doubt = _doubt(draft, policy)
    return (Verdict.QUEUE, f"{draft.reason}; {doubt}") if doubt else (Verdict.AUTO, draft.reason)


def is_clear(draft: Draft, policy: Policy) -> bool:
    """Whether what was read is private beyond doubt, whatever the detectors think of the place.

    A region that only one reader has read is never clear by a rule alone: there is no second opinion
    whose spread could be measured. A barcode that was decoded needs none: its content carries checks of its own; nor do
    characters of a PDF, which nobody has to read.
    """
    if draft.certain:
        return counts(draft, policy)
    limits = policy.thresholds
    sure = draft.score >= max(limits.auto_score, limits.queue_score) and draft.variance <= limits.auto_variance
    two_opinions = draft.polygon is None or any(e.agent in _SECOND for e in draft.evidence)
    return counts(draft, policy) and sure and (two_opinions or bool(decoded(draft.evidence)))


def counts(draft: Draft, policy: Policy) -> bool:
    """Whether a draft is of a type that is private under the policy, or of one that the policy defines."""
    return draft.type is not None and (draft.type not in policy.types_off or bool(definition_of(draft.evidence)))


def _located(draft: Draft) -> dict[str, Evidence]:
    """What each detector that sees text in a region says of it."""
    return {e.agent: e for e in draft.evidence if e.text is None and e.agent in AGENTS}


def _is_expected(draft: Draft) -> bool:
    """Whether a device rule says that text stands in a region."""
    return any(e.agent == DEVICE_RULE for e in draft.evidence)


def _noise(draft: Draft, limits: ThresholdSection, agents: Sequence[str]) -> str:
    """Why unread text is taken for no text, in words; empty where it is not.

    It never is where a device rule says that text is printed.
    """
    located = _located(draft)
    if _is_expected(draft):
        return ""
    if draft.type is not EntityType.UNREAD or limits.unread_score <= 0 or len(located) != 1:
        return ""
    if VARIATIONAL not in located:
        # Of a hundred such boxes on calibration images three touched text.
        alone = VARIATIONAL in agents
        return f"only {next(iter(located))} suspects text here, and nobody can read it" if alone else ""
    score = located[VARIATIONAL].score
    if score >= limits.unread_score:
        return ""
    return f"only {VARIATIONAL} suspects text here, with probability {score:.2f}"


def _doubt(draft: Draft, policy: Policy) -> str:
    """What the detectors' evidence says against acting alone on a region, in words; empty where nothing does.

    Nothing does where a barcode was decoded, since what can be decoded is there, and where a device rule says that
    text is printed.
    """
    if draft.polygon is None or decoded(draft.evidence) or _is_expected(draft):
        return ""
    located, agents = _located(draft), policy.detect.agents
    # With one detector there is nobody to agree with.
    if policy.thresholds.both_agents and len(agents) > 1 and any(agent not in located for agent in agents):
        return "only one of two detectors sees text here"
    own = located.get(VARIATIONAL)
    if own is not None and VARIATIONAL in agents and not _is_sure(own, policy.thresholds.doubt):
        return "the detector is in doubt"
    return ""


def _is_sure(evidence: Evidence, how: Doubt) -> bool:
    """Whether the variational detector is sure of a box: its evidence holds a calibrated probability as score."""
    tuned = calibration()
    if how is Doubt.PAPER:
        return tuned.normalised(evidence.variance) < tuned.paper_threshold
    return evidence.score >= probability_digits(tuned.sure)


def findings_of(
    asset: Asset, drafts: Iterable[Draft], policy: Policy, key: ProjectKey, surrogates: Surrogates, shift_days: int
) -> list[Finding]:
    """The findings of one asset. Ids depend on the project key, the asset and the place alone."""
    findings = []
    used: dict[str, int] = {}
    for draft in drafts:
        place = f"{asset.id}|{draft.frame}|{draft.polygon}|{draft.tag}"
        number = used[place] = used.get(place, -1) + 1
        verdict, reason = judged(draft, policy)
        private = verdict is not Verdict.IGNORE and draft.type is not None
        risk = policy.risk_of(draft.type) * draft.score * draft.weight if private and draft.type else 0.0
        proposal = draft.proposal
        if private and draft.type and draft.polygon is not None:
            proposal = surrogates.of(draft.type, draft.text, shift_days)
        findings.append(
            Finding(
                id=key.token("finding", f"{place}|{number}", 12).lower(),
                asset_id=asset.id,
                frame=None if asset.has_pages else draft.frame,
                page=draft.frame if asset.has_pages else None,
                polygon=draft.polygon,
                tag=draft.tag,
                text=draft.text,
                type=draft.type if private else None,
                score=draft.score,
                variance=draft.variance,
                risk=round(risk, 1),
                verdict=verdict,
                action=draft.action if private else Action.KEEP,
                reason=reason,
                proposal=proposal,
                evidence=draft.evidence,
                grounds=Grounds(draft.type, draft.certain, draft.asked),
            )
        )
    return findings
