"""Findings before the policy: regions and fields with merged evidence, type, score and variance."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rapidfuzz import fuzz

from deidra.app.detect.agents import BARCODE, FACE, HANDWRITING, LABEL, words_of
from deidra.app.detect.entity_model import TITLE_BEFORE
from deidra.app.detect.gazetteer import is_name, is_safe, plain
from deidra.app.detect.spans import Span
from deidra.app.detect.split import split_spans
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.geometry import Box, Polygon, area, bounding_box, intersection_area, slice_along
from deidra.app.domain.model import Action, Evidence, FrameText, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.models.barcode_reader import BarcodeReader
from deidra.models.text_reader import TesseractReader

_UNREAD_CONFIDENCE = 0.75
_UNREAD_AGREEMENT = 0.6
_MOST_UNREAD = 0.6
_CLEAR_FORM = 0.8
"""Scores of forms that are no accident (dates, numbers after labels, pairs of names) start here."""
_WHOLE_LINE = 0.8
"""A tag that covers this share of a line's characters takes the whole line: cutting would leave scraps."""
_PROMISED, _SURELY_READ = 0.93, 0.98
"""Scores from which on a label's promise is kept by what was read, and from which on a reading is beyond doubt."""
_CODED = 0.8
"""How likely private is what a barcode holds: hardly one is put on an image that does not name whose it is."""
_TOKEN = re.compile(r"[^\W_]+")
_PERSONS = (EntityType.PATIENT, EntityType.STAFF)
_LEAST_NUMBER = 4
"""Digits from which a number in a barcode may identify somebody."""
Reads = Callable[[str], list[Tag]]
"""Says what is private in a text."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding that has no verdict yet; fields as in :class:`deidra.app.domain.model.Finding`.

    ``certain`` is True when a header value vouches for it or a profile demands it; ``asked`` when a curator is
    asked however low the score is. ``weight`` (0 to 1) multiplies the risk, and so puts a finding farther back in the
    queue; no verdict depends on it.
    """

    frame: int | None
    polygon: Polygon | None
    tag: str | None
    text: str
    type: EntityType | None
    score: float
    variance: float
    action: Action
    evidence: tuple[Evidence, ...]
    reason: str
    certain: bool = False
    proposal: str | None = None
    asked: bool = False
    weight: float = 1.0

    def share_in(self, box: Box) -> float:
        """The share (0 to 1) of the region's bounding box that lies in a box; 0 for fields."""
        if self.polygon is None:
            return 0.0
        place = bounding_box(self.polygon)
        return intersection_area(place, box) / max(1, area(place))

    def surer(self, evidence: Iterable[Evidence], doubt_left: float) -> Draft:
        """The draft with more evidence, and with a share (0 to 1) of the doubt that it is private."""
        score = round(1 - (1 - self.score) * doubt_left, 4)
        return replace(self, score=score, evidence=(*self.evidence, *evidence))


def region_drafts(frame: FrameText, tagger: EntityTagger, unknown_words: bool) -> list[Draft]:
    """Drafts for one frame's text: one for each private part of a line, one for each harmless line."""
    found: list[Draft] = []
    split = split_spans(frame.lines, tagger.known)
    for line, label, more in zip(frame.lines, _labels(frame.lines, tagger), split, strict=True):
        reads = partial(labelled_tags, label=label, tagger=tagger, unknown_words=unknown_words)
        reads_code = partial(labelled_tags, label=label, tagger=tagger)
        found += line_drafts(frame.index, line, with_more(reads, line, more), reads_code, tagger)
    return found


def with_more(reads: Callable[..., list[Tag]], line: TextLine, more: Sequence[Span]) -> Reads:
    """Reads a text as ``reads`` does, and with what is known of the line from elsewhere, if it is the line's own."""
    return lambda text: reads(text, more=more if text == line.text else ())


def _labels(lines: tuple[TextLine, ...], tagger: EntityTagger) -> list[str]:
    """For each line the label that stands to its left on the same row, or right above it, else ""."""
    boxes = [bounding_box(line.polygon) for line in lines]
    labels = [
        (box, line.text) for box, line in zip(boxes, lines, strict=True) if tagger.definitions.is_label(line.text)
    ]
    found = []
    for box, line in zip(boxes, lines, strict=True):
        height = box[3] - box[1]
        best, distance = "", 25.0 * height
        for other, text in labels:
            if text == line.text and other == box:
                continue
            gap = _gap(other, box, height)
            if gap is not None and gap < distance:
                best, distance = text, gap
        found.append(best if not tagger.definitions.is_label(line.text) else "")
    return found


