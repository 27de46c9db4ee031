"""All definitions of a policy, as one agent of the entity tagger."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from deidra.app.detect.definitions.matcher import Matcher
from deidra.app.detect.rules import AGENT as RULES
from deidra.app.detect.rules import is_label
from deidra.app.detect.spans import DEFINITION, KNOWN, Span
from deidra.app.domain.model import Evidence
from deidra.app.domain.taxonomy import EntityType

_BEYOND_DOUBT = 0.95


class Definitions:
    """What finds the types that a policy defines.

    Args:
        matchers: one for each definition.
        only: nothing else is private, so that what is more surely of a type that is off is of none that is on.
    """

    def __init__(self, matchers: Sequence[Matcher] = (), only: bool = False) -> None:
        self._matchers = tuple(matchers)
        self._only = only

    def counting(self, text: str, keyword: str, spans: Sequence[Span], types_off: Collection[EntityType]) -> list[Span]:
        """Of the spans of others those of types that are private, and what the definitions find.

        No list of harmless words speaks against a definition, and no type that is off: it says what is private.

        Args:
            text: one line, field value or sentence.
            keyword: of the attribute whose value the text is, if any.
            spans: what others say of the text.
            types_off: types that the policy does not count as private.
        """
        off = [span for span in spans if span.type in types_off]
        counting = [span for span in spans if span.type not in types_off]
        if self._only:
            counting = [span for span in counting if not any(_outdoes(other, span) for other in off)]
        for matcher in self._matchers:
            counting += matcher.spans(text, keyword)
            counting += matcher.taken_over(text, off, keyword)
        return counting

    def is_label(self, text: str) -> bool:
        """Whether a text is only the label of a private value, such as "Date of birth:"."""
        return is_label(text) or any(matcher.is_label(text) for matcher in self._matchers)


def _outdoes(other: Span, span: Span) -> bool:
    """Whether a part of a text is more surely, with what is around it, something else ("Hill" in "4 Hill Lane").

    Known identifiers stay, and what a rule knows by its form yields only to what is beyond doubt: a check digit is
    right by accident in one number of ten.
    """
    inside = other.start <= span.start and span.end <= other.end
    least = _BEYOND_DOUBT if span.agent == RULES else span.score
    return inside and span.agent != KNOWN and other.score > max(least, span.score)


def definition_of(said: Iterable[Span | Evidence]) -> str:
    """What spans or evidence of a definition say, such as "definition: passport numbers"; empty: it is of none."""
    return next((one.detail for one in said if one.agent == DEFINITION), "")
