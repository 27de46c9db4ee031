"""Private parts of one reading of a line of a page, typed by labels, by their form, and by what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from deidra.app.detect.agents import LABEL
from deidra.app.detect.conditions import condition_spans
from deidra.app.detect.definitions.together import definition_of
from deidra.app.detect.layout.forms import DOUBTED, LIKELY, NUMERIC, SURE, values_in
from deidra.app.detect.layout.inline import Label, labels_in
from deidra.app.detect.layout.sides import sentence_side
from deidra.app.detect.layout.unlabelled import told_by_form
from deidra.app.detect.layout.wordings import UNKNOWN, Meaning, Side, doubtful_side, option_meanings, with_side
from deidra.app.detect.page import Page, PageRules
from deidra.app.detect.spans import Span
from deidra.app.detect.tagger import Tag
from deidra.app.domain.taxonomy import EntityType

_PHONES = (EntityType.PHONE_OTHER, EntityType.PHONE_HOME)
_ADDRESSES = (EntityType.LOCATION_ADDRESS, EntityType.LOCATION_HOME_ADDRESS)
_TOWNS = (EntityType.LOCATION_OTHER, EntityType.LOCATION_ADDRESS)
_OTHERS_OF = {
    EntityType.PHONE_HOME: EntityType.PHONE_OTHER,
    EntityType.LOCATION_HOME_ADDRESS: EntityType.LOCATION_ADDRESS,
}
_BY_FORM = frozenset(
    {
        *(EntityType.ID_SSN, EntityType.ID_OTHER, EntityType.ID_MRN, EntityType.FINANCE, EntityType.DATE_OTHER),
        *(EntityType.PHONE_OTHER, EntityType.PHONE_HOME, EntityType.OTHERPHI),
    }
)
"""Types that are told by their form alone, which the label of something harmless speaks against."""
_BY_FORM_ALONE = frozenset({EntityType.ID_OTHER, EntityType.DATE_OTHER, EntityType.OTHERPHI})
"""Those of them that a label of no list speaks against as well."""
_ONCE = frozenset({"ssn", "date", "age"})
"""Forms of values of which only the first behind a label is its own."""
_GRANT = re.compile(
    r"(?:\d[ -]?)?[A-Z]{1,2}[A-Z\d]\d[ -]?[A-Z]{2}[ -]?\d{6}(?:-\d{2}\w{0,4})?|NSF[ -]?(?:[A-Z]{3}[ -]?)?\d{7}"
)
"""A grant of the NIH (activity, institute and serial number, "R01-CA123456") or the NSF ("NSF-1234567")."""
_MOST_BEFORE = 2
"""Words before a value in a cell whose label stands elsewhere."""
_MRZ = re.compile(r"^[A-Z0-9<«\s]{28,48}$")
_LEAST_FILLERS = 3
_BORN = re.compile(r"(?<!\w)born(?!\w)[^.;\d]{0,60}$", re.IGNORECASE)
_UNIT = re.compile(r"[\s-]?(?:years?|yrs?\.?|months?)(?:[\s-](?:old|of\sage))?(?!\w)", re.IGNORECASE)
_MARK = re.compile(r"(?:\[\s?[xX✓]?\s?\]|\(\s?[xX✓]?\s?\)|[✓✔☑☒☐□■]|(?<![^\W_])[xX](?=\s))\s?")


@dataclass(slots=True)
class Part:
    """Characters ``start`` to ``end`` of a text are what a label promises a value in."""

    start: int
    end: int
    meaning: Meaning
    label: str
    is_elsewhere: bool = False
    has_colon: bool = True


def page_tags(page: Page, number: int, text: str) -> list[Tag]:
    """Private parts of one reading of a line, typed by the labels they belong to."""
    rules = page.rules
    labels = labels_in(text)
    tags = [clipped for tag in page.tags_of(number, text) if (clipped := _off_labels(tag, labels, text)) is not None]
    for part in parts_of(page, number, text, labels):
        if not part.meaning.is_private:
            tags = [tag for tag in tags if not (rules.labels_clear and _is_cleared(tag, part))]
            continue
        if not _may_count(rules, part.meaning):
            tags = [_retyped(tag, part, text) for tag in tags]
            continue
        meaning, factor = sided(page, number, part.meaning, "" if part.has_colon else text[: part.start])
        values = values_in(meaning, text, part.start, part.end)
        if not part.is_elsewhere and (meaning.form in _ONCE or not part.has_colon):
            values = values[:1]
        for value in values:
            if part.is_elsewhere and _is_in_prose(text[part.start : value.start]):
                continue
            score = min(value.score, DOUBTED) if factor is Side.EITHER else value.score
            tags = _with_value(tags, value.start, value.end, meaning, score, part.label)
    tags = [tag for tag in tags if not (rules.labels_clear and _is_grant(tag, text))]
    tags += _marked_options(text, labels, tags)
    if rules.machine_zones and _is_machine_zone(text):
        tags = [label_tag(0, len(text), EntityType.OTHERPHI, SURE, "a line for machines, as on passports", ())]
    tags = [_gone_on(page, number, tag) for tag in _of_birth(tags, text)]
    tags = [_with_unit(_whose(page, number, tag, text), text) for tag in tags]
    tags += _told(page, number, text, labels, tags)
    counting = [tag for tag in tags if tag.type not in rules.types_off or tag.certain or definition_of(tag.spans)]
    return sorted(counting, key=lambda tag: tag.start)


def parts_of(page: Page, number: int, text: str, labels: Sequence[Label]) -> list[Part]:
    """The parts of a reading that are values of labels: on the line itself, or elsewhere."""
    end = labels[0].start if labels else len(text)
    places = page.places[number]
    starts = [_nearest_blank(text, one.start) for one in places]
    outside = [
        Part(start, min(end, starts[n + 1] if n + 1 < len(starts) else end), one.meaning, one.label, True)
        for n, (start, one) in enumerate(zip(starts, places, strict=True))
    ]
    inline = [
        Part(one.end, one.until, one.meaning, text[one.start : one.end], has_colon=one.has_colon) for one in labels
    ]
    return [part for part in (*outside, *inline) if part.start < part.end]


def _nearest_blank(text: str, share: float) -> int:
    """Where the word begins that is nearest to a share (0 to 1) of a text's length."""
    begins = [0, *(match.end() for match in re.finditer(r"\s+", text)), len(text)]
    return min(begins, key=lambda place: abs(place - share * len(text)))


