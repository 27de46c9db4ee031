"""Boxes that curators draw, as findings: only the decision on them counts, and the first one is to cover them."""

from __future__ import annotations

import uuid

from deidra.app.domain.geometry import Polygon
from deidra.app.domain.model import Action, Asset, Evidence, Finding, Verdict
from deidra.app.domain.taxonomy import TYPES, EntityType

CURATOR = "curator"
"""The agent of a drawn box."""


def drawn_finding(
    asset: Asset, index: int | None, polygon: Polygon, kind: EntityType, by: str, text: str = ""
) -> Finding:
    """A box that a person has drawn.

    Args:
        asset: the file.
        index: the frame or page, from 0; None for all of them.
        polygon: in pixels of the original frame or page.
        kind: what is private there.
        by: the person.
        text: what stands there, where it is known.
    """
    return Finding(
        # Curators' boxes are no function of the input; two of the same place must not share a row.
        id=uuid.uuid4().hex[:24],
        asset_id=asset.id,
        frame=None if asset.has_pages else index,
        page=index if asset.has_pages else None,
        polygon=polygon,
        tag=None,
        text=text,
        type=kind,
        score=1.0,
        variance=0.0,
        risk=float(TYPES[kind].risk),
        # Where an older Deidra opens the project, a box that was taken back is rather covered than not.
        verdict=Verdict.AUTO,
        action=Action.REDACT,
        reason="A curator drew this box.",
        evidence=(Evidence(CURATOR, None, kind, 1.0, 0.0, f"drawn by {by}"),),
        drawn=True,
    )
