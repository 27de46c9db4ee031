"""Which label a line of a page belongs to, by where they stand.

A value stands behind its label on the same line, right of it, in the cell below it, or in its column of a table. Its
lines below go with it where a value may have several, as addresses have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from deidra.app.detect.agents import UNREADABLE
from deidra.app.detect.layout.forms import LIKELY, NUMERIC, is_filled, is_option, values_in
from deidra.app.detect.layout.inline import Label, has_value, labels_in
from deidra.app.detect.layout.wordings import UNKNOWN, Meaning, label_meaning
from deidra.app.domain.geometry import Box, bounding_box, slice_along
from deidra.app.domain.model import TextLine

_FARTHEST_RIGHT, _FARTHEST_RIGHT_BARE = 30.0, 14.0
"""Heights of a line between a label, with or without a colon, and its value on the right."""
_FARTHEST_BELOW = 2.2
_BELOW_COST, _BELOW_FACTOR, _ASIDE = 1.5, 3.0, 2.5
_ROW_GAP, _MOST_ROWS = 2.5, 40
_LINE_GAP = 0.9
_CUT_SLACK = 1.0
_OPEN_END = re.compile(r"(?:[,/&]|(?<!\w)(?:of|and|or|the|your))\s*$", re.IGNORECASE)
_MOST_UPPER = 48
_UPPER_HALF = replace(UNKNOWN, name="the upper half of a label")
WELL_READ = 0.9
"""A reading of a reader that is surer than this is taken for what stands there."""
_OPTION_GAP, _OPTION_LINES = 30.0, 8.0
"""Heights of a line within which options of one question stand, across and down."""


@dataclass(frozen=True, slots=True)
class Beside:
    """From a share ``start`` (0 to 1) of its length on, a line is the value of a label that stands elsewhere."""

    start: float
    label: str
    meaning: Meaning


@dataclass(slots=True)
class _Row:
    """A line with its box and labels."""

    line: TextLine
    box: Box
    labels: list[Label]
    claims: list[tuple[float, _Open]] = field(default_factory=list)

    @property
    def height(self) -> int:
        return max(1, self.box[3] - self.box[1])

    @property
    def takes(self) -> bool:
        """Whether text stands in the line before any label; what was read badly is hardly a label of no list."""
        if self.labels and self.labels[0].meaning is UNKNOWN and not _is_well_read(self.line):
            return True
        end = self.labels[0].start if self.labels else len(self.line.text)
        return is_filled(self.line.text[:end]) or (not self.line.text.strip() and not self.labels)


@dataclass(frozen=True, slots=True)
class _Open:
    """A label whose value stands elsewhere."""

    text: str
    meaning: Meaning
    box: Box
    has_colon: bool
    owner: int


def beside(lines: Sequence[TextLine]) -> list[tuple[Beside, ...]]:
    """For each line the labels elsewhere whose value it is, from left to right; several for cells read as one line."""
    rows = [_Row(line, bounding_box(line.polygon), labels_in(line.text)) for line in lines]
    _join(rows)
    opened = [one for number, row in enumerate(rows) for one in _open(number, row)]
    for label in opened:
        _claim(label, rows, opened)
    found = [_settled(row) for row in rows]
    _go_on(rows, found)
    _options(rows, found)
    return found


def _join(rows: list[_Row]) -> None:
    """Labels of two lines ("Name and address of" / "your employer"): both tell what they mean, on the second."""
    for row in rows:
        if any(has_value(row.line.text, label) for label in row.labels) or not _goes_on(row.line.text):
            continue
        below = _next_line(rows, row.box, row.box[0], row.height)
        if below is None or rows[below] is row or len(rows[below].labels) > 1:
            continue
        text = rows[below].line.text
        end = rows[below].labels[0].end if rows[below].labels else len(text)
        meaning = label_meaning(f"{row.line.text.rstrip('-')} {text[:end].strip(' :?')}", True)
        if meaning is not None and not text[:end].strip()[:1].isdigit():
            has_colon = text[:end].rstrip().endswith((":", "?"))
            rows[below].labels = [Label(0, end, len(text), meaning, has_colon)]
            row.labels = [Label(0, len(row.line.text), len(row.line.text), _UPPER_HALF, False)]


def _goes_on(text: str) -> bool:
    """Whether a line is the upper half of something: its last word or mark asks for more."""
    return bool(_OPEN_END.search(text)) and len(text) <= _MOST_UPPER


def _is_well_read(line: TextLine) -> bool:
    readings = [e.score for e in line.evidence if e.text is not None]
    return line.kind not in UNREADABLE and (not readings or max(readings) >= WELL_READ)


def _open(number: int, row: _Row) -> list[_Open]:
    line, found = row.line, []
    for label in row.labels:
        if label.meaning is _UPPER_HALF or has_value(line.text, label):
            continue
        polygon = line.polygon
        if len(line.char_spans) == len(line.text) and len(polygon) == 4 and label.end > label.start:
            polygon = slice_along(polygon, line.char_spans[label.start][0], line.char_spans[label.end - 1][1])
        words = line.text[label.start : label.end]
        found.append(_Open(words, label.meaning, bounding_box(polygon), label.has_colon, number))
    return found


def _claim(label: _Open, rows: list[_Row], opened: list[_Open]) -> None:
    """Let the nearest line on the right, the line below, or a column of lines be claimed by a label."""
    height = max(1, label.box[3] - label.box[1])
    right = _nearest_right(label, rows, height)
    far = _FARTHEST_RIGHT if label.has_colon else _FARTHEST_RIGHT_BARE
    has_right = right is not None and right[0] <= far and rows[right[1]].takes
    if right is not None and has_right:
        rows[right[1]].claims.append((right[0] * (1 if label.has_colon else 1.5), label))
        if _is_answer(label.meaning, rows[right[1]]):
            return
    in_header = not has_right and any(_is_same_row(label.box, o.box) for o in opened if o is not label)
    for number, cost in _below(label, rows, height, in_header):
        rows[number].claims.append((cost, label))


def _is_answer(meaning: Meaning, row: _Row) -> bool:
    """Whether a line is surely the value of a label, so that nothing else is; or nobody can read it."""
    end = row.labels[0].start if row.labels else len(row.line.text)
    values = values_in(meaning, row.line.text, 0, end)
    return not row.line.text.strip() or any(value.score >= LIKELY for value in values)


def _is_same_row(a: Box, b: Box) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _nearest_right(label: _Open, rows: list[_Row], height: int) -> tuple[float, int] | None:
    found = None
    for number, row in enumerate(rows):
        if number == label.owner or not _is_same_row(label.box, row.box) or row.box[0] < label.box[2] - height:
            continue
        gap = max(0.0, (row.box[0] - label.box[2]) / height)
        if found is None or gap < found[0]:
            found = gap, number
    return found


def _below(label: _Open, rows: list[_Row], height: int, in_header: bool) -> list[tuple[int, float]]:
    """Lines below a label and what claiming them costs: one, or those of a column below a header."""
    last = label.box
    found: list[tuple[int, float]] = []
    under = sorted(
        (row.box[1], number)
        for number, row in enumerate(rows)
        if number != label.owner and _is_under(label, row, height)
    )
    most = _MOST_ROWS if in_header else 1
    for top, number in under:
        row = rows[number]
        gap = (top - last[3]) / height
        if gap < -0.4:
            continue
        if gap > (_FARTHEST_BELOW if not found else _ROW_GAP) or not row.takes or len(found) == most:
            break
        cost = _BELOW_COST + _BELOW_FACTOR * max(0.0, gap) + (2 if label.has_colon else 0)
        found.append((number, cost if not found else found[0][1] + 0.1))
        last = row.box
    return found


def _is_under(label: _Open, row: _Row, height: int) -> bool:
    if row.box[1] < label.box[3] - 0.4 * height:
        return False
    aligned = abs(row.box[0] - label.box[0]) <= _ASIDE * height
    return aligned or (row.box[0] < label.box[2] and row.box[2] > label.box[0])


def _settled(row: _Row) -> tuple[Beside, ...]:
    """The labels that a line belongs to: the nearest, or one for each column where one line was read across several."""
    if not row.claims or not row.takes:
        return ()
    cost, best = min(row.claims, key=lambda claim: claim[0])
    width = max(1, row.box[2] - row.box[0])
    columns = sorted(
        {
            one
            for c, one in row.claims
            if c <= cost + 1.5 and _is_same_row(one.box, best.box) and one.box[3] <= row.box[3]
        },
        key=lambda one: one.box[0],
    )
    if best.box[1] + best.box[3] >= row.box[1] + row.box[3] - row.height or len(columns) < 2:
        return (Beside(0.0, best.text, best.meaning),)
    if not any(row.box[0] <= one.box[0] + _CUT_SLACK * row.height < row.box[2] for one in columns[1:]):
        # Only one of them stands over the line's start.
        return (Beside(0.0, best.text, best.meaning),)
    starts = [(one.box[0] - _CUT_SLACK * row.height - row.box[0]) / width for one in columns]
    return tuple(
        Beside(0.0 if not number else max(0.0, start), one.text, one.meaning)
        for number, (start, one) in enumerate(zip(starts, columns, strict=True))
        if start < 1
    )


def _go_on(rows: list[_Row], found: list[tuple[Beside, ...]]) -> None:
    """Values of several lines: what stands right below the first, in line with it, and is of their form."""
    for number, row in enumerate(rows):
        filled = [label for label in row.labels if has_value(row.line.text, label)]
        for one in filled:
            if not _is_whole(one.meaning, row.line.text, one.end, one.until):
                _follow(rows, found, row, Beside(0.0, row.line.text[one.start : one.end], one.meaning), _left(row, one))
        if not filled and found[number]:
            last = found[number][-1]
            begin = round(last.start * len(row.line.text))
            if _is_whole(last.meaning, row.line.text, begin, len(row.line.text)):
                continue
            _follow(rows, found, row, last, row.box[0] + last.start * (row.box[2] - row.box[0]))


def _is_whole(meaning: Meaning, text: str, start: int, end: int) -> bool:
    """Whether the value of a date or number ends on its line; addresses may always go on."""
    return meaning.form in NUMERIC and any(one.score >= LIKELY for one in values_in(meaning, text, start, end))


def _follow(rows: list[_Row], found: list[tuple[Beside, ...]], row: _Row, first: Beside, left: float) -> None:
    """Give the lines below the first of a value, which begins at ``left``, the meaning of that one."""
    box = row.box
    for _ in range(first.meaning.lines - 1):
        following = _next_line(rows, box, left, row.height)
        if following is None or found[following] or not rows[following].takes or rows[following].labels:
            break
        text = rows[following].line.text
        if not values_in(first.meaning, text, 0, len(text)):
            break
        found[following] = (Beside(0.0, first.label, first.meaning),)
        box = rows[following].box


def _options(rows: list[_Row], found: list[tuple[Beside, ...]]) -> None:
    """All options of a question: what is ticked is told by what is not."""
    for number, row in enumerate(rows):
        inline = row.labels[-1] if row.labels and has_value(row.line.text, row.labels[-1]) else None
        if inline is not None and inline.meaning.options:
            one = Beside(0.0, row.line.text[inline.start : inline.end], inline.meaning)
        elif found[number] and found[number][-1].meaning.options:
            one = Beside(0.0, found[number][-1].label, found[number][-1].meaning)
        else:
            continue
        for other, near in enumerate(rows):
            if other == number or found[other] or near.labels or not is_option(one.meaning, near.line.text):
                continue
            gap = max(near.box[0] - row.box[2], row.box[0] - near.box[2]) / row.height
            below = (near.box[1] - row.box[3]) / row.height
            listed = 0 <= below <= _OPTION_LINES and abs(near.box[0] - row.box[0]) <= row.height
            if (_is_same_row(row.box, near.box) and gap <= _OPTION_GAP) or listed:
                found[other] = (one,)


def _left(row: _Row, label: Label) -> float:
    spans = row.line.char_spans
    share = spans[min(label.end, len(spans) - 1)][0] if spans else 0.0
    return row.box[0] + share * (row.box[2] - row.box[0])


def _next_line(rows: list[_Row], box: Box, left: float, height: int) -> int | None:
    best = None
    for number, row in enumerate(rows):
        gap = (row.box[1] - box[3]) / height
        near = -0.4 <= gap <= _LINE_GAP and abs(row.box[0] - left) <= 1.5 * height
        if near and (best is None or row.box[1] < rows[best].box[1]):
            best = number
    return best
