"""Whose a phone number or an address is that no label calls home or office: what stands around it tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deidra.app.detect.layout.inline import labels_in
from deidra.app.detect.layout.wordings import Side, context_words, heading_side, holds_words
from deidra.app.detect.tagger import Tag
from deidra.app.detect.vocabulary import plain
from deidra.app.domain.geometry import Box, bounding_box
from deidra.app.domain.model import TextLine
from deidra.app.domain.taxonomy import EntityType

_NEAR = 4.5
"""Heights of a line above and below that belong to the same block."""
_HEADING_REACH = 30.0
_TOP = 0.25
_PERSONAL = (EntityType.DATE_BIRTH, EntityType.ID_SSN, EntityType.ID_MRN, EntityType.DEMOG, EntityType.AGE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)][.!?])\s+(?=[A-Z])")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_PROSE = 2
"""Words in small letters of a sentence."""
_AT = re.compile(r"@[\w.\-]+\.(?:edu|gov|org)\b", re.IGNORECASE)


def sentence_side(before: str, after: str = "") -> Side:
    """Whose a detail in the middle of prose is: the nearest word before it that tells, else the nearest behind it.

    ``Side.EITHER`` where none tells, or where it stands in no prose.

    Args:
        before: what stands before it, from the beginning of its sentence or earlier.
        after: what stands behind it.
    """
    begun = _SENTENCE_END.split(before)[-1]
    ended = _SENTENCE_END.split(after)[0]
    if sum(word.islower() for word in _LETTERS.findall(f"{begun} {ended}")) < _LEAST_PROSE:
        return Side.EITHER
    for words in (reversed(_LETTERS.findall(plain(begun))), _LETTERS.findall(plain(ended))):
        for word in words:
            for side in (Side.OFFICE, Side.HOME):
                if word in context_words(f"prose_{side.value}"):
                    return side
    return Side.EITHER


class Surroundings:
    """The lines of a page, asked for what stands around one of them.

    Args:
        lines: of the page.
        height: of the page in pixels.
        tags: what is private in each line.
    """

    def __init__(self, lines: Sequence[TextLine], height: int, tags: Sequence[Sequence[Tag]]) -> None:
        self._lines, self._height, self._tags = lines, height, tags
        self._boxes = [bounding_box(line.polygon) for line in lines]
        self._headings = [heading_side(line.text) for line in lines]
        texts = [line.text for line in lines]
        self._is_resume = sum(any(holds_words(text, [word]) for text in texts) for word in context_words("resume")) >= 3

    def side(self, number: int) -> Side:
        """Whose the details of a line are; ``Side.EITHER`` where nothing tells."""
        heading = self._heading_above(number)
        votes = [self._says(other) for other in self._block(number)]
        home, office = votes.count(Side.HOME), votes.count(Side.OFFICE)
        if self._is_resume and self._boxes[number][1] < _TOP * self._height and office <= home + 1:
            return Side.HOME
        if heading is not None and (
            home == 0 or office == 0 or heading is (Side.HOME if home > office else Side.OFFICE)
        ):
            return heading if not (heading is Side.HOME and office > home + 1) else Side.EITHER
        if home == office:
            return Side.EITHER
        return Side.HOME if home > office else Side.OFFICE

    def _heading_above(self, number: int) -> Side | None:
        top, left = self._boxes[number][1], self._boxes[number][0]
        height = max(1, self._boxes[number][3] - top)
        above = [
            (box[1], -abs(box[0] - left), side)
            for box, side in zip(self._boxes, self._headings, strict=True)
            if side is not None and box[3] <= top + height and top - box[1] <= _HEADING_REACH * height
        ]
        return max(above)[2] if above else None

    def _block(self, number: int) -> list[int]:
        box = self._boxes[number]
        height = max(1, box[3] - box[1])
        return [other for other in range(len(self._lines)) if _is_near(box, self._boxes[other], height)]

    def _says(self, number: int) -> Side | None:
        text = self._lines[number].text
        if holds_words(text, context_words("office")) or _AT.search(text):
            return Side.OFFICE
        for tag in self._tags[number]:
            if tag.type in (EntityType.HOSPITAL, EntityType.PATORG):
                return Side.OFFICE
        meanings = [label.meaning for label in labels_in(text)]
        if any(meaning.type in _PERSONAL or meaning.side is Side.HOME for meaning in meanings):
            return Side.HOME
        if any(meaning.side is Side.OFFICE for meaning in meanings):
            return Side.OFFICE
        if holds_words(text, context_words("home")):
            return Side.HOME
        if any(tag.type in _PERSONAL for tag in self._tags[number]):
            return Side.HOME
        names = [tag for tag in self._tags[number] if tag.type is EntityType.PATIENT and tag.score >= 0.8]
        return Side.HOME if names else None


def _is_near(box: Box, other: Box, height: int) -> bool:
    gap = max(other[1] - box[3], box[1] - other[3])
    return gap <= _NEAR * height and other[0] < box[2] + 6 * height and other[2] > box[0] - 6 * height
