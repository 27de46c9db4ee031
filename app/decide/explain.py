"""A policy in plain words: what it removes, keeps, shifts and asks about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from deidra.app.decide.document_rules import Thing
from deidra.app.decide.header_rules import HeaderRule
from deidra.app.decide.policy import DatesInText, DocumentFormat, Doubt, Fill, Policy
from deidra.app.decide.second import SecondReader, Strata
from deidra.app.detect.agents import VARIATIONAL, Agent
from deidra.app.domain.labels import PAPER_LABELS
from deidra.app.domain.taxonomy import TYPES, EntityType
from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.profile import EDITION, Option

_OPTIONS = {
    Option.PRIVATE: "private attributes that the standard names safe are kept",
    Option.UIDS: "UIDs are kept",
    Option.DEVICE: "device names and serial numbers are kept",
    Option.INSTITUTION: "institution names and addresses are kept",
    Option.PATIENT: "sex, size, weight and age (up to 89) are kept",
    Option.DESCRIPTORS: "descriptions and comments are kept, private text in them is cut out",
    Option.STRUCTURED_CONTENT: "the content of structured reports is kept, private text in it is cut out",
    Option.GRAPHICS: "graphics and overlays are kept",
}

_FILLS = {
    Fill.BLACK: "black",
    Fill.WHITE: "white",
    Fill.BACKGROUND: "the colour around them",
    Fill.CORNER: "the colour of their top left pixel",
    Fill.INPAINT: "what lies around them, drawn on",
    Fill.BLUR: "a blur, which holds no stroke of the text but tells how dark it was, of which black leaves nothing",
}

_DOCUMENTS = {
    DocumentFormat.SAME: "what they were, pictures as PNG or, of several pages, TIFF",
    DocumentFormat.PDF: "PDF",
    DocumentFormat.TIFF: "TIFF",
    DocumentFormat.PNG: "PNG, those of several pages as TIFF",
}

_THINGS = {
    Thing.SIGNATURE: "what stands beside the label of a signature",
    Thing.MACHINE_ZONE: "lines for machines on passports and identity cards",
    Thing.PORTRAIT: "faces, about which a curator is asked",
}

_NAMES: dict[Agent, str] = {"deidra-det": "the detector of Deidra", "ppocr-det": "the detector of PP-OCR"}
_OWN = _NAMES[VARIATIONAL]
_SURE = {
    Doubt.CALIBRATED: f"{_OWN} is right with a probability at which few enough boxes were wrong when it was measured",
    Doubt.PAPER: f"the variance of {_OWN} is below that of every wrong box when it was measured",
}


class TypeRow(TypedDict):
    """One type of private data: ``action`` is what happens to it by default, ``papers`` its labels by paper."""

    type: str
    meaning: str
    hipaa: str
    risk: int
    action: str
    papers: dict[str, str]


def type_rows(policy: Policy) -> Iterator[TypeRow]:
    """All types as a policy treats them; HIPAA letters are those of 45 CFR 164.514(b)(2)(i)."""
    for kind, told in TYPES.items():
        labels = PAPER_LABELS[kind]
        named = {"000": labels.custom, "001": labels.risk, "002": labels.scans, "003": labels.tagger}
        off = kind in policy.types_off or (kind is EntityType.HEALTH and not policy.reads_health)
        moved = kind in (EntityType.DATE_BIRTH, EntityType.DATE_OTHER) and policy.dates.moves
        action = "kept" if off else "asked" if kind is EntityType.UNREAD else "moved" if moved else "removed"
        papers = {paper: label for paper, label in named.items() if label}
        yield TypeRow(
            type=kind.value,
            meaning=told.label,
            hipaa=told.hipaa,
            risk=policy.risk_of(kind),
            action=action,
            papers=papers,
        )


def _second_reader(policy: Policy) -> Iterator[str]:
    wanted = policy.review
    if wanted.decoys:
        yield (
            f"Decoys: made-up values are put among the items that wait, {wanted.decoys:.0%} as many as are asked "
            "about, to see how many a curator notices. They are in no release."
        )
    if wanted.second_reader is SecondReader.OFF:
        return
    if wanted.second_reader is SecondReader.TYPES:
        which = "all that are " + (", ".join(TYPES[kind].label for kind in wanted.types) or "of no type")
    else:
        strata = {Strata.TYPE: " of each type", Strata.RISK: " of each third of the risk", Strata.NONE: ""}
        which = f"{wanted.share:.0%} of them{strata[wanted.strata]}, drawn by seed {wanted.seed}"
    yield (
        f"Decided items are read by {wanted.readers} curators, without sight of each other's decisions: {which}. A "
        "release waits for that, and until differences are settled."
    )


def explained(policy: Policy) -> Iterator[str]:
    """Lines that say what a policy does."""
    yield f"{policy.name}: {policy.description}" if policy.description else policy.name
    yield ""
    yield f"Headers: {EDITION} Annex E, Basic profile. UIDs, names and patient IDs become keyed pseudonyms."
    for option in sorted(policy.header.options):
        yield f"  {_OPTIONS[option]} ({option.value})"
    for number, rule in enumerate(policy.header.rules, 1):
        yield f"  rule {number}: {_rule(rule)}"
    yield f"Dates: {_dates(policy)}"
    limits = policy.thresholds
    yield (
        f"Text in pixels and kept values: covered or cut out without asking when it is private with probability "
        f"{limits.auto_score} or more and the agents' variance is {limits.auto_variance} or less, or when it equals a "
        f"header value; a curator is asked from {limits.queue_score} on; the rest stays."
    )
    yield from _detectors(policy)
    for device in policy.devices:
        named = ", ".join(f"{name} {value}" for name, value in device.selectors.items())
        count = len(device.boxes)
        boxes = "1 box" if count == 1 else f"{count} boxes"
        yield f"  device rule {device.name!r}: {device.action.value} {boxes} where {named}"
    if policy.detect.network:
        more = ", diagnoses included" if policy.reads_health else ""
        yield f"Texts are read by rules, lists of names and Deidra's entity tagger{more}."
    if policy.types_off:
        off = [TYPES[kind].label for kind in EntityType if kind in policy.types_off]
        yield "Not private here: " + ", ".join(off) + "."
    yield from _pages(policy)
    yield from _second_reader(policy)
    if policy.detect.only:
        yield f"Private in texts is this alone: {policy.detect.only}."
    for matcher in policy.matchers:
        if near := ", ".join(matcher.context_words if matcher.forms or matcher.words else ()):
            yield f"Defined as private: {matcher.definition.name}; surer near the words {near}."
        elif matcher.forms or matcher.words:
            yield f"Defined as private: {matcher.definition.name}."
    if policy.detect.zip_digits:
        yield f"ZIP codes keep their first {policy.detect.zip_digits} digits, where 20,000 people or more share them."
    yield f"Covered areas are filled with {_FILLS[policy.redact.fill]}."
    yield f"Documents are written as {_DOCUMENTS[policy.redact.documents]}{_vector(policy)}."


def _pages(policy: Policy) -> Iterator[str]:
    pages = policy.documents
    yield (
        "Pages of documents: what stands beside a label is what the label says, where it is of that form; what stands "
        "beside the label of something private and cannot be read is asked about."
    )
    if pages.types_off:
        yield (
            "  Not private there: "
            + ", ".join(TYPES[kind].label for kind in EntityType if kind in pages.types_off)
            + "."
        )
    if policy.page_rules.health:
        yield "  States of health beside their labels are private there."
    if pages.labels_clear:
        yield "  Numbers and dates beside the label of something harmless stay there, whatever their form."
    if pages.things:
        yield "  Private there beside texts: " + ", ".join(_THINGS[thing] for thing in pages.things) + "."


def _vector(policy: Policy) -> str:
    kept = "; pages of a PDF on which nothing is covered or hidden stay text"
    return kept if policy.redact.vector else ""


def _detectors(policy: Policy) -> Iterator[str]:
    agents, limits = policy.detect.agents, policy.thresholds
    yield f"Pixels are searched for text by {' and by '.join(_NAMES[agent] for agent in agents)}."
    wanted = ["both detectors see text there"] if limits.both_agents and len(agents) > 1 else []
    if VARIATIONAL in agents:
        wanted.append(_SURE[limits.doubt])
    if wanted:
        yield f"  What no header value vouches for is covered without asking only where {' and '.join(wanted)}."
    if VARIATIONAL in agents:
        yield (
            f"  Text that nobody can read and that {_OWN} alone sees is asked about from a "
            f"probability of {limits.unread_score} on{_alone(policy)}; handwriting that the readers do not agree on "
            "and barcodes that cannot be decoded always are."
        )
    yield (
        "  Barcodes are decoded: one that holds a header value, or what a rule is as sure of as above, is covered; any "
        "other is asked about, unless all that it holds is plainly harmless."
    )


def _alone(policy: Policy) -> str:
    others = [_NAMES[agent] for agent in policy.detect.agents if agent != VARIATIONAL]
    if not others or policy.thresholds.unread_score <= 0:
        return ""
    return f", what {' or '.join(others)} alone sees is not"


def _dates(policy: Policy) -> str:
    dates = policy.dates
    words = {
        DateMode.SHIFT: f"moved into the past by {dates.least_days} to {dates.most_days} days, the same for all dates "
        "of a patient",
        DateMode.FIXED: f"moved by {dates.fixed_days} days, the same for all patients",
        DateMode.BASELINE: f"moved so that each patient's first study, or imported baseline, is on {dates.day_zero}",
        DateMode.YEAR: "only the year stays (1 January where a day is demanded)",
        DateMode.REMOVE: "removed",
        DateMode.KEEP: "kept as they are",
    }
    if dates.mode is DateMode.REMOVE:
        return words[dates.mode] + "."
    times = "times of day stay" if policy.profile.keeps_times else "times of day are removed"
    if not (dates.moves or dates.mode is DateMode.YEAR):
        return f"{words[dates.mode]}; {times}."
    if not dates.moves or dates.in_text is DatesInText.CUT:
        return f"{words[dates.mode]}; {times}; dates inside texts are cut out."
    return f"{words[dates.mode]}; {times}; dates inside long texts move as well, those inside short ones are cut out."


def _rule(rule: HeaderRule) -> str:
    selectors = {"tag": rule.tag, "keyword": rule.keyword, "vr": rule.vr, "creator": rule.creator, "path": rule.path}
    named = ", ".join(f"{name} {value}" for name, value in selectors.items() if value)
    value = f" with {rule.value!r}" if rule.value else ""
    when = "".join(f", where {keyword} is {pattern}" for keyword, pattern in rule.when.items())
    return f"{rule.action.value} {named}{value}{when}"