def _gap(label: tuple[int, int, int, int], value: tuple[int, int, int, int], height: int) -> float | None:
    """Distance from a label to a value on its right or just below it; None when it is neither."""
    overlap = min(label[3], value[3]) - max(label[1], value[1])
    if overlap > 0.5 * min(height, label[3] - label[1]) and value[0] >= label[2] - height:
        return float(value[0] - label[2])
    below = value[1] - label[3]
    if -0.3 * height <= below <= 1.2 * height and abs(value[0] - label[0]) <= 2 * height:
        return below + 8.0 * height
    return None


def line_drafts(
    frame: int | None, line: TextLine, reads: Reads, reads_code: Reads, tagger: EntityTagger
) -> Iterator[Draft]:
    """Drafts for one line: one for each private part of it, or one that says that nothing in it is.

    Args:
        frame: number of the frame or page.
        line: the line.
        reads: says what is private in what a reader read of it.
        reads_code: the same for what a barcode holds.
        tagger: says what is private in text that stands at a barcode.
    """
    if line.kind == FACE:
        yield face_draft(frame, line)
        return
    contents = decoded(line.evidence)
    readings = [e for e in line.evidence if e.text is not None and e not in contents]
    if contents:
        yield _barcode(frame, line, contents, readings, reads_code, tagger)
        return
    second = next((e for e in readings if e.agent == TesseractReader.name), None)
    tags = reads(line.text)
    second_tags = reads(second.text or "") if second else None
    if line.kind == BARCODE or (line.kind == HANDWRITING and not _agreed(readings)):
        yield from _unreadable(frame, line, tags, second_tags)
        return
    if not tags and second_tags and second and _second_counts(readings[0], second, second_tags):
        # Only the second reader saw something private; where in the line is not known, so all of it counts.
        best = max(second_tags, key=lambda tag: tag.score)
        yield _draft(frame, line, line.polygon, second.text or "", best, None, second_tags)
        return
    if not tags:
        yield _harmless(frame, line, readings)
        return
    for tag in tags:
        heard = None if _is_vouched(tag, readings) else second_tags
        yield _draft(frame, line, cut(line, tag), line.text[tag.start : tag.end], tag, tag, heard)


def _is_vouched(tag: Tag, readings: Sequence[Evidence]) -> bool:
    """Whether what the first reader is sure to have read is what a label promises: that is a second opinion as well.

    The second reader often takes the frame of a cell for a letter.
    """
    promised = max((span.score for span in tag.spans if span.agent == LABEL), default=0.0)
    return promised >= _PROMISED and bool(readings) and readings[0].score >= _SURELY_READ


def decoded(evidence: Iterable[Evidence]) -> list[Evidence]:
    """What barcodes hold, among evidence of a region; empty where none was decoded."""
    return [e for e in evidence if e.agent == BarcodeReader.name and e.text is not None]


def _barcode(
    frame: int | None,
    line: TextLine,
    contents: list[Evidence],
    readings: list[Evidence],
    reads: Reads,
    tagger: EntityTagger,
) -> Draft:
    """A barcode that was decoded: all of it goes, unless what it holds is plainly harmless.

    The text that stands at it is read as well. What is of no kind that is known is an identifier until a curator says
    otherwise.
    """
    tags = [(tag, e.text or "") for e in contents for tag in reads(e.text or "")]
    beside = [(tag, e.text or "") for e in readings for tag in tagger.tags(e.text or "")]
    found = [*tags, *((tag, text) for tag, text in beside if tag.certain or tag.score >= _CLEAR_FORM)]
    kinds = " and ".join(dict.fromkeys(e.detail for e in contents))
    if not found and all(_is_harmless(e.text or "") for e in contents):
        reason = f"a barcode ({kinds}); nothing private in it"
        return Draft(frame, line.polygon, None, line.text, None, 0.0, 0.0, Action.KEEP, line.evidence, reason)
    evidence = list(line.evidence)
    for tag, text in found:
        evidence += span_evidence(tag, text[tag.start : tag.end])
    best = max((tag for tag, _ in found), key=lambda tag: (tag.certain, tag.score), default=None)
    if best is None:
        kind, score, certain, reason = EntityType.ID_OTHER, _CODED, False, f"a barcode ({kinds})"
    else:
        detail = max(best.spans, key=lambda span: span.score).detail
        kind, score, certain = best.type, max(best.score, _CODED), best.certain
        reason = f"{detail}, in a barcode ({kinds})"
    return Draft(
        frame,
        line.polygon,
        None,
        line.text,
        kind,
        round(score, 4),
        0.0,
        Action.REDACT,
        tuple(evidence),
        reason,
        certain,
        asked=best is None or not (certain or best.score >= _CLEAR_FORM),
    )


