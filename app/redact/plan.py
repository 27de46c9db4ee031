"""What findings and decisions mean for one asset: marks on pixels, overrides on header elements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deidra.app.decide.redaction import Fill
from deidra.app.domain.geometry import Polygon
from deidra.app.domain.model import Action, DecisionKind, Finding, Verdict
from deidra.app.metadata.engine import Override


@dataclass(frozen=True, slots=True)
class Mark:
    """A region to cover.

    ``frame`` None means all frames or pages; ``text`` is drawn when given; ``was`` is what stood there, if it was read;
    ``fill`` is what the curator chose for it, None as the policy says. ``drawn``: a curator has drawn it, and it is
    covered as it was drawn, of whatever shape, without padding.
    """

    polygon: Polygon
    frame: int | None
    text: str | None = None
    was: str = ""
    fill: Fill | None = None
    drawn: bool = False


def applies(finding: Finding, accept_pending: bool) -> bool:
    """True when the finding's proposal or a covering decision is carried out."""
    if finding.decision is not None:
        return finding.decision is not DecisionKind.KEEP
    if finding.withdrawn:
        return False
    if finding.verdict is Verdict.AUTO:
        return True
    return finding.verdict is Verdict.QUEUE and accept_pending


def marks(findings: Iterable[Finding], accept_pending: bool = False, surrogates: bool = False) -> list[Mark]:
    """Regions that are covered, with the text that is written there.

    Args:
        findings: the findings of one asset.
        accept_pending: proposals that wait for a curator are carried out.
        surrogates: where a proposal is carried out its surrogate is written; else only what a curator chose is.
    """
    found = []
    for finding in findings:
        if finding.polygon is not None and applies(finding, accept_pending):
            text = finding.proposal if surrogates and finding.decision is not DecisionKind.BLANK else None
            if finding.decision is DecisionKind.REPLACE:
                text = finding.decision_text
            fill = Fill(finding.remark.fill) if finding.remark.fill else None
            found.append(Mark(finding.polygon, _place(finding), text, finding.text, fill, finding.drawn))
    return found


def overrides(findings: Iterable[Finding], accept_pending: bool = False) -> dict[str, Override]:
    """What differs from the profile, by element path: cleaned text and curators' decisions."""
    found: dict[str, Override] = {}
    for finding in findings:
        if finding.tag is None:
            continue
        if finding.decision is DecisionKind.REPLACE:
            found[finding.tag] = Override(DecisionKind.REPLACE, finding.decision_text or "")
        elif finding.decision in (DecisionKind.BLANK, DecisionKind.KEEP):
            found[finding.tag] = Override(finding.decision)
        elif finding.action is Action.CLEAN and applies(finding, accept_pending):
            proposal = finding.proposal or ""
            found[finding.tag] = Override(DecisionKind.REPLACE, proposal, "private text cut out", cut=True)
    return found


def kept(findings: Iterable[Finding]) -> list[Finding]:
    """Findings whose original stays because a curator said so."""
    return [finding for finding in findings if finding.decision is DecisionKind.KEEP]


def kept_marks(findings: Iterable[Finding]) -> list[Mark]:
    """Regions that stay as they are because a curator said so, with what can be read there."""
    # Where nobody could read anything, anything may stand.
    return [Mark(f.polygon, _place(f), f.text or " ") for f in kept(findings) if f.polygon is not None]


def _place(finding: Finding) -> int | None:
    """The frame or page that a region is on; None for all frames."""
    return finding.page if finding.frame is None else finding.frame
