"""A custom definition of private text, as a curator gives it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from deidra.app.detect.definitions.shapes import compact
from deidra.app.detect.definitions.standard import singular
from deidra.app.detect.definitions.wording import without_lead
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import EntityType

MOST_CHARACTERS = 200
"""Of an example, a name or a context word."""
_HEAD_ENDS = re.compile(
    r"[,:;.(]|\b(?:that|which|with|consisting|consist|made|formatted|in|like|such|of|starts?|begins?|starting|beginning|"
    r"followed|preceded)\b",
    re.IGNORECASE,
)
_NAME_OF = re.compile(r"\b(?:names?|numbers?|codes?|kinds?|types?)\s+of\s+", re.IGNORECASE)
_GENERIC = frozenset(
    "number code id identifier name text value no nr digit letter information data word private long new old all any "  # noqa: SIM905
    "two three four five six seven eight nine ten eleven twelve and or a an the character record string".split()
)
"""Words that stand near anything: they are no context."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What is private, in a sentence and by examples.

    Args:
        name: what the type is called in findings and reports: "passport numbers".
        description: says more of it, in words: "a letter and eight digits".
        examples: texts that are of the type, as they are written.
        counter_examples: texts that look so and are not.
        context: words near which the type stands, beside those of the name.
        pattern: a regular expression in place of what would be induced; empty: none.
        type: the type whose risk and replacement count; None: told by the name, else an identifier for codes and
            another private detail for words.
    """

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    pattern: str = ""
    type: EntityType | None = None

    def checked(self) -> Definition:
        """The definition without blanks around its texts and without texts that are given twice.

        Raises:
            PolicyError: the name or an example is empty or too long, or an example is a counter-example as well. No
                example is quoted.
        """
        made = replace(
            self,
            name=without_lead(self.name),
            description=self.description.strip(),
            examples=_each_once(self.examples),
            counter_examples=_each_once(self.counter_examples),
            context=_each_once(self.context),
        )
        if not made.name or len(made.name) > MOST_CHARACTERS:
            raise PolicyError("A definition needs a name.", f"Give a name of at most {MOST_CHARACTERS} characters.")
        for kind, texts in (("example", made.examples), ("counter-example", made.counter_examples)):
            for number, text in enumerate(texts, 1):
                if not compact(text) or len(text) > MOST_CHARACTERS:
                    raise PolicyError(
                        f"{made.name}: {kind} {number} holds no letter or digit, or is too long.",
                        f"Give texts of at most {MOST_CHARACTERS} characters as they are written.",
                    )
        both = {folded(text) for text in made.examples} & {folded(text) for text in made.counter_examples}
        if both:
            number = next(n for n, text in enumerate(made.examples, 1) if folded(text) in both)
            raise PolicyError(f"{made.name}: example {number} is a counter-example as well.", "Take one of them out.")
        return made

    @property
    def sentence(self) -> str:
        """Name and description as one sentence."""
        return f"{self.name}: {without_lead(self.description)}" if self.description else self.name

    @property
    def context_words(self) -> tuple[str, ...]:
        """Words near which the type stands: those given, and the nouns of name and description, in the singular."""
        told = [_NAME_OF.sub("", text) for text in (self.name, without_lead(self.description))]
        heads = [_HEAD_ENDS.split(text, maxsplit=1)[0] for text in told]
        nouns = [word for head in heads for word in singular(head).split()]
        own = [word for word in nouns if word not in _GENERIC and not word[0].isdigit() and len(word) > 1]
        return tuple(dict.fromkeys([*(singular(word) for word in self.context), *own]))


def folded(text: str) -> str:
    """A text as examples are compared: blanks made one, small letters."""
    return " ".join(text.split()).casefold()


def _each_once(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts))
