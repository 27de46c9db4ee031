"""Device rules: where on its images a machine prints text that identifies people.

Rules are data. Deidra comes with ``data/devices.toml``; a policy adds its own under ``[[devices]]``. All rules that
match an image count. A rule raises what is thought of text in its boxes, or has the boxes covered; it never keeps text.
"""

from __future__ import annotations

import fnmatch
import functools
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from importlib import resources
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydicom.dataset import Dataset

from deidra.app.detect.agents import DEVICE_RULE
from deidra.app.detect.drafts import Draft
from deidra.app.domain.geometry import Box, area, box_polygon
from deidra.app.domain.model import Action, Evidence
from deidra.app.domain.taxonomy import EntityType
from deidra.app.load.dicom import whole_number

_INSIDE = 0.5
"""Text of which this share lies in a box stands in it."""
_DOUBT_LEFT = 0.5
"""Share of the doubt that text is private which stays where a machine prints identifying text."""
_MOST = 65_535
"""The largest number of rows or columns of an image (PS3.3 C.7.6.3)."""
Offset = Annotated[int, Field(strict=True, ge=0, le=_MOST)]
Length = Annotated[int, Field(strict=True, ge=1, le=_MOST)]


class DeviceAction(StrEnum):
    """What a rule does with its boxes."""

    COVER = "cover"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Device:
    """The attributes of an image by which rules know the machine that made it. Sizes are in pixels."""

    manufacturer: str
    model: str
    modality: str
    sop_class: str
    rows: int
    columns: int

    @classmethod
    def of(cls, dataset: Dataset) -> Device:
        """The machine as an image's header tells of it; empty and 0 where it does not."""
        keywords = ("Manufacturer", "ManufacturerModelName", "Modality", "SOPClassUID")
        texts = [str(dataset.get(keyword) or "")[:64].strip() for keyword in keywords]
        manufacturer, model, modality, sop_class = texts
        sizes = (whole_number(dataset, "Rows", 0), whole_number(dataset, "Columns", 0))
        return cls(manufacturer, model, modality, sop_class, *sizes)

    @classmethod
    def stored(cls, values: Mapping[str, Any]) -> Device:
        """The machine as :attr:`facts` gives it; what is missing is empty."""
        return replace(cls("", "", "", "", 0, 0), **{k: v for k, v in values.items() if k in cls.__slots__})

    @property
    def facts(self) -> dict[str, Any]:
        """The attributes by name, to store with the asset."""
        return asdict(self)


class DeviceRule(BaseModel):
    """One rule. An image matches when every selector that is given does.

    ``boxes`` are ``(x, y, width, height)`` in pixels of the stored image, x to the right and y down from the top left
    corner; what lies outside of the image is cut off.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, description="what people call the rule")
    action: DeviceAction = Field(
        DeviceAction.SEARCH, description="cover the boxes, or only take text in them for more surely private"
    )
    manufacturer: str = Field("", description="part of Manufacturer, or all of it with * and ?; case is ignored")
    model: str = Field("", description="the same of ManufacturerModelName")
    modality: str = Field("", description="all of Modality, * and ? as in file names; case is ignored")
    sop_class: str = Field("", description="all of SOPClassUID, * and ? as in file names")
    rows: Length | None = Field(None, description="Rows")
    columns: Length | None = Field(None, description="Columns")
    boxes: tuple[tuple[Offset, Offset, Length, Length], ...] = Field(
        min_length=1, description="x, y, width and height of each box in pixels, from the top left corner"
    )
    source: str = Field("", description="who says so, or why")

    @model_validator(mode="after")
    def _names_a_machine(self) -> DeviceRule:
        if not self.selectors:
            raise ValueError("a rule needs manufacturer, model, modality, sop_class, rows or columns")
        return self

    @property
    def selectors(self) -> dict[str, str | int]:
        """What an image must have, by name of the attribute; without those that are not given."""
        names = ("manufacturer", "model", "modality", "sop_class", "rows", "columns")
        return {name: value for name in names if (value := getattr(self, name))}

    def matches(self, device: Device) -> bool:
        """Whether the rule is for images of a machine."""
        for name, wanted in self.selectors.items():
            value = getattr(device, name)
            if isinstance(wanted, int):
                if value != wanted:
                    return False
            elif not _is_like(value, wanted, part=name in ("manufacturer", "model")):
                return False
        return True

    def places(self, columns: int, rows: int) -> list[Box]:
        """The boxes on an image of some size, ``(left, top, right, bottom)``; those that lie outside are left out."""
        cut = [(x, y, min(x + width, columns), min(y + height, rows)) for x, y, width, height in self.boxes]
        return [box for box in cut if area(box)]


def _is_like(value: str, wanted: str, part: bool) -> bool:
    value, wanted = value.casefold(), wanted.casefold()
    if any(char in wanted for char in "*?["):
        return fnmatch.fnmatchcase(value, wanted)
    return wanted in value if part else wanted == value


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    devices: tuple[DeviceRule, ...] = ()


@functools.cache
def known_rules() -> tuple[DeviceRule, ...]:
    """The rules that Deidra comes with."""
    text = (resources.files(__package__) / "data" / "devices.toml").read_text("utf-8")
    return _Table.model_validate(tomllib.loads(text)).devices


def matching(rules: Iterable[DeviceRule], device: Device) -> list[DeviceRule]:
    """The rules that are for images of a machine, in their order."""
    return [rule for rule in rules if rule.matches(device)]


def device_drafts(rules: Iterable[DeviceRule], device: Device, frame: int | None) -> Iterator[Draft]:
    """A draft for each box that is to be covered, whatever stands in it.

    Args:
        rules: those that match the image.
        device: the machine and the size of its images.
        frame: the frame for which they count; None stands for all.
    """
    seen: set[Box] = set()
    for rule in rules:
        for box in rule.places(device.columns, device.rows) if rule.action is DeviceAction.COVER else ():
            if box not in seen:
                seen.add(box)
                evidence = (_evidence(rule, "is covered on images of this machine"),)
                reason = f"device rule: {rule.name}"
                kind = EntityType.UNREAD
                place = box_polygon(*box)
                yield Draft(frame, place, None, "", kind, 1.0, 0.0, Action.REDACT, evidence, reason, certain=True)


def confirmed(drafts: Iterable[Draft], rules: Sequence[DeviceRule], device: Device) -> Iterator[Draft]:
    """The drafts; private text in a rule's box gets the rule as evidence, and half of the doubt about it goes.

    Args:
        drafts: drafts of regions.
        rules: those that match the image.
        device: the machine and the size of its images.
    """
    places = [(rule, box) for rule in rules for box in rule.places(device.columns, device.rows)]
    for draft in drafts:
        here = [rule for rule, box in places if draft.type is not None and draft.share_in(box) >= _INSIDE]
        evidence = [_evidence(rule, "identifying text is printed here") for rule in dict.fromkeys(here)]
        yield draft.surer(evidence, _DOUBT_LEFT) if here else draft


def _evidence(rule: DeviceRule, says: str) -> Evidence:
    source = f" ({rule.source})" if rule.source else ""
    return Evidence(DEVICE_RULE, None, None, 1.0, 0.0, f"{rule.name}: {says}{source}")
