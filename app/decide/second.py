"""Settings of the second reading."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from deidra.app.decide.header_rules import Section
from deidra.app.domain.taxonomy import EntityType


class SecondReader(StrEnum):
    """Which decided items a second curator reads."""

    OFF = "off"
    SAMPLE = "sample"
    TYPES = "types"


class Strata(StrEnum):
    """Groups of items of each of which the sample takes its share."""

    TYPE = "type"
    RISK = "risk"
    NONE = "none"


class ReviewSection(Section):
    """How curators work."""

    second_reader: SecondReader = Field(
        SecondReader.OFF,
        description="a second curator decides without sight of the first decision; sample: on a share of the decided "
        "items; types: on all of some types. A release waits for these, and for differences to be settled",
    )
    readers: int = Field(2, ge=2, le=9, description="curators who decide on each of these items, the first one counted")
    share: float = Field(0.1, gt=0, le=1, description="sample: the share that is read again")
    seed: int = Field(0, description="another number draws another sample, and makes other decoys")
    strata: Strata = Field(
        Strata.TYPE, description="sample: the share is taken of each type, of each third of the risk, or of all (none)"
    )
    types: tuple[EntityType, ...] = Field((), description="types: those that are read again")
    decoys: float = Field(
        0,
        ge=0,
        le=0.5,
        description="made-up private values of headers that are put among the items that wait, as a share of all that "
        "were asked about (100 at most): how many of them a curator does not keep tells how many private values are "
        "noticed. No release holds them, nothing else counts them, and curators learn of each after their decision",
    )
