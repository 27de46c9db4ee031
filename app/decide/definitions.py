"""Definitions in a policy: types of private text that it describes, and the sentence that names all there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, field_validator

from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.induce import induced
from deidra.app.detect.definitions.matcher import Matcher
from deidra.app.detect.definitions.standard import phrases_of, singular, standard_types
from deidra.app.detect.definitions.wording import without_form, without_lead, wording_of
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import EntityType


class DefinitionEntry(BaseModel):
    """One ``[[definitions]]`` table; see :class:`deidra.app.detect.definitions.definition.Definition`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="what the type is called: passport numbers")
    description: str = Field("", description="more of it in words: a letter and eight digits")
    examples: tuple[str, ...] = Field((), description="texts of the type; made-up ones will do")
    counter_examples: tuple[str, ...] = Field((), description="texts that look so and are not; they are never found")
    context: tuple[str, ...] = Field((), description="words near which it stands, beside those of the name")
    pattern: str = Field("", description="a regular expression in place of what would be induced")
    type: EntityType | None = Field(
        None, description="the type whose risk and surrogate count; told by the name if none"
    )

    @field_validator("type")
    @classmethod
    def _private(cls, kind: EntityType | None) -> EntityType | None:
        if kind is EntityType.UNREAD:
            raise ValueError("text that could not be read cannot be defined")
        return kind

    @property
    def definition(self) -> Definition:
        """The entry as the detecting side takes it."""
        return Definition(
            self.name, self.description, self.examples, self.counter_examples, self.context, self.pattern, self.type
        )

    @classmethod
    def of(cls, definition: Definition) -> DefinitionEntry:
        """The entry of a definition."""
        names = cls.model_fields
        return cls(**{name: getattr(definition, name) for name in names})


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the definitions and the sentence of a policy come to: ``matchers`` in force and ``types_off``."""

    matchers: tuple[Matcher, ...]
    types_off: frozenset[EntityType]

    @property
    def health(self) -> bool:
        """Whether diagnoses are named."""
        return any(EntityType.HEALTH in matcher.types for matcher in self.matchers)


def chosen(entries: Sequence[DefinitionEntry], only: str, types_off: Sequence[EntityType]) -> Chosen:
    """The definitions in force, and the types that are not private.

    Without a sentence all definitions are in force, and types are off as given unless a definition names them. With one
    exactly the types that it names are private; text that nobody can read still goes to a curator, since it may be of
    such a type.

    Args:
        entries: the policy's definitions.
        only: the sentence, such as "names, dates of birth and passport numbers"; empty: none.
        types_off: types that the policy switches off; not looked at where there is a sentence.

    Raises:
        PolicyError: a definition is not valid, two have one name, or the sentence names what nobody has defined.
    """
    defined = [entry.definition for entry in entries]
    names = [singular(definition.name) for definition in defined]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PolicyError(f"There are two definitions of {defined[number].name}.", "Put them together.")
    matchers = [induced(definition) for definition in defined]
    if only:
        matchers = [
            _named(phrase, more, dict(zip(names, matchers, strict=True))) for phrase, more in _phrases(only, names)
        ]
    on = {kind for matcher in matchers for kind in matcher.types}
    off = set(EntityType) - {EntityType.UNREAD} if only else set(types_off)
    return Chosen(tuple(matchers), frozenset(off - on))


def _phrases(only: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """What a sentence enumerates, each with what it says of the form: ("passports", "a letter and eight digits")."""
    found: list[tuple[str, str]] = []
    for phrase in phrases_of(without_lead(only)):
        is_name = singular(phrase) in names or bool(standard_types(phrase))
        if found and not is_name and wording_of(phrase).shapes and not without_form(phrase):
            name, more = found[-1]
            found[-1] = name, f"{more} and {phrase}" if more else phrase
        else:
            found.append((phrase, ""))
    if not found:
        raise PolicyError("detect.only: the sentence names nothing.", "Write, for example: names and dates of birth")
    return found


def _named(phrase: str, more: str, known: dict[str, Matcher]) -> Matcher:
    own = known.get(singular(phrase))
    if own is not None:
        return own
    if not (standard_types(phrase) or more or wording_of(phrase).shapes):
        raise PolicyError(
            f"detect.only: nothing is known of {phrase!r}.",
            "Define it under [[definitions]], or with: deidra define",
        )
    return induced(Definition(phrase, more))
