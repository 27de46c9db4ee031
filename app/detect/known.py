"""Known identifiers: values read from the project's headers, looked for in any other text.

What is found is certain in a way that no rule can be: the header says that this is the patient's name, number or
address. How each kind is compared is told in :mod:`names`, :mod:`codes` and :mod:`phrases`. The work on a text does
not grow with the number of identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from deidra.app.detect.codes import KnownCodes, KnownDays, KnownNumbers
from deidra.app.detect.comparable import comparable
from deidra.app.detect.gazetteer import is_name, is_safe
from deidra.app.detect.names import KnownNames, name_parts
from deidra.app.detect.phrases import KnownPhrases, KnownPlaces
from deidra.app.detect.spans import KNOWN, Span
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

__all__ = ["AGENT", "KnownIdentifiers", "name_parts"]

AGENT = KNOWN
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_WORDS = re.compile(r"[\s_^.,\-]+")
_DATES = (EntityType.DATE_BIRTH, EntityType.DATE_OTHER)
_IDS = (EntityType.ID_MRN, EntityType.ID_OTHER, EntityType.ID_SSN, EntityType.OTHERPHI)
_PHONES = (EntityType.PHONE_HOME, EntityType.PHONE_OTHER)


def _is_wording(value: str) -> bool:
    """Whether an identifier is made of words, not all of them everyday ones: a name where a number should be."""
    words = _WORDS.split(value.strip())
    return len(words) > 1 and all(w.isalpha() for w in words) and any(is_name(w) or not is_safe(w) for w in words)


class KnownIdentifiers:
    """Looks for the identifiers of a project in texts.

    Args:
        identifiers: those of all patients; texts of one patient's files match all of them, since a
            wrong name in a picture is a real person's name all the same.
    """

    def __init__(self, identifiers: Iterable[Identifier]) -> None:
        self._names = KnownNames()
        self._days = KnownDays()
        self._codes = KnownCodes()
        self._numbers = KnownNumbers(self._codes)
        self._phrases = KnownPhrases()
        self._places = KnownPlaces()
        for item in identifiers:
            self._add(item)

    def _add(self, item: Identifier) -> None:
        value = comparable(item.value)
        item = item if value is None else replace(item, value=value.text)
        if item.type in _NAMES:
            self._names.add(item)
        elif item.type in _DATES:
            self._days.add(item)
        elif item.type in _PHONES:
            self._numbers.add(item)
        elif item.type in _IDS:
            self._codes.add(item)
            if _is_wording(item.value):
                self._phrases.add(item)
        elif not item.source.endswith("AETitle"):
            self._phrases.add(item)
        if item.type is EntityType.HOSPITAL or item.source == "StationName":
            self._places.add(item)

    def spans(self, text: str, title: bool = False) -> Iterator[Span]:
        """Every part of ``text`` that is a known identifier.

        Args:
            text: one line, field value or sentence.
            title: the text is the title of an application entity or the name of a station.
        """
        composed = comparable(text)
        if composed is not None:
            for span in self.spans(composed.text, title):
                start, end = composed.place(span.start, span.end)
                yield replace(span, start=start, end=end)
            return
        yield from self._names.spans(text)
        yield from self._days.spans(text)
        yield from self._codes.spans(text)
        yield from self._codes.literal_spans(text)
        yield from self._numbers.spans(text)
        yield from self._phrases.spans(text)
        yield from self._places.spans(text, title)
