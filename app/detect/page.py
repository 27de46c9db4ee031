"""A page that is searched: what a policy says of pages, and what is asked of one again and again."""

from __future__ import annotations

from dataclasses import dataclass, field

from deidra.app.detect.layout.pairs import Beside
from deidra.app.detect.layout.sides import Surroundings
from deidra.app.detect.layout.unlabelled import latest_year
from deidra.app.detect.layout.wordings import Meaning, Side
from deidra.app.detect.spans import Span
from deidra.app.detect.tagger import EntityTagger, Tag
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import FrameText
from deidra.app.domain.taxonomy import EntityType

_SPACING = 2.6
"""Heights from the top of one line of a paragraph to that of the next, at most."""


@dataclass(frozen=True, slots=True)
class PageRules:
    """What a policy says of pages.

    Args:
        types_off: types that are not private on pages.
        health: what stands beside the label of a state of health is private.
        labels_clear: numbers and dates beside the label of something harmless are not private, whatever their form.
        signatures: signatures are private.
        machine_zones: lines for machines on passports and identity cards are.
        portraits: faces are.
    """

    types_off: frozenset[EntityType] = frozenset()
    health: bool = False
    labels_clear: bool = False
    signatures: bool = True
    machine_zones: bool = True
    portraits: bool = True

    def counts(self, meaning: Meaning) -> bool:
        """Whether the value of a label is private on pages."""
        if meaning.type is None or (meaning.type is EntityType.HEALTH and not self.health):
            return False
        if meaning.name == "signature" and not self.signatures:
            return False
        return meaning.type not in self.types_off


@dataclass(slots=True)
class Page:
    """One page: its text, and for each line the labels elsewhere whose value it is (``places``), and what of a known
    identifier it shares with a line beside it (``split``).

    The rest is filled when it is first asked for.
    """

    frame: FrameText
    tagger: EntityTagger
    rules: PageRules
    places: list[tuple[Beside, ...]]
    split: list[list[Span]]
    around: Surroundings | None = None
    sides: dict[int, Side] = field(default_factory=dict)
    read: dict[str, list[Tag]] = field(default_factory=dict)
    years: list[int | None] = field(default_factory=list)

    def latest(self) -> int | None:
        """The latest year of its dates."""
        if not self.years:
            self.years.append(latest_year([line.text for line in self.frame.lines]))
        return self.years[0]

    def begun(self, number: int) -> str:
        """The text of the line above a line, with a blank; empty where none stands there."""
        above = self.above(number)
        return "" if above is None else f"{self.frame.lines[above].text} "

    def above(self, number: int) -> int | None:
        """The line right above a line, in which its sentence may have begun."""
        box = bounding_box(self.frame.lines[number].polygon)
        height = max(1, box[3] - box[1])
        near = []
        for other, line in enumerate(self.frame.lines):
            above = bounding_box(line.polygon)
            if 0.4 * height <= box[1] - above[1] <= _SPACING * height and abs(above[0] - box[0]) <= 2 * height:
                near.append((box[1] - above[1], other))
        return min(near)[1] if near else None

    def tags_of(self, number: int, text: str) -> list[Tag]:
        """What the tagger says of one reading of a line, with what is known of the line from those beside it."""
        if self.split[number] and text == self.frame.lines[number].text:
            return self.tagger.tags(text, more=self.split[number])
        return self.tags(text)

    def tags(self, text: str) -> list[Tag]:
        """What the tagger says of a text; a page asks several times."""
        if text not in self.read:
            self.read[text] = self.tagger.tags(text)
        return self.read[text]

    def side(self, number: int) -> Side:
        """Whose the details of a line are."""
        if self.around is None:
            tags = [self.tags(line.text) for line in self.frame.lines]
            self.around = Surroundings(self.frame.lines, self.frame.height, tags)
        if number not in self.sides:
            self.sides[number] = self.around.side(number)
        return self.sides[number]
