"""Findings in headers: what the profile changes, and private text in values that it keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deidra.app.detect.dates import moved_date
from deidra.app.detect.drafts import Draft, profile_evidence
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.model import Action, Evidence
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import TEXT_VRS, FieldChange

_NOT_PROSE = frozenset({"CS", "AE"})
"""VRs of enumerated values: only known identifiers count in them."""
_MADE_BY_MAKERS = frozenset(
    {"Manufacturer", "ManufacturerModelName", "SoftwareVersions", "CodeMeaning", "CodingSchemeDesignator"}
)
"""Values from vocabularies and makers, where a word that is also a surname is none."""
_LONG_TEXT = frozenset({"LT", "ST", "UC", "UT"})
_ZIP = re.compile(r"(?<!\d)(\d{5})(?:-\d{4})?\W*$", re.ASCII)
_SMALL_ZIPS = frozenset(
    [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
)
"""First three digits that 20,000 people or fewer share (Census 2000, as in the HHS guidance on 164.514)."""
_BY_VR = {
    "PN": EntityType.STAFF,
    "DA": EntityType.DATE_OTHER,
    "DT": EntityType.DATE_OTHER,
    "TM": EntityType.DATE_OTHER,
    "AS": EntityType.AGE,
}
_BY_KEYWORD = (
    (re.compile(r"^Patient(Birth)?Name|^OtherPatientNames|MotherBirthName"), EntityType.PATIENT),
    (re.compile(r"PatientBirthDate"), EntityType.DATE_BIRTH),
    (re.compile(r"^(Other)?PatientIDs?$|MedicalRecord"), EntityType.ID_MRN),
    (re.compile(r"Telephone"), EntityType.PHONE_OTHER),
    (re.compile(r"PatientAddress"), EntityType.LOCATION_HOME_ADDRESS),
    (re.compile(r"Address|Residence|Country|Region"), EntityType.LOCATION_ADDRESS),
    (re.compile(r"Institution|Department"), EntityType.HOSPITAL),
    (re.compile(r"PatientAge"), EntityType.AGE),
    (re.compile(r"Sex|Ethnic|Occupation|Religio|MilitaryRank|Gender|Pronoun"), EntityType.DEMOG),
    (re.compile(r"ID$|IDs$|Number|UID|Identif"), EntityType.ID_OTHER),
)


def entity_type(keyword: str, vr: str) -> EntityType:
    """The type of a value that the profile changes, from the attribute's meaning."""
    for pattern, kind in _BY_KEYWORD:
        if pattern.search(keyword):
            return kind
    return _BY_VR.get(vr, EntityType.OTHERPHI)


@dataclass(frozen=True, slots=True)
class CutStyle:
    """What stands in place of private parts of kept texts.

    Args:
        date_days: dates inside long texts move by this many days; None cuts them out.
        zip_digits: first digits of a ZIP code that stay (45 CFR 164.514(b)(2)(i)(B)): 0 or 3.
    """

    date_days: int | None = None
    zip_digits: int = 0


def field_drafts(changes: Iterable[FieldChange], tagger: EntityTagger, style: CutStyle = CutStyle()) -> Iterator[Draft]:
    """Drafts for one header.

    Values that the profile removes or replaces are certain. UIDs are left out: their remapping is
    mechanical and complete, and nobody reviews it. Text that the profile keeps is read.
    """
    for change in changes:
        if change.action is Action.KEEP:
            if change.vr in TEXT_VRS and change.before:
                yield from _kept_text(change, tagger, style)
        elif change.action is not Action.REMAP and change.before and change.vr != "SQ":
            kind = entity_type(change.keyword, change.vr)
            evidence = (profile_evidence(change.before, kind, change.reason),)
            yield Draft(
                None,
                None,
                change.path,
                change.before,
                kind,
                1.0,
                0.0,
                change.action,
                evidence,
                change.reason,
                certain=True,
                proposal=change.after,
            )


def _kept_text(change: FieldChange, tagger: EntityTagger, style: CutStyle) -> Iterator[Draft]:
    tags = tagger.tags(change.before, single_names=change.keyword not in _MADE_BY_MAKERS)
    if change.vr in _NOT_PROSE:
        tags = [tag for tag in tags if tag.certain]
    if not tags:
        return
    cleaned = cut_out(change.before, tags, style if change.vr in _LONG_TEXT else CutStyle(None, style.zip_digits))
    best = max(tags, key=lambda tag: tag.score)
    evidence = tuple(
        Evidence(span.agent, change.before[span.start : span.end], span.type, span.score, 0.0, span.detail)
        for tag in tags
        for span in tag.spans
    )
    # The finding is as sure as its least sure part: one doubtful cut makes the value one for a curator.
    score = min(tag.score for tag in tags)
    yield Draft(
        None,
        None,
        change.path,
        change.before,
        best.type,
        score,
        0.0,
        Action.CLEAN,
        evidence,
        best.spans[0].detail,
        certain=all(tag.certain for tag in tags),
        proposal=cleaned,
    )


def cut_out(text: str, tags: Iterable[Tag], style: CutStyle = CutStyle()) -> str:
    """``text`` without its private parts; what separated them goes with them."""
    for tag in sorted(tags, key=lambda t: t.start, reverse=True):
        text = text[: tag.start] + _instead(text[tag.start : tag.end], tag, style) + text[tag.end :]
    text = re.sub(r"[ \t]{2,}", " ", text)
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    return re.sub(r"^[\s,;:^]+|[\s,;:]+$", "", text)


def _instead(part: str, tag: Tag, style: CutStyle) -> str:
    """What stands in place of a private part: a moved date, the first digits of a ZIP code, or nothing."""
    if style.date_days is not None and tag.type in (EntityType.DATE_OTHER, EntityType.DATE_BIRTH):
        return moved_date(part, style.date_days) or ""
    if style.zip_digits and tag.type in (EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_ADDRESS):
        code = _ZIP.search(part)
        if code:
            first = code[1][: style.zip_digits]
            return "000**" if first in _SMALL_ZIPS else first + "**"
    return ""