def _is_in_prose(before: str) -> bool:
    """Whether what stands before a value is more than a cell holds: "whom we examined on"."""
    return len(re.findall(r"[^\W\d_]+", before)) > _MOST_BEFORE


def _off_labels(tag: Tag, labels: Sequence[Label], text: str) -> Tag | None:
    """A tag without the labels that it runs into; None where it is nothing but a label."""
    if tag.certain or definition_of(tag.spans):
        return tag
    start, end = tag.start, tag.end
    for label in labels:
        if label.meaning is UNKNOWN and any(map(str.isdigit, text[start:end])):
            continue
        if start < label.end and label.start < end:
            if start >= label.start:
                start = label.end
            else:
                end = label.start
    while start < end and not text[start].isalnum() and text[start] not in "(+[":
        start += 1
    while end > start and text[end - 1] in " \t:;,":
        end -= 1
    return replace(tag, start=start, end=end) if end > start else None


def _is_cleared(tag: Tag, part: Part) -> bool:
    inside = part.start <= tag.start and tag.end <= part.end
    types = _BY_FORM_ALONE if part.meaning is UNKNOWN else _BY_FORM
    return inside and tag.type in types and not tag.certain and not definition_of(tag.spans)


def _is_grant(tag: Tag, text: str) -> bool:
    """Whether a tag is the number of a grant, which no label calls anything private."""
    if tag.type not in _BY_FORM or tag.certain or definition_of(tag.spans):
        return False
    said = any(span.agent == LABEL and span.score > DOUBTED for span in tag.spans)
    return not said and bool(_GRANT.fullmatch(text[tag.start : tag.end].strip(" .,;:#")))


def _may_count(rules: PageRules, meaning: Meaning) -> bool:
    return rules.counts(meaning) or (meaning.side is Side.EITHER and rules.counts(doubtful_side(meaning)))


