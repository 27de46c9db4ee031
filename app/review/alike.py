"""Items that wait and are alike: a curator decides on them together, after seeing which they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deidra.app.domain.geometry import bounding_box, iou
from deidra.app.domain.model import Asset, Finding
from deidra.app.review.page_copies import PageCopies
from deidra.storage import ProjectStore

SAME_TEXT, SAME_PLACE, SAME_LAYOUT = "same text", "same place in the series", "same place on images of this machine"
SAME_PAGE = "copy of the same page"
_SAME_BOX = 0.5
"""Intersection over union from which two boxes are at one place: texts of other lengths, at the same corner."""
_LAYOUT = ("manufacturer", "model", "rows", "columns")
"""What images have in common on which a machine prints at the same places."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A finding that waits, and in words why it is like the one under review."""

    finding: Finding
    why: str


def alike(store: ProjectStore, finding: Finding, copies: PageCopies) -> list[Alike]:
    """Findings that wait and are like this one, itself first, then in the order of files and places.

    Alike are texts that are the same but for case, in the same header element or both on images; and boxes of one
    type at the same place in other frames of the file, in files of the series, on images of the same machine and
    size, or, with nearly the same text, on copies of a page. An item whose text could not be read is like another
    by its place alone.
    """
    assets = {asset.id: asset for asset in store.assets.all()}
    own = assets.get(finding.asset_id)
    near = _near(own, assets.values()) if own is not None and finding.polygon is not None else {}
    found = [Alike(finding, "")] if finding.pending else []
    for other in store.findings.waiting_like(finding.text, list(near)):
        why = _why(finding, other, near) if other.id != finding.id else ""
        if why:
            found.append(Alike(other, why))
    listed = {item.finding.id for item in found} | {finding.id}
    if own is not None and own.has_pages:
        found += [Alike(other, SAME_PAGE) for other in copies.like(finding) if other.id not in listed]
    return found


def _near(own: Asset, assets: Iterable[Asset]) -> dict[str, str]:
    """Ids of assets on which a place means the same, with the words for it."""
    layout, found = _layout(own), {}
    for asset in assets:
        if asset.has_pages != own.has_pages:
            continue
        if asset.id == own.id or (own.series_uid and asset.series_uid == own.series_uid):
            found[asset.id] = SAME_PLACE
        elif layout is not None and _layout(asset) == layout:
            found[asset.id] = SAME_LAYOUT
    return found


def _layout(asset: Asset) -> tuple[Any, ...] | None:
    """Machine and size of an image; None where the machine is not known."""
    device = asset.info.get("device") or {}
    return tuple(device.get(name) for name in _LAYOUT) if device.get("manufacturer") and device.get("model") else None


def _why(finding: Finding, other: Finding, near: dict[str, str]) -> str:
    same_text = bool(finding.text) and finding.text.lower() == other.text.lower()
    if finding.tag is not None or other.tag is not None:
        return SAME_TEXT if same_text and finding.tag == other.tag else ""
    if same_text:
        return SAME_TEXT
    if finding.polygon is None or other.polygon is None or finding.type is not other.type:
        return ""
    same_place = iou(bounding_box(finding.polygon), bounding_box(other.polygon)) >= _SAME_BOX
    return near.get(other.asset_id, "") if same_place else ""