def face_draft(frame: int | None, line: TextLine) -> Draft:
    """A face: a curator is asked, since it may be what the picture was taken for."""
    score, variance = max((e.score, e.variance) for e in line.evidence)
    kind, words = EntityType.OTHERPHI, words_of(line.kind)
    return Draft(frame, line.polygon, None, "", kind, score, variance, Action.REDACT, line.evidence, words, asked=True)


def _is_harmless(content: str) -> bool:
    """Whether a barcode holds words that are no names, short numbers and single letters only, and any of these."""
    tokens = _TOKEN.findall(content)
    return bool(tokens) and all(
        len(token) < (_LEAST_NUMBER if token.isdecimal() else 2) or (is_safe(token) and not is_name(token))
        for token in tokens
    )


def _agreed(readings: list[Evidence]) -> bool:
    """Whether two readers read the same, and the first was sure of it."""
    return len(readings) > 1 and readings[0].score >= _UNREAD_CONFIDENCE and agreement(readings) >= _UNREAD_AGREEMENT


def _unreadable(frame: int | None, line: TextLine, tags: list[Tag], second_tags: list[Tag] | None) -> Iterator[Draft]:
    """Handwriting that the readers do not agree on, or a barcode: a curator is asked whatever they read.

    Where in it a text stands is not known, so all of it counts. Where a header value vouches for what was
    read, all of it goes and there is nothing to ask.
    """
    certain = [tag for tag in tags if tag.certain]
    for tag in certain or [tag for tag in tags if tag.score >= _CLEAR_FORM]:
        yield _draft(frame, line, line.polygon, line.text[tag.start : tag.end], tag, tag, second_tags)
    if not certain:
        readings = [e for e in line.evidence if e.text is not None]
        yield replace(_unread(frame, line, agreement(readings), words_of(line.kind)), text="", asked=True)


def _second_counts(first: Evidence, second: Evidence, tags: list[Tag]) -> bool:
    """Whether what only the second reader saw is worth a curator's time.

    A misread word is often some rare name; it counts only when its reader is the surer one.
    """
    return max(tag.score for tag in tags) >= _CLEAR_FORM or second.score > first.score


def labelled_tags(
    text: str, label: str, tagger: EntityTagger, unknown_words: bool = False, more: Sequence[Span] = ()
) -> list[Tag]:
    """Private parts of a line or cell beside which a label stands.

    Args:
        text: the line or the content of the cell.
        label: the label on its left or above it; empty where there is none.
        tagger: says what is private.
        unknown_words: as in :meth:`EntityTagger.tags`; for images.
        more: the same.
    """
    tags = tagger.tags(text, unknown_words=unknown_words, more=more)
    if not label or not text:
        return tags
    # Read as "label: value", so that the rules see the words that give the value its meaning.
    lead = f"{label.strip().rstrip(':# ')}: "
    shifted = []
    for tag in tagger.tags(lead + text, unknown_words=False):
        if tag.end > len(lead):
            spans = tuple(_without_label(span, len(lead)) for span in tag.spans)
            start, end = max(0, tag.start - len(lead)), tag.end - len(lead)
            shifted.append(replace(tag, start=start, end=end, spans=spans))
    extra = [tag for tag in shifted if not any(tag.start < t.end and t.start < tag.end for t in tags)]
    better = [next((s for s in shifted if s.start < t.end and t.start < s.end and s.score > t.score), t) for t in tags]
    unique = {(t.start, t.end): t for t in [*better, *extra]}
    return [unique[key] for key in sorted(unique)]


def _without_label(span: Span, length: int) -> Span:
    start, end = max(0, span.start - length), span.end - length
    return replace(span, start=start, end=end, detail=f"{span.detail} (label beside it)")