def _retyped(tag: Tag, part: Part, text: str) -> Tag:
    """A tag as what a label says it is, of a type that does not count: of the same family, or told by form alone."""
    meaning = part.meaning
    inside = part.start <= tag.start and tag.end <= part.end
    if not inside or meaning.type is None or tag.certain or definition_of(tag.spans):
        return tag
    said = Span(tag.start, tag.end, meaning.type, tag.score, LABEL, f"beside the label of {meaning.name}")
    if _family(tag.type) == _family(meaning.type):
        return replace(tag, type=meaning.type, spans=(said, *tag.spans))
    values = values_in(meaning, text, part.start, part.end) if meaning.form in NUMERIC and tag.type in _BY_FORM else []
    over = any(v.score >= LIKELY and v.start <= tag.start and tag.end <= v.end for v in values)
    return replace(tag, type=meaning.type, spans=(said, *tag.spans)) if over else tag


def _family(kind: EntityType) -> str:
    return kind.value.split(".")[0]


def sided(page: Page, number: int, meaning: Meaning, before: str = "") -> tuple[Meaning, Side]:
    """The meaning with whose it is, as far as that matters; ``Side.EITHER`` where nothing tells.

    ``before`` is what stands before a label in the middle of prose.
    """
    if meaning.side is not Side.EITHER:
        return meaning, meaning.side
    side = sentence_side(page.begun(number) + before) if before else Side.EITHER
    side = page.side(number) if side is Side.EITHER else side
    if side is Side.EITHER:
        off = meaning.type in page.rules.types_off
        return (doubtful_side(meaning), Side.EITHER) if off else (meaning, Side.NONE)
    return with_side(meaning, side), side


def _with_value(tags: list[Tag], start: int, end: int, meaning: Meaning, score: float, label: str) -> list[Tag]:
    """The tags with the value of a label, whose type counts unless a header value says more."""
    if meaning.type is None:
        return tags
    over = [tag for tag in tags if tag.start < end and start < tag.end]
    if any(definition_of(tag.spans) for tag in over):
        return tags
    certain = [tag for tag in over if tag.certain]
    alike = max((tag.score for tag in over if _family(tag.type) == _family(meaning.type)), default=0.0)
    if score > DOUBTED and alike:
        score = round(1 - (1 - score) * (1 - alike), 4)
    elif score <= DOUBTED and any(tag.score > score and _family(tag.type) != _family(meaning.type) for tag in over):
        return tags
    spans = tuple(span for tag in over for span in tag.spans)
    start, end = min([start, *(t.start for t in over)]), max([end, *(t.end for t in over)])
    kind = certain[0].type if certain else meaning.type
    words = label.strip(" :._")
    detail = f"beside the label {words!r}: {meaning.name}"
    made = label_tag(start, end, kind, max([score, *(t.score for t in certain)]), detail, spans)
    return [*(tag for tag in tags if tag not in over), made]


def label_tag(start: int, end: int, kind: EntityType, score: float, detail: str, others: tuple[Span, ...]) -> Tag:
    """A tag that says what a label, or what takes its place, tells of characters ``start`` to ``end``."""
    return Tag(start, end, kind, score, (Span(start, end, kind, score, LABEL, detail), *others))


def _marked_options(text: str, labels: Sequence[Label], tags: Sequence[Tag]) -> list[Tag]:
    """Options of a private question beside marks in the text, where no label stands ("[X] Married [ ] Single")."""
    if labels or tags or not _MARK.search(text):
        return []
    words = [piece.strip() for piece in _MARK.split(text) if piece.strip()]
    meanings = [set(option_meanings(word)) for word in words]
    shared = set.intersection(*meanings) if meanings and all(meanings) else set()
    if not shared or all(word.lower() in ("yes", "no", "none", "other") for word in words):
        return []
    meaning = min(shared, key=lambda one: one.name)
    if meaning.type is not EntityType.DEMOG:
        return []
    return [label_tag(0, len(text), meaning.type, LIKELY, f"boxes to tick: {meaning.name}", ())]


def _gone_on(page: Page, number: int, tag: Tag) -> Tag:
    """A town at the beginning of a line, as the end of the address that the line above ends with."""
    above = page.above(number) if tag.start <= 1 and tag.type in _TOWNS and not tag.certain else None
    if above is None:
        return tag
    text = page.frame.lines[above].text
    last = max(page.tags(text), key=lambda one: one.end, default=None)
    if last is None or last.type not in _ADDRESSES or text[last.end :].strip(" ,"):
        return tag
    side = sentence_side(text[: last.start], "")
    side = page.side(above) if side is Side.EITHER else side
    if side is not Side.HOME:
        return replace(tag, type=EntityType.LOCATION_ADDRESS) if side is Side.OFFICE else tag
    said = Span(tag.start, tag.end, EntityType.LOCATION_HOME_ADDRESS, LIKELY, LABEL, "it ends the address above")
    return replace(tag, type=said.type, score=max(tag.score, LIKELY), spans=(said, *tag.spans))


