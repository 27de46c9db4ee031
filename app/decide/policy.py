"""The policy: one validated TOML file that says what is private, what is certain enough, and what is done.

A policy file may start from a preset (``extends = "tcia"``) and change single keys. Every key has a
default, given at its field below.
"""

from __future__ import annotations

import functools
import hashlib
import json
import tomllib
from collections.abc import Iterable
from datetime import date
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydicom.datadict import tag_for_keyword
from pydicom.tag import Tag

from deidra.app.decide.definitions import Chosen, DefinitionEntry, chosen
from deidra.app.decide.document_rules import DocumentSection
from deidra.app.decide.header_rules import HeaderSection, Section
from deidra.app.decide.lines import line_of
from deidra.app.decide.redaction import DocumentFormat, Fill, RedactSection, Shape
from deidra.app.decide.second import ReviewSection
from deidra.app.detect.agents import AGENTS, Agent
from deidra.app.detect.definitions.matcher import Matcher
from deidra.app.detect.definitions.together import Definitions
from deidra.app.detect.devices import DeviceRule, known_rules
from deidra.app.detect.fields import CutStyle
from deidra.app.detect.page import PageRules
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.profile import Code, Option, Profile

__all__ = ["DocumentFormat", "Fill", "RedactSection", "Shape"]

PRESETS = ("basic", "tcia", "safe-harbor", "limited", "gdpr", "documents")
DEFAULT_PRESET = "basic"


class DatesInText(StrEnum):
    """What happens to dates inside long texts (LT, ST, UC, UT). In short texts they are cut out."""

    SHIFT = "shift"
    CUT = "cut"


class DatesSection(Section):
    """Longitudinal dates."""

    mode: DateMode = Field(
        DateMode.SHIFT,
        description="shift by days that are secret and the same for a whole patient; fixed: by the same days for all; "
        "baseline: the patient's first study (or imported baseline) becomes [dates] day_zero; year; remove; keep",
    )
    least_days: int = Field(30, ge=1, description="dates move at least this many days into the past")
    most_days: int = Field(3650, ge=1, description="dates move at most this many days into the past")
    fixed_days: int = Field(-365, description="mode fixed: days by which dates move; below zero into the past")
    day_zero: date = Field(date(2000, 1, 1), description="mode baseline: the day that the baseline becomes")
    times: bool = Field(True, description="keep times of day")
    in_text: DatesInText = Field(
        DatesInText.SHIFT, description="dates inside long texts: move them as the others (shift), or cut them out (cut)"
    )

    @model_validator(mode="after")
    def _ordered(self) -> DatesSection:
        if self.most_days < self.least_days:
            raise ValueError("most_days must not be below least_days")
        if self.mode is DateMode.FIXED and not self.fixed_days:
            raise ValueError("fixed_days must not be zero; to keep dates, choose mode keep")
        return self

    @property
    def moves(self) -> bool:
        """True when dates keep their distances."""
        return self.mode in (DateMode.SHIFT, DateMode.FIXED, DateMode.BASELINE)


class DetectSection(Section):
    """What is searched for in pixels and text."""

    only: str = Field(
        "",
        description="what is private, in a sentence, and nothing else: names, birth dates and passport numbers; what "
        "Deidra does not know by itself is defined under [[definitions]]",
    )
    types_off: tuple[EntityType, ...] = Field((), description="types that are not private for this release")
    network: bool = Field(True, description="texts are read by the entity tagger's network besides rules and lists")
    health: bool = Field(False, description="diagnoses that the network finds are private as well")
    unknown_words: bool = Field(True, description="on DICOM images, words of no list go to a curator")
    zip_digits: Literal[0, 3] = Field(0, description="in header text, digits of a ZIP code that stay (Safe Harbor: 3)")
    agents: tuple[Agent, ...] = Field(
        AGENTS,
        min_length=1,
        description="detectors that search pictures for text: deidra-det knows its own doubt and tells handwriting and "
        "barcodes apart, ppocr-det is PP-OCR",
    )
    screen: float = Field(
        0.02,
        ge=0,
        le=1,
        description="of the renderings of a frame, the other detectors see those on which the first one, if it is "
        "deidra-det, sees something new that is text with at least this probability; 0: all",
    )
    second_reader: bool = Field(True, description="read every line with Tesseract as well")

    @model_validator(mode="after")
    def _each_agent_once(self) -> DetectSection:
        if len(set(self.agents)) < len(self.agents):
            raise ValueError("agents: each detector is named once")
        return self


