"""From drafts to findings: risk, verdict and the proposed surrogate."""

from __future__ import annotations

from collections.abc import Iterable

from deidra.app.decide.policy import Policy
from deidra.app.decide.surrogates import Surrogates
from deidra.app.detect.drafts import Draft
from deidra.app.domain.model import Action, Asset, AssetKind, Finding, Verdict
from deidra.app.metadata.keys import ProjectKey
from deidra.models.text_reader import TesseractReader


def verdict_of(draft: Draft, policy: Policy) -> Verdict:
    """Apply when certain, ask when in doubt, ignore what is not private.

    A region that only one reader has read is never certain by a rule alone: there is no second
    opinion whose spread could be measured.
    """
    if draft.type is None or draft.type in policy.detect.types_off:
        return Verdict.IGNORE
    if draft.certain:
        return Verdict.AUTO
    limits = policy.thresholds
    if draft.score < limits.queue_score:
        return Verdict.IGNORE
    sure = draft.score >= limits.auto_score and draft.variance <= limits.auto_variance
    two_opinions = draft.polygon is None or any(e.agent == TesseractReader.name for e in draft.evidence)
    return Verdict.AUTO if sure and two_opinions else Verdict.QUEUE


def findings_of(
    asset: Asset, drafts: Iterable[Draft], policy: Policy, key: ProjectKey, surrogates: Surrogates, shift_days: int
) -> list[Finding]:
    """The findings of one asset. Ids depend on the project key, the asset and the place alone."""
    findings = []
    used: dict[str, int] = {}
    for draft in drafts:
        place = f"{asset.id}|{draft.frame}|{draft.polygon}|{draft.tag}"
        number = used[place] = used.get(place, -1) + 1
        verdict = verdict_of(draft, policy)
        private = verdict is not Verdict.IGNORE and draft.type is not None
        risk = policy.risk_of(draft.type) * draft.score if private and draft.type else 0.0
        proposal = draft.proposal
        if private and draft.type and draft.polygon is not None:
            proposal = surrogates.of(draft.type, draft.text, shift_days)
        is_dicom = asset.kind is AssetKind.DICOM
        findings.append(
            Finding(
                id=key.token("finding", f"{place}|{number}", 12).lower(),
                asset_id=asset.id,
                frame=draft.frame if is_dicom else None,
                page=None if is_dicom else draft.frame,
                polygon=draft.polygon,
                tag=draft.tag,
                text=draft.text,
                type=draft.type if private else None,
                score=draft.score,
                variance=draft.variance,
                risk=round(risk, 1),
                verdict=verdict,
                action=draft.action if private else Action.KEEP,
                reason=draft.reason,
                proposal=proposal,
                evidence=draft.evidence,
            )
        )
    return findings
