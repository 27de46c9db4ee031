"""Questions to a curator: which of what a definition finds is of its type? Answers become examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from deidra.app.detect.definitions.definition import Definition, folded
from deidra.app.detect.definitions.matcher import Match

MOST_QUESTIONS = 5
_SURE = 0.95


def borderline(matches: Iterable[Match], definition: Definition, most: int = MOST_QUESTIONS) -> list[Match]:
    """Up to ``most`` matches whose answers tell most, the most telling first.

    What is nearest to even odds comes first, and of each form as many in turn, since one answer says something of all
    of a form. Nothing is asked that an example or counter-example has answered, and nothing that is beyond doubt.
    """
    answered = {folded(text) for text in (*definition.examples, *definition.counter_examples)}
    open_: dict[str, Match] = {}
    for match in matches:
        key = folded(match.text)
        if key in answered or match.score >= _SURE:
            continue
        if key not in open_ or match.score > open_[key].score:
            open_[key] = match
    ordered = sorted(open_.values(), key=lambda m: (abs(m.score - 0.5), m.text))
    turns: dict[str, int] = {}
    ranked = []
    for match in ordered:
        turn = turns[match.form] = turns.get(match.form, -1) + 1
        ranked.append((turn, match))
    return [match for _, match in sorted(ranked, key=lambda pair: pair[0])][:most]


def answered(definition: Definition, questions: Sequence[Match], answers: Sequence[bool]) -> Definition:
    """The definition with confirmed texts as examples, and refused ones as counter-examples.

    Raises:
        ValueError: there are more answers than questions.
    """
    if len(answers) > len(questions):
        raise ValueError("more answers than questions")
    said = list(zip(questions, answers, strict=False))
    yes = tuple(match.text for match, answer in said if answer)
    no = tuple(match.text for match, answer in said if not answer)
    return replace(
        definition, examples=(*definition.examples, *yes), counter_examples=(*definition.counter_examples, *no)
    ).checked()