class Doubt(StrEnum):
    """When the variational detector counts as being in doubt."""

    CALIBRATED = "calibrated"
    PAPER = "paper"


class ThresholdSection(Section):
    """When Deidra acts by itself, and when it asks."""

    auto_score: float = Field(0.88, ge=0, le=1, description="at least this probability of being private: act alone")
    auto_variance: float = Field(0.05, ge=0, le=0.25, description="at most this variance between agents: act alone")
    queue_score: float = Field(0.25, ge=0, le=1, description="below this probability a text is ignored")
    both_agents: bool = Field(
        True, description="where several detectors search, act alone only on text in pixels that all of them see"
    )
    doubt: Doubt = Field(
        Doubt.CALIBRATED,
        description="act alone only where deidra-det is sure; calibrated: its probability of being right is one at "
        "which few enough boxes were wrong; paper: its variance is below that of every wrong box that was measured",
    )
    unread_score: float = Field(
        0.5,
        ge=0,
        le=1,
        description="text that nobody can read and that deidra-det alone sees is ignored if its probability of being "
        "text is below this, and what ppocr-det alone sees always, unless this is 0; handwriting and barcodes that "
        "nobody can read are always asked about",
    )


class Policy(Section):
    """All settings of a project's processing."""

    name: str = "custom"
    description: str = ""
    header: HeaderSection = HeaderSection()
    dates: DatesSection = DatesSection()
    detect: DetectSection = DetectSection()
    documents: DocumentSection = DocumentSection()
    thresholds: ThresholdSection = ThresholdSection()
    redact: RedactSection = RedactSection()
    review: ReviewSection = ReviewSection()
    devices: tuple[DeviceRule, ...] = Field(
        (), description="device rules beside those that Deidra comes with: where machines print identifying text"
    )
    definitions: tuple[DefinitionEntry, ...] = Field(
        (), description="types of private text beside those that Deidra knows, in words and by examples"
    )
    risk: dict[EntityType, int] = Field(default_factory=dict, description="risk of a leak by type, 0 to 100")

    @model_validator(mode="after")
    def _defined(self) -> Policy:
        try:
            self._chosen  # noqa: B018
        except PolicyError as error:
            raise ValueError(f"{error} {error.advice}") from error
        return self

    @functools.cached_property
    def _chosen(self) -> Chosen:
        return chosen(self.definitions, self.detect.only, self.detect.types_off)

    @property
    def matchers(self) -> tuple[Matcher, ...]:
        """What finds the types that the policy defines or names."""
        return self._chosen.matchers

    @property
    def defined(self) -> Definitions:
        """The same, as an agent of the entity tagger."""
        return Definitions(self.matchers, only=bool(self.detect.only))

    @property
    def types_off(self) -> frozenset[EntityType]:
        """The types that are not private under this policy."""
        return self._chosen.types_off

    @property
    def reads_health(self) -> bool:
        """Whether diagnoses that the network finds are private."""
        return self.detect.health or self._chosen.health

    @property
    def page_rules(self) -> PageRules:
        """What is private on pages of documents."""
        return self.documents.rules(self.reads_health, self.types_off)

    @property
    def profile(self) -> Profile:
        """The confidentiality profile with its options."""
        options = set(self.header.options)
        if self.dates.moves or self.dates.mode is DateMode.YEAR:
            options.add(Option.MODIFIED_DATES)
        elif self.dates.mode is DateMode.KEEP:
            options.add(Option.FULL_DATES)
        rules = [entry.rule for entry in self.header.rules]
        return Profile(frozenset(options), rules, self.dates.mode, self.dates.times)

    def counting(self, identifiers: Iterable[Identifier]) -> list[Identifier]:
        """The known identifiers that count as private: not those from attributes that stay as they are."""
        profile = self.profile
        stays: dict[str, bool] = {}
        found = list(identifiers)
        for source in {identifier.source for identifier in found}:
            tag = tag_for_keyword(source)
            stays[source] = tag is not None and profile.code(Tag(tag)) is Code.KEEP
        return [i for i in found if not stays[i.source] and i.type not in self.types_off]

    def cut_style(self, shift_days: int) -> CutStyle:
        """What stands in place of private parts of kept header text of a patient whose dates move by some days."""
        moves = self.dates.moves and self.dates.in_text is DatesInText.SHIFT
        return CutStyle(shift_days if moves else None, self.detect.zip_digits)

    @property
    def device_rules(self) -> tuple[DeviceRule, ...]:
        """All device rules in force: the policy's own, then those that Deidra comes with."""
        return (*self.devices, *known_rules())

    @property
    def digest(self) -> str:
        """SHA-256 over all settings: equal digests mean equal policies."""
        return hashlib.sha256(json.dumps(self.model_dump(mode="json"), sort_keys=True).encode()).hexdigest()

    def risk_of(self, kind: EntityType) -> int:
        """Risk (0 to 100) of one leak of this type."""
        return self.risk.get(kind, TYPES[kind].risk)


