"""Findings on pages: what stands on them is read together with the labels that give it its meaning.

Labels are never private themselves. What a label promises counts where the text is of that form; what stands beside
the label of something private and cannot be read is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from deidra.app.detect.agents import FACE, LABEL, UNREADABLE
from deidra.app.detect.drafts import Draft, agreement, cut, decoded, face_draft, line_drafts
from deidra.app.detect.layout.forms import DOUBTED, NUMERIC, is_filled
from deidra.app.detect.layout.inline import labels_in
from deidra.app.detect.layout.pairs import WELL_READ, beside
from deidra.app.detect.layout.wordings import Meaning, option_meanings
from deidra.app.detect.page import Page, PageRules
from deidra.app.detect.page_tags import Part, label_tag, page_tags, parts_of, sided
from deidra.app.detect.split import split_spans
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.app.domain.model import Action, Evidence, FrameText, TextLine
from deidra.app.domain.taxonomy import EntityType

_ALIKE = 0.8
"""A reading is taken for what stands there from this agreement of the readers on."""
_BOX = 1.6
"""Heights of a line that a box to tick, with the gap behind it, takes before its option."""


def page_drafts(frame: FrameText, tagger: EntityTagger, rules: PageRules) -> list[Draft]:
    """Drafts for the text of one page: one for each private part of a line, one for each harmless line.

    Args:
        frame: the page's text.
        tagger: says what is private in a text.
        rules: what counts on pages.
    """
    faces = [line for line in frame.lines if line.kind == FACE]
    frame = replace(frame, lines=tuple(line for line in frame.lines if line.kind != FACE))
    page = Page(frame, tagger, rules, beside(frame.lines), split_spans(frame.lines, tagger.known))
    found = [draft for number, line in enumerate(frame.lines) for draft in _of_line(page, number, line)]
    return [*found, *(face_draft(frame.index, line) for line in faces if rules.portraits)]


def _of_line(page: Page, number: int, line: TextLine) -> Iterator[Draft]:
    def reads(text: str) -> list[Tag]:
        return page_tags(page, number, text)

    found = list(line_drafts(page.frame.index, line, reads, reads, page.tagger))
    if not decoded(line.evidence):
        found = _with_doubts(page, number, line, found)
    yield from (_over_options(page, line, draft) for draft in found)


def _with_doubts(page: Page, number: int, line: TextLine, found: list[Draft]) -> list[Draft]:
    """The drafts with questions about what stands beside the label of something private and was not read."""
    labels = labels_in(line.text)
    parts = [
        part
        for part in parts_of(page, number, line.text, labels)
        if page.rules.counts(sided(page, number, part.meaning)[0]) and is_filled(line.text[part.start : part.end])
    ]
    unread = not line.text.strip() or line.kind in UNREADABLE or all(d.type is EntityType.UNREAD for d in found)
    if not parts and unread and page.places[number]:
        first = page.places[number][0]
        if page.rules.counts(sided(page, number, first.meaning)[0]):
            parts = [Part(0, len(line.text), first.meaning, first.label)]
    if not parts:
        return found
    readings = [e for e in line.evidence if e.text is not None]
    doubtful = unread or agreement(readings) < _ALIKE or max((e.score for e in readings), default=0.0) < WELL_READ
    if not doubtful:
        return found
    if unread:
        return [_asked(draft, page, number, parts[0]) for draft in found]
    private = [draft for draft in found if draft.type not in (None, EntityType.UNREAD)]
    tagged = page_tags(page, number, line.text)
    left = [part for part in parts if not any(t.start < part.end and part.start < t.end for t in tagged)]
    if not left:
        return found
    if any(draft.polygon == line.polygon for draft in private):
        return found
    return [*private, *(_question(page, number, line, part) for part in left if _is_short(line.text, part))] or found


def _is_short(text: str, part: Part) -> bool:
    """Whether a text is no longer than such a value is."""
    size = part.end - part.start
    return size <= 28 if part.meaning.form in NUMERIC else size <= 60


def _asked(draft: Draft, page: Page, number: int, part: Part) -> Draft:
    """A draft about handwriting or unread text, as what its label promises, so that a curator is asked."""
    if draft.certain or draft.type not in (None, EntityType.UNREAD):
        return draft
    return _as_question(draft, sided(page, number, part.meaning)[0], part)


def _as_question(draft: Draft, meaning: Meaning, part: Part) -> Draft:
    reason = f"beside the label {part.label.strip(' :._')!r} ({meaning.name}), and not read surely"
    said = Evidence(LABEL, draft.text or None, meaning.type, DOUBTED, 0.0, reason)
    return replace(
        draft,
        type=meaning.type,
        score=max(draft.score, DOUBTED),
        action=Action.REDACT,
        evidence=(*draft.evidence, said),
        reason=reason,
        asked=True,
    )


def _question(page: Page, number: int, line: TextLine, part: Part) -> Draft:
    meaning = sided(page, number, part.meaning)[0]
    kind = meaning.type or EntityType.UNREAD
    tag = label_tag(part.start, part.end, kind, DOUBTED, "", ())
    text = line.text[part.start : part.end].strip()
    base = Draft(page.frame.index, cut(line, tag), None, text, kind, DOUBTED, 0.0, Action.REDACT, line.evidence, "")
    return _as_question(base, meaning, part)


def _over_options(page: Page, line: TextLine, draft: Draft) -> Draft:
    """The place of an option with the box before it: a ticked box tells as much as the word."""
    if draft.type is not EntityType.DEMOG or draft.polygon is None or len(draft.polygon) != 4:
        return draft
    if not option_meanings(re.sub(r"^\W*(?:[xX]\s)?\W*", "", draft.text)):
        return draft
    if not any(e.agent == LABEL for e in draft.evidence) or draft.polygon != line.polygon:
        return draft
    return replace(draft, polygon=_with_box(draft.polygon))


def _with_box(polygon: Polygon) -> Polygon:
    (tl, tr, br, bl) = polygon
    width = max(1.0, ((tr[0] - tl[0]) ** 2 + (tr[1] - tl[1]) ** 2) ** 0.5)
    height = ((bl[0] - tl[0]) ** 2 + (bl[1] - tl[1]) ** 2) ** 0.5
    share = _BOX * height / width
    step = ((tr[0] - tl[0]) * share, (tr[1] - tl[1]) * share)
    return as_polygon(
        [(max(0.0, tl[0] - step[0]), tl[1] - step[1]), tr, br, (max(0.0, bl[0] - step[0]), bl[1] - step[1])]
    )