def _of_birth(tags: list[Tag], text: str) -> list[Tag]:
    """The tags with the first date behind "born", words between them or not, as one of a birth."""
    for tag in sorted(tags, key=lambda one: one.start):
        if tag.type is EntityType.DATE_OTHER and _BORN.search(text[: tag.start]) and not tag.certain:
            said = Span(
                tag.start, tag.end, EntityType.DATE_BIRTH, LIKELY, LABEL, "the first date behind a word of birth"
            )
            born = replace(tag, type=EntityType.DATE_BIRTH, score=max(tag.score, LIKELY), spans=(said, *tag.spans))
            return [*(one for one in tags if one is not tag), born]
    return tags


def _with_unit(tag: Tag, text: str) -> Tag:
    """An age with the years behind it: "69" of "69 years"."""
    unit = _UNIT.match(text, tag.end) if tag.type is EntityType.AGE else None
    return replace(tag, end=unit.end()) if unit else tag


def _told(page: Page, number: int, text: str, labels: Sequence[Label], tags: Sequence[Tag]) -> list[Tag]:
    """What the form of a text tells where no label of the catalogue does, and states of health."""
    found: list[Tag] = []
    if page.rules.health and EntityType.HEALTH not in page.rules.types_off:
        for span in condition_spans(text):
            said = any(part.start <= span.start < part.end for part in _known_parts(page, number, text, labels))
            if not said and not any(label.start < span.end and span.start < label.end for label in labels):
                found.append(label_tag(span.start, span.end, span.type, span.score, span.detail, (span,)))
    cells = [(one.end, one.until) for one in labels if one.meaning is UNKNOWN]
    if not labels and all(one.meaning is UNKNOWN for one in page.places[number]):
        cells = [(0, len(text))]
    for start, end in cells:
        for told in told_by_form(text, start, end, page.latest(), page.side(number) is Side.HOME):
            found.append(label_tag(told.start, told.end, told.type, DOUBTED, told.why, ()))
    private = [tag for tag in tags if tag.type not in page.rules.types_off]
    return [one for one in found if not any(one.start < tag.end and tag.start < one.end for tag in private)]


def _known_parts(page: Page, number: int, text: str, labels: Sequence[Label]) -> list[Part]:
    """The values of labels of the catalogue in a text that say that something is harmless, and what."""
    return [
        part
        for part in parts_of(page, number, text, labels)
        if part.meaning is not UNKNOWN and not part.meaning.is_private and part.has_colon and not part.is_elsewhere
    ]


def _is_machine_zone(text: str) -> bool:
    """Whether a line is one of a machine-readable zone (ICAO 9303: 30, 36 or 44 characters, blanks as "<")."""
    fillers = text.count("<") + text.count("«")
    return fillers >= _LEAST_FILLERS and bool(_MRZ.match(text.strip().upper())) and not text.islower()


def _whose(page: Page, number: int, tag: Tag, text: str) -> Tag:
    """A phone number or an address that no label told of, with whose it is."""
    if tag.certain or tag.type not in (*_PHONES, *_ADDRESSES) or any(span.agent == LABEL for span in tag.spans):
        return tag
    home = EntityType.PHONE_HOME if tag.type in _PHONES else EntityType.LOCATION_HOME_ADDRESS
    other = _OTHERS_OF[home]
    if tag.type is home and any(span.type is home and "label" in span.detail for span in tag.spans):
        return tag
    side = sentence_side(page.begun(number) + text[: tag.start], text[tag.end :])
    side = page.side(number) if side is Side.EITHER else side
    if side is Side.HOME:
        return replace(tag, type=home)
    if side is Side.OFFICE:
        return replace(tag, type=other)
    if other not in page.rules.types_off:
        return tag
    detail = "it cannot be told whether it is of a home or an office"
    doubt = Span(tag.start, tag.end, home, DOUBTED, LABEL, detail)
    return replace(tag, type=home, score=min(tag.score, DOUBTED), spans=(doubt, *tag.spans))
