"""The pages of a project: their category, and what masks of three levels would cover and leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deidra.app.domain.model import Asset, DecisionKind, Finding, FrameText, Verdict
from deidra.app.domain.taxonomy import EntityType
from deidra.app.risk.categories import category_of
from deidra.app.risk.masks import Masked, Private, masks


@dataclass(frozen=True, slots=True)
class PageRisk:
    """One page, counted from 0. ``category`` is empty where none was recognised."""

    asset_id: str
    page: int
    category: str
    types: tuple[EntityType, ...]
    masks: tuple[Masked, ...]


def is_private(finding: Finding) -> bool:
    """Whether a finding counts as private: what the policy ignores and what a curator keeps does not."""
    return finding.verdict is not Verdict.IGNORE and finding.decision is not DecisionKind.KEEP


def risk_of_pages(
    asset: Asset, texts: Sequence[FrameText], findings: Iterable[Finding], scores: Mapping[str, float], threshold: float
) -> list[PageRisk]:
    """What each page of a document shows and risks.

    Args:
        asset: the document.
        texts: its located text, one entry a page.
        findings: all its findings.
        scores: of kinds of personal data, 0 to 100.
        threshold: see :func:`deidra.app.risk.masks.masks`.
    """
    pages: dict[int, list[Private]] = {}
    for finding in findings:
        if finding.page is not None and finding.polygon and finding.type and is_private(finding):
            pages.setdefault(finding.page, []).append(Private(finding.polygon, finding.type))
    rows = []
    for text in texts:
        page = text.index or 0
        found = category_of(line.text for line in text.lines)
        private = pages.get(page, [])
        types = tuple(sorted({p.type for p in private}))
        levels = tuple(masks(private, (text.width, text.height), scores, threshold))
        rows.append(PageRisk(asset.id, page, found.name if found else "", types, levels))
    return rows


@dataclass(frozen=True, slots=True)
class Census:
    """Documents of one folder: how many, how many show anything private, and how many show each type."""

    folder: str
    documents: int
    private: int
    types: Mapping[EntityType, int]


def census(documents: Iterable[tuple[str, Iterable[Finding]]]) -> list[Census]:
    """A table of private types by folder (table 3 of the paper on scanned documents), and of all together.

    Args:
        documents: folder and findings of each document.
    """
    totals: Counter[str] = Counter()
    private: Counter[str] = Counter()
    types: dict[str, Counter[EntityType]] = {}
    for folder, findings in documents:
        shown = {f.type for f in findings if f.type and is_private(f)}
        for name in (folder, ""):
            totals[name] += 1
            private[name] += bool(shown)
            types.setdefault(name, Counter()).update(shown)
    names = [*sorted(name for name in totals if name), *([""] if totals else [])]
    return [Census(name, totals[name], private[name], dict(types[name])) for name in names]
