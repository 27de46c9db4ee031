"""Findings in headers: what the profile changes, and private text in values that it keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from deidra.app.detect.dates import moved_date, written_dates
from deidra.app.detect.definitions.together import definition_of
from deidra.app.detect.drafts import Draft, profile_evidence
from deidra.app.detect.known import AGENT as KNOWN
from deidra.app.detect.names import WORD_SCORE
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.model import Action, Evidence
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import TEXT_VRS, FieldChange

_NOT_PROSE = frozenset({"AE", "CS", "DS", "IS"})
"""VRs of enumerated values: only known identifiers count in them."""
_TITLES = re.compile(r"AETitle|StationName|EntityTitle")
_TITLE_VRS = frozenset({"AE", "CS", "LO", "SH"})
"""Titles of application entities and names of stations, in which words stand glued to others."""
_MADE_BY_MAKERS = frozenset(
    {"Manufacturer", "ManufacturerModelName", "SoftwareVersions", "CodeMeaning", "CodingSchemeDesignator"}
)
"""Values from vocabularies and makers, where a word that is also a surname is none."""
_CODE = "CodeValue"
_BARE_NUMBER = 0.6
"""Score of a number that only its length gives away."""
_OF_TRIALS = "ClinicalTrial"
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
    (re.compile(r"^Patient(Birth)?Name|^OtherPatientNames|MotherBirthName|ResponsiblePerson$"), EntityType.PATIENT),
    (re.compile(r"PatientBirthDate"), EntityType.DATE_BIRTH),
    (re.compile(r"^(Other)?PatientIDs?$|MedicalRecord"), EntityType.ID_MRN),
    (re.compile(r"^PatientTelephone|ResponsiblePersonTelephone"), EntityType.PHONE_HOME),
    (re.compile(r"Telephone|PhoneNumber"), EntityType.PHONE_OTHER),
    (re.compile(r"PatientAddress"), EntityType.LOCATION_HOME_ADDRESS),
    (re.compile(r"^(Country|Region)OfResidence"), EntityType.LOCATION_OTHER),
    (
        re.compile(r"Institution(?!Address|Residence)|Department|^IssuerOf|RequestingService|PatientLocation|AETitle"),
        EntityType.HOSPITAL,
    ),
    (re.compile(r"Address|Residence|Country|Region|EntererLocation"), EntityType.LOCATION_ADDRESS),
    (re.compile(r"PatientAge"), EntityType.AGE),
    (re.compile(r"Occupation|InsurancePlan"), EntityType.PATORG),
    (re.compile(r"Sex|Ethnic|Religio|MilitaryRank|Gender|Pronoun"), EntityType.DEMOG),
    (re.compile(r"(Device|Detector)(ID|SerialNumber)$|SerialNumber$"), EntityType.OTHERPHI),
    (re.compile(r"ID$|IDs$|Number|UID|Identif|StationName"), EntityType.ID_OTHER),
)
"""Types by the attribute's meaning; the first that matches counts."""


_PRIVATE_PATH = re.compile(r"\([0-9A-F]{3}[13579BDF],[0-9A-F]{4}\)$")
_LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,}(?![\d.])")
"""Whole numbers of so many digits may be identifiers; shorter ones are too common to be compared."""
_STARTS, _ENDS = "([{<\n\r\\", ")]}>\n\r\\"
_PAIRS = ("()", "[]", "{}", "<>", '""', "''", "“”")
_OPENED = re.compile(r"[ \t]*([(\[{<\"'“])[ \t,;:]*$")
_CLOSED = re.compile(r"[ \t,;:.]*([)\]}>\"'”])")
_STRENGTH = "#@=_-–/^|:,;."
"""Separators, the stronger ones last: of two around a cut, the stronger stays."""
_SEPARATORS_BEFORE = re.compile(r"[ \t_\-–/^,;:|#@=]+$")
_SEPARATORS_AFTER = re.compile(r"(?:[ \t_–/^,;:|=]|(?<![ \t])-|-(?!\d)|\.(?!\d))+")


def entity_type(keyword: str, vr: str) -> EntityType:
    """The type of a value that the profile changes, from the attribute's meaning."""
    return _meaning(keyword, vr) or EntityType.OTHERPHI


def _meaning(keyword: str, vr: str) -> EntityType | None:
    """What an attribute's keyword or VR says of its value; None where they say nothing."""
    for pattern, kind in _BY_KEYWORD:
        if pattern.search(keyword):
            return kind
    return _BY_VR.get(vr)


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
            if is_read(change.vr, change.before):
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


