"""The words of the product as immutable values: asset, evidence, finding, decision.

See the glossary in ARCHITECTURE.md. Frames and pages count from 0; polygons are in pixels of the
original frame or page (see :mod:`deidra.app.domain.geometry`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from deidra.app.domain.geometry import Polygon
from deidra.app.domain.taxonomy import EntityType


class AssetKind(StrEnum):
    """What a file is, told from its content."""

    DICOM = "dicom"
    IMAGE = "image"
    PDF = "pdf"
    UNKNOWN = "unknown"


class AssetStatus(StrEnum):
    """How far an asset has come. Every run continues from here."""

    REGISTERED = "registered"
    LOADED = "loaded"
    DETECTED = "detected"
    DECIDED = "decided"
    QUARANTINED = "quarantined"


class Action(StrEnum):
    """What is proposed for a finding."""

    REDACT = "redact"
    REMOVE = "remove"
    EMPTY = "empty"
    DUMMY = "dummy"
    SHIFT = "shift"
    REMAP = "remap"
    CLEAN = "clean"
    REPLACE = "replace"
    KEEP = "keep"


class Verdict(StrEnum):
    """What the policy says of a finding."""

    AUTO = "auto"
    QUEUE = "queue"
    IGNORE = "ignore"


class DecisionKind(StrEnum):
    """What a curator says of a finding."""

    ACCEPT = "accept"
    REPLACE = "replace"
    BLANK = "blank"
    KEEP = "keep"


class ReasonCode(StrEnum):
    """Why a curator decided as they did, in one of a few words."""

    NONE = ""
    NOT_PRIVATE = "not-private"
    MISREAD = "misread"
    NEEDED = "needed"
    AGREED = "agreed"
    CAUTION = "caution"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Remark:
    """What a curator says beside a decision: a flag for a second look, a note, a reason in one word, and a fill.

    ``fill`` is what the box is filled with, a value of ``[redact] fill``; empty: as the policy says.
    """

    flagged: bool = False
    note: str = ""
    code: ReasonCode = ReasonCode.NONE
    fill: str = ""


NO_REMARK = Remark()


@dataclass(frozen=True, slots=True)
class Asset:
    """One input file, or one member of a zip archive (``member`` is then its name there)."""

    id: str
    path: str
    member: str
    sha256: str
    size: int
    kind: AssetKind
    status: AssetStatus = AssetStatus.REGISTERED
    reason: str = ""
    patient_key: str = ""
    study_uid: str = ""
    series_uid: str = ""
    instance_uid: str = ""
    modality: str = ""
    info: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_pages(self) -> bool:
        """True for a document, also one inside a DICOM file; False for an image with frames."""
        return self.kind is not AssetKind.DICOM or "pages" in self.info

    @property
    def location(self) -> str:
        """The input path as people name it: ``path`` or ``archive.zip!member``."""
        return f"{self.path}!{self.member}" if self.member else self.path


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one agent says about a region or field.

    ``score`` is 0 to 1: how sure the agent is of what it says. ``variance`` is the agent's own
    measure of spread on that score (0 where it has none). ``detail`` explains in words.
    """

    agent: str
    text: str | None
    type: EntityType | None
    score: float
    variance: float
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a verdict was made of besides score, variance and evidence.

    ``type`` is what the text seems to be, whether or not that is private under the policy. ``certain`` is True when a
    header value vouches for it or a profile demands it, ``asked`` when a curator is asked however low the score is.
    """

    type: EntityType | None
    certain: bool
    asked: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """A region or field with its merged evidence, an entity type, a risk and a proposed action.

    Regions have ``polygon`` and either ``frame`` (DICOM; None means all frames) or ``page``;
    fields have ``tag``, a path such as ``(0040,A730)[3]/(0040,A160)`` with items counted from 0.
    ``score`` is the probability (0 to 1) that the text is private; ``variance`` the spread of the
    agents' scores; ``risk`` 0 to 100. ``proposal`` is the value a replacing action would write. ``grounds`` is None
    where an older Deidra has decided. ``drawn`` is True where a curator drew the box: then only the decision counts.
    """

    id: str
    asset_id: str
    frame: int | None
    page: int | None
    polygon: Polygon | None
    tag: str | None
    text: str
    type: EntityType | None
    score: float
    variance: float
    risk: float
    verdict: Verdict
    action: Action
    reason: str = ""
    proposal: str | None = None
    evidence: tuple[Evidence, ...] = ()
    decision: DecisionKind | None = None
    decision_text: str | None = None
    grounds: Grounds | None = None
    drawn: bool = False
    remark: Remark = NO_REMARK

    @property
    def pending(self) -> bool:
        """True while the finding waits for a curator."""
        return self.verdict is Verdict.QUEUE and self.decision is None

    @property
    def withdrawn(self) -> bool:
        """True for a drawn box that was taken away; it is kept for redo alone."""
        return self.drawn and self.decision is None


@dataclass(frozen=True, slots=True)
class TextLine:
    """Text located on one frame, before anything is said about its meaning.

    ``polygon`` has four corners (top left, top right, bottom right, bottom left in reading order).
    ``char_spans`` gives for each character of ``text`` its start and end as fractions of the line's
    length, so that single words can be cut out. ``evidence`` holds detectors and readers. ``kind`` is
    "printed", "handwriting" or "barcode", or "" where no detector says.
    """

    polygon: Polygon
    text: str
    char_spans: tuple[tuple[float, float], ...]
    evidence: tuple[Evidence, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class FrameText:
    """All text located on one frame or page of an asset; ``frame`` None stands for all frames."""

    index: int | None
    width: int
    height: int
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class LocatedText:
    """All text located on one asset. ``searched`` of its frames or pages were searched whole, others glanced at."""

    frames: tuple[FrameText, ...]
    searched: int


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a project holds. ``pages`` counts those of scans; DICOM frames are not among them."""

    patients: int
    studies: int
    series: int
    instances: int
    documents: int
    pages: int


@dataclass(frozen=True, slots=True)
class Identifier:
    """A value known to identify a patient or staff, with the header element it came from."""

    patient_key: str
    type: EntityType
    value: str
    source: str
