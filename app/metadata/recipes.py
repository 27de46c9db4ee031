"""Recipes: rules of a policy that override the profile for some elements of some files (paper 003, tier 1)."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydicom.dataelem import DataElement

_STEP = re.compile(r"^\(([0-9A-Fa-fxX]{4}),([0-9A-Fa-fxX]{4})\)(?:\[(\d+|\*)\])?$")
_TAG = re.compile(r"^\(?([0-9A-Fa-fxX]{4}),?([0-9A-Fa-fxX]{4})\)?$")


class RuleAction(StrEnum):
    """What a rule does with the elements that it names."""

    KEEP = "keep"
    REMOVE = "remove"
    EMPTY = "empty"
    DUMMY = "dummy"
    REPLACE = "replace"
    REMAP = "remap"
    SHIFT = "shift"
    CLEAN = "clean"
    HASH = "hash"


@dataclass(frozen=True, slots=True)
class Rule:
    """Elements that match all given selectors get ``action``; the first rule that matches counts.

    Args:
        action: what is done.
        tag: ``(gggg,eeee)``; an ``x`` stands for any digit.
        keyword: the element's keyword; ``*`` and ``?`` as in file names.
        vr: the element's value representation.
        creator: the private creator of a private element.
        value: the new value of a replacement.
        path: where the element stands, such as ``(0040,0275)[*]/(0040,0007)``.
        when: the rule counts only in files where these keywords have these values (patterns as above).
    """

    action: RuleAction
    tag: str = ""
    keyword: str = ""
    vr: str = ""
    creator: str = ""
    value: str = ""
    path: str = ""
    when: tuple[tuple[str, str], ...] = field(default=())

    def matches(self, element: DataElement, creator: str, path: str) -> bool:
        """True when the rule names this element, which stands at ``path``."""
        if self.tag and not tag_pattern(self.tag).fullmatch(f"{element.tag.group:04X}{element.tag.element:04X}"):
            return False
        if self.path and not path_pattern(self.path).fullmatch(path):
            return False
        if self.keyword and not fnmatch.fnmatchcase(element.keyword, self.keyword):
            return False
        if self.vr and str(element.VR) != self.vr:
            return False
        return not self.creator or (element.tag.is_private and fnmatch.fnmatchcase(creator, self.creator))

    @property
    def names_one(self) -> bool:
        """True when the rule names a single attribute, not a kind of them."""
        return bool((self.keyword and not set(self.keyword) & set("*?[")) or (self.tag and "x" not in self.tag.lower()))

    def counts_in(self, facts: Mapping[str, str]) -> bool:
        """True when a file's values (by keyword) fulfil the rule's conditions."""
        return all(
            fnmatch.fnmatchcase(facts.get(keyword, "").casefold(), pattern.casefold()) for keyword, pattern in self.when
        )


@functools.cache
def tag_pattern(text: str) -> re.Pattern[str]:
    """A tag with wildcards as a pattern for eight hexadecimal digits.

    Raises:
        ValueError: it is no tag.
    """
    match = _TAG.match(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no tag: write (gggg,eeee), with x for any digit")
    return re.compile((match[1] + match[2]).upper().replace("X", "[0-9A-F]"))


@functools.cache
def path_pattern(text: str) -> re.Pattern[str]:
    """A path with wildcards: ``x`` stands for a digit of a tag, ``[*]`` for any item, ``**/`` for any sequences.

    Raises:
        ValueError: it is no path.
    """
    steps = []
    for step in text.strip().split("/"):
        match = _STEP.match(step)
        if step == "**":
            steps.append("(?:.*/)?")
        elif match is None:
            raise ValueError(f"{text!r} is no path: write (gggg,eeee)[item]/(gggg,eeee), with [*] for any item")
        else:
            tag = (match[1] + "," + match[2]).upper().replace("X", "[0-9A-F]")
            item = {None: "", "*": r"\[\d+\]"}.get(match[3], rf"\[{match[3]}\]")
            steps.append(rf"\({tag}\){item}/")
    if steps[-1] == "(?:.*/)?":
        raise ValueError(f"{text!r} does not end with an element")
    return re.compile("".join(steps)[:-1])