def field_tags(keyword: str, vr: str, text: str, tagger: EntityTagger, private: bool = False) -> list[Tag]:
    """Private parts of a header value that is not private as a whole.

    Args:
        keyword: of the attribute; empty for a private one.
        vr: its value representation.
        text: the value.
        tagger: says what is private.
        private: the attribute is private: nobody has said which terms there are.
    """
    title = vr in _TITLE_VRS and bool(_TITLES.search(keyword))
    makers = keyword in _MADE_BY_MAKERS
    tags = tagger.tags(
        text,
        keyword=keyword,
        single_names=not makers,
        title=title,
        terms=makers or vr in _NOT_PROSE or _has_one_meaning(keyword, vr),
    )
    if makers:
        tags = [tag for tag in tags if tag.score > WORD_SCORE or definition_of(tag.spans)]
    if makers or keyword.startswith(_OF_TRIALS):
        # A company there is a maker or sponsor, nobody's employer.
        tags = [tag for tag in tags if tag.type is not EntityType.PATORG or definition_of(tag.spans)]
    if keyword == _CODE:
        # A long number there is a code, unless a label or a known identifier says more of it.
        tags = [
            t for t in tags if t.type is not EntityType.ID_OTHER or t.score > _BARE_NUMBER or definition_of(t.spans)
        ]
    if vr in _NOT_PROSE or title:
        # Where nobody has said which terms there are, a known name is asked about.
        tags = [
            tag
            for tag in tags
            if tag.certain or definition_of(tag.spans) or (private and any(span.agent == KNOWN for span in tag.spans))
        ]
    return tags


def _has_one_meaning(keyword: str, vr: str) -> bool:
    """Whether a value is what its attribute says: who keeps a serial number or an institution means to keep it."""
    return keyword == _CODE or (bool(keyword) and _meaning(keyword, vr) is not None)


def is_read(vr: str, text: str) -> bool:
    """Whether a kept value is searched: text, and whole numbers that may be identifiers."""
    return bool(text) and (vr in TEXT_VRS or (vr in ("DS", "IS") and bool(_LONG_NUMBER.search(text))))


def _kept_text(change: FieldChange, tagger: EntityTagger, style: CutStyle) -> Iterator[Draft]:
    private = bool(_PRIVATE_PATH.search(change.path))
    tags = field_tags(change.keyword, change.vr, change.before, tagger, private)
    if not tags:
        return
    cleaned = cut_out(change.before, tags, style if change.vr in _LONG_TEXT else CutStyle(None, style.zip_digits))
    best = max(tags, key=lambda tag: tag.score)
    evidence = tuple(
        Evidence(span.agent, change.before[span.start : span.end], span.type, span.score, span.variance, span.detail)
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
        max(tag.variance for tag in tags),
        Action.CLEAN,
        evidence,
        best.spans[0].detail,
        certain=all(tag.certain for tag in tags),
        proposal=cleaned,
    )


def cut_out(text: str, tags: Iterable[Tag], style: CutStyle = CutStyle()) -> str:
    """``text`` without its private parts; what separated them goes with them, the rest stays as it is."""
    for tag in sorted(tags, key=lambda t: t.start, reverse=True):
        left, right = text[: tag.start], text[tag.end :]
        new = _instead(text[tag.start : tag.end], tag, style)
        text = left + new + right if new else _closed(left, right)
    return text if re.search(r"\w", text) else ""


def _closed(left: str, right: str) -> str:
    """The text before and after a cut, put together without separators that part nothing any more."""
    while (opened := _OPENED.search(left)) and (closed := _CLOSED.match(right)) and opened[1] + closed[1] in _PAIRS:
        left, right = left[: opened.start()], right[closed.end() :]
        left = left.rstrip(" \t") + " " if opened.group()[0].isspace() else left
    before, after = _SEPARATORS_BEFORE.search(left), _SEPARATORS_AFTER.match(right)
    lead, gap_before = (left[: before.start()], before.group()) if before else (left, "")
    rest, gap_after = (right[after.end() :], after.group()) if after else (right, "")
    if not rest or rest[0] in _ENDS:
        # A full stop or closing bracket belongs to the text before it.
        stop = re.match(r"\.(?=\s|$)", gap_after.lstrip())
        lead = _trimmed_end(lead if rest else lead.rstrip("([{<"))
        return lead + (stop.group() if stop and lead[-1:].isalnum() else "") + rest
    if not lead or lead[-1] in _STARTS:
        return lead + rest
    return lead + _between(gap_before, gap_after) + rest


def _trimmed_end(text: str) -> str:
    return text.rstrip(" \t_-–/^,;:=|#@")


def _between(before: str, after: str) -> str:
    """The separator that stays of those before and after a cut: the stronger one, as it was written."""
    strength = [max((_STRENGTH.index(c) for c in gap if c in _STRENGTH), default=-1) for gap in (before, after)]
    if strength[0] < 0 and strength[1] < 0:
        return " " if before or after else ""
    if strength[0] == strength[1]:
        return min(before, after, key=len)
    if strength[1] > strength[0]:
        return after if before or not after[0].isspace() else after.lstrip(" ")
    return before


def _instead(part: str, tag: Tag, style: CutStyle) -> str:
    """What stands in place of a private part: a moved date, the first digits of a ZIP code, or nothing."""
    if style.date_days is not None and tag.type in (EntityType.DATE_OTHER, EntityType.DATE_BIRTH):
        found = next(written_dates(part), None)
        # Whatever else stands in the part is private as well.
        return (moved_date(part, style.date_days) or "") if found and (found.start, found.end) == (0, len(part)) else ""
    if style.zip_digits and tag.type in (EntityType.LOCATION_HOME_ADDRESS, EntityType.LOCATION_ADDRESS):
        code = _ZIP.search(part)
        if code:
            first = code[1][: style.zip_digits]
            return "000**" if first in _SMALL_ZIPS else first + "**"
    return ""
