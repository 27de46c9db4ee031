"""What a project knows of its people: what headers say, and names and numbers that surely stand on images."""

from __future__ import annotations

import re

from deidra.app.detect.gazetteer import AGENT as LISTS
from deidra.app.detect.gazetteer import is_safe
from deidra.app.detect.rules import AGENT as RULES
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.models.entity_tagger import NAME as NETWORK
from deidra.storage import ProjectStore
from deidra.storage.findings import Sure

SEEN = "text on an image"
"""Source of an identifier that no header tells."""
_NAMES = (EntityType.PATIENT, EntityType.STAFF)
_NUMBERS = (EntityType.ID_MRN, EntityType.ID_SSN)
_NETWORK, _OTHERS = Sure((NETWORK,), 0.95, 0.02), Sure((RULES, LISTS), 0.85, 1.0)
"""The network must be sure, and a rule or list must say the same: one error would cover harmless words everywhere."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEAST_DIGITS = 5


def known_identifiers(store: ProjectStore) -> list[Identifier]:
    """Every known identifier, without repetition, in a stable order: those of headers first.

    A name counts that is read on an image, is covered without asking, and has two words of which one is no everyday
    word; a number that has five digits. What is said of it there must not rest on another known identifier.
    """
    told = store.assets.identifiers()
    values = {(one.type, one.value.casefold()) for one in told}
    seen = store.findings.agreed((*_NAMES, *_NUMBERS), _NETWORK, _OTHERS)
    return [
        *told,
        *(
            Identifier(one.patient_key, one.type, one.value, SEEN)
            for one in seen
            if (one.type, one.value.casefold()) not in values and _tells(one)
        ),
    ]


def _tells(one: Identifier) -> bool:
    if one.type in _NUMBERS:
        return sum(c.isdigit() for c in one.value) >= _LEAST_DIGITS
    words = _WORD.findall(one.value)
    return len(words) > 1 and not all(is_safe(word) for word in words)
