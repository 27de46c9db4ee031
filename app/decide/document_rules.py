"""What a policy says of documents: what is private on pages of scans and PDFs, beside what is private anywhere."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from deidra.app.decide.header_rules import Section
from deidra.app.detect.page import PageRules
from deidra.app.domain.taxonomy import EntityType


class Thing(StrEnum):
    """Private things on pages that are no text of the types."""

    SIGNATURE = "signature"
    MACHINE_ZONE = "machine_zone"
    PORTRAIT = "portrait"


class DocumentSection(Section):
    """Pages of documents."""

    types_off: tuple[EntityType, ...] = Field((), description="types that are not private on pages of documents")
    health: bool = Field(
        False, description="on pages, what stands beside the label of a state of health is private as well"
    )
    labels_clear: bool = Field(
        False,
        description="on pages, numbers and dates beside the label of something harmless (a grant, an order, a form) "
        "stay, whatever their form",
    )
    things: tuple[Thing, ...] = Field(
        tuple(Thing),
        description="on pages, private things that are no text of the types: signature (what stands beside its "
        "label), machine_zone (lines for machines on passports and identity cards), portrait "
        "(faces; a curator is asked)",
    )

    def rules(self, health: bool, types_off: frozenset[EntityType]) -> PageRules:
        """The same for the agents that read pages, with what is private (``health``) or not anywhere."""
        return PageRules(
            types_off.union(self.types_off),
            self.health or health,
            self.labels_clear,
            Thing.SIGNATURE in self.things,
            Thing.MACHINE_ZONE in self.things,
            Thing.PORTRAIT in self.things,
        )