def load_policy(name_or_path: str) -> Policy:
    """A preset by name, or a policy file.

    Raises:
        PolicyError: there is no such preset or file, or a key is not valid; the message names the key.
    """
    if name_or_path in PRESETS:
        return _validated(_preset(name_or_path), name_or_path)
    path = Path(name_or_path)
    if not path.is_file():
        raise PolicyError(
            f"There is no policy {path.name!r}.", f"Give a policy file, or one of the presets {', '.join(PRESETS)}."
        )
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise PolicyError(f"The policy {path.name} is not valid TOML: {error}", "Correct that line.") from error
    except OSError as error:
        raise PolicyError(f"The policy {path.name} cannot be read.", "Check its permissions.") from error
    return read_policy(text, path)


def read_policy(text: str, path: Path) -> Policy:
    """The policy that is the text of a file; ``path`` is what errors call it, and gives it its name.

    Raises:
        PolicyError: the text is no TOML, or a key is not valid; the message names the key.
    """
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PolicyError(f"The policy {path.name} is not valid TOML: {error}", "Correct that line.") from error
    base = settings.pop("extends", None)
    if base is not None:
        if base not in PRESETS:
            raise PolicyError(f"extends: there is no preset {base!r}.", f"Presets are {', '.join(PRESETS)}.")
        settings = _overlaid(_preset(base), {"name": path.stem, **settings})
    return _validated(settings, path.name, text)


def parse_policy(text: str) -> Policy:
    """A policy that was stored as JSON by :func:`dump_policy`."""
    return Policy.model_validate_json(text)


def dump_policy(policy: Policy) -> str:
    """A policy as JSON, to store with the project."""
    return policy.model_dump_json()


def _preset(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "data" / f"{name}.toml").read_text("utf-8"))


def _overlaid(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in changes.items():
        nested = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _overlaid(merged[key], value) if nested else value
    return merged


def _validated(settings: dict[str, Any], source: str, text: str = "") -> Policy:
    try:
        return Policy.model_validate(settings)
    except ValidationError as error:
        lines = []
        for fault in error.errors():
            line = line_of(text, fault["loc"]) if text else None
            name = ".".join(str(part) for part in fault["loc"]) or "policy"
            lines.append(f"{f'line {line}, ' if line else ''}{name}: {fault['msg']}")
        raise PolicyError(f"The policy {source} is not valid: " + "; ".join(lines), "Correct these keys.") from error
