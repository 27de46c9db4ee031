"""Ultrasound regions: where on an image the echoes are (PS3.3 C.8.5.5, Sequence of Ultrasound Regions).

Machines print who was examined into the margins, and measurements beside the echoes. So text outside of all regions is
more likely identifying, and what nobody can read within an image of tissue is more likely tissue. The first raises a
score; the second puts a finding farther back in the queue and does nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydicom.dataset import Dataset

from deidra.app.detect.agents import ULTRASOUND_REGIONS
from deidra.app.detect.drafts import Draft
from deidra.app.domain.geometry import Box
from deidra.app.domain.model import Evidence
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import whole_number

_TWO_DIMENSIONAL = 1
"""Region Spatial Format of an image of tissue or flow; others are curves, spectra and graphics."""
_MOST_REGIONS = 64
_OUTSIDE = 0.1
"""Text of which at most this share lies in any region is outside of all."""
_DOUBT_LEFT = 0.75
"""Share of the doubt that text is private which stays in the margins."""
_WITHIN_WEIGHT = 0.5
"""Weight of the risk of what nobody can read within an image of tissue."""


@dataclass(frozen=True, slots=True)
class UltrasoundRegion:
    """One region of an image: bounds in pixels, right and bottom exclusive, and whether it shows a plane of tissue."""

    left: int
    top: int
    right: int
    bottom: int
    plane: bool

    @property
    def box(self) -> Box:
        """The bounds as a box."""
        return self.left, self.top, self.right, self.bottom

    @property
    def facts(self) -> tuple[int, int, int, int, bool]:
        """The arguments that make the region again, to store with the asset."""
        return *self.box, self.plane


def ultrasound_regions(dataset: Dataset) -> list[UltrasoundRegion]:
    """The regions that an image's header tells of.

    None where one of them does not lie in the image: the image was cut or scaled, and the others are wrong as well.
    """
    regions = []
    width, height = whole_number(dataset, "Columns", 0), whole_number(dataset, "Rows", 0)
    sequence = dataset.get("SequenceOfUltrasoundRegions")
    for item in list(sequence or ())[:_MOST_REGIONS] if isinstance(sequence, Sequence) else ():
        left, top, right, bottom = (
            whole_number(item, f"RegionLocation{end}", -1 if end.startswith("Max") else 0)
            for end in ("MinX0", "MinY0", "MaxX1", "MaxY1")
        )
        if not (0 <= left < right < width and 0 <= top < bottom < height):
            return []
        plane = whole_number(item, "RegionSpatialFormat", 0) == _TWO_DIMENSIONAL
        regions.append(UltrasoundRegion(left, top, right + 1, bottom + 1, plane))
    return regions


def weighed(drafts: Iterable[Draft], regions: Sequence[UltrasoundRegion]) -> Iterator[Draft]:
    """Drafts of regions with what the ultrasound regions say of them; no verdict is lowered, no text is left out."""
    for draft in drafts:
        if not regions or draft.type is None:
            yield draft
        elif all(draft.share_in(region.box) <= _OUTSIDE for region in regions):
            yield draft.surer([_says("outside of all image areas")], _DOUBT_LEFT)
        elif _is_unread(draft) and any(region.plane and draft.share_in(region.box) == 1 for region in regions):
            evidence = (*draft.evidence, _says("within an image of tissue"))
            yield replace(draft, evidence=evidence, weight=_WITHIN_WEIGHT)
        else:
            yield draft


def _is_unread(draft: Draft) -> bool:
    """Whether nobody can read a draft; what a curator is asked about in any case (handwriting, barcodes) is another."""
    return draft.type is EntityType.UNREAD and not draft.asked


def _says(detail: str) -> Evidence:
    return Evidence(ULTRASOUND_REGIONS, None, None, 1.0, 0.0, detail)