def cut(line: TextLine, tag: Tag) -> Polygon:
    """Where in a line a tag stands; the whole line where that cannot be told."""
    length = len(line.text)
    # A title goes with its name: a cut right before the first letter could leave a part of it.
    title = TITLE_BEFORE.search(line.text[: tag.start]) if tag.type in _PERSONS else None
    start = title.start() if title else tag.start
    if tag.end - start >= _WHOLE_LINE * length or len(line.char_spans) != length or len(line.polygon) != 4:
        return line.polygon
    return slice_along(line.polygon, line.char_spans[start][0], line.char_spans[tag.end - 1][1])


def _draft(
    frame: int | None,
    line: TextLine,
    polygon: Polygon,
    text: str,
    tag: Tag,
    first: Tag | None,
    second_tags: list[Tag] | None,
) -> Draft:
    """``first`` is None when only the second reader's text is private."""
    votes = [first.score if first else 0.0]
    if second_tags is not None:
        votes.append(_vote(tag, second_tags))
    evidence = [*line.evidence, *span_evidence(tag, text)]
    variance = max(statistics.pvariance(votes) if len(votes) > 1 else 0.0, tag.variance)
    score = tag.score if first else statistics.fmean(votes)
    reason = tag.spans[0].detail if first else f"only the second reader: {tag.spans[0].detail}"
    best = max(tag.spans, key=lambda span: span.score)
    if first and len(votes) > 1 and statistics.pvariance(votes) > 0.02 and not tag.certain:
        reason = f"{best.detail}; the readers differ"
    elif first:
        reason = best.detail
    certain = tag.certain and first is not None
    return Draft(
        frame,
        polygon,
        None,
        text,
        tag.type,
        round(score, 4),
        round(variance, 4),
        Action.REDACT,
        tuple(evidence),
        reason,
        certain,
    )


def _vote(tag: Tag, others: Iterable[Tag]) -> float:
    """The score that the second reader's text gives the same kind of data."""
    family = tag.type.value.split(".")[0]
    return max((other.score for other in others if other.type.value.split(".")[0] == family), default=0.0)


def span_evidence(tag: Tag, text: str) -> Iterator[Evidence]:
    """What each agent says of a tag whose characters are ``text``, each once."""
    seen = set()
    for span in tag.spans:
        key = (span.agent, span.type, span.detail)
        if key not in seen:
            seen.add(key)
            shown = text[span.start - tag.start : span.end - tag.start] or text
            yield Evidence(span.agent, shown, span.type, span.score, span.variance, span.detail)


def _harmless(frame: int | None, line: TextLine, readings: list[Evidence]) -> Draft:
    """A line in which nothing private was seen: ignored, unless nobody can say that it was read rightly."""
    confidence = max((e.score for e in readings), default=0.0)
    first = readings[0] if readings else None
    alike = agreement(readings)
    unread = first is None or (first.score < _UNREAD_CONFIDENCE and alike < _UNREAD_AGREEMENT)
    # Letters and scales ("L", "R", "10") are read badly by everyone and tell nothing.
    if unread and not 0 < len(line.text) <= 2:
        return _unread(frame, line, alike, "text that the readers could not read or read differently")
    variance = _spread(alike)
    reason = f"read with confidence {confidence:.2f}; nothing private in it"
    return Draft(frame, line.polygon, None, line.text, None, 0.0, variance, Action.KEEP, line.evidence, reason)


def _unread(frame: int | None, line: TextLine, agreement: float, reason: str) -> Draft:
    """A line that nobody could read, as likely private as it is text, but never likely enough to act alone."""
    located = max((e.score for e in line.evidence if e.text is None), default=0.5)
    score, variance = round(min(_MOST_UNREAD, located), 4), _spread(agreement)
    kind = EntityType.UNREAD
    return Draft(frame, line.polygon, None, line.text, kind, score, variance, Action.REDACT, line.evidence, reason)


def agreement(readings: list[Evidence]) -> float:
    """How alike the first two readings are, 0 to 1; 1 for a single one."""
    if len(readings) < 2:
        return 1.0
    texts = ["".join(c for c in plain(e.text or "") if c.isalnum()) for e in readings]
    return fuzz.ratio(texts[0], texts[1]) / 100 if any(texts) else 0.0


def _spread(agreement: float) -> float:
    return round((1 - agreement) ** 2 / 4, 4)


def profile_evidence(text: str, kind: EntityType | None, reason: str) -> Evidence:
    """Evidence of the header profile: the attribute's meaning says that its value is private."""
    return Evidence("profile", text, kind, 1.0, 0.0, reason)
