"""Recipes of the Python tool deid (pydicom/deid): ``%header`` sections with actions such as ``BLANK``.

What names one element stands before what names many, and among equals the stricter first, as deid documents it
(remove, blank, replace, jitter, keep).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import replace

from pydicom.datadict import keyword_dict, tag_for_keyword

from deidra.app.domain.errors import PolicyError
from deidra.app.metadata.recipe_import import (
    OWN_SHIFT,
    PSEUDONYMS,
    TAG,
    WRITTEN_BY_DEIDRA,
    ImportedRule,
    Log,
    NotImported,
    Selector,
    check,
    private_selector,
)
from deidra.app.metadata.recipes import RuleAction


@functools.cache
def _keywords() -> dict[str, str]:
    """Keywords of the standard by their small letters."""
    return {keyword.casefold(): keyword for keyword in keyword_dict if keyword}


_PRIVATE_TAG = re.compile(r"\(?\s*([0-9A-Fa-f]{4})\s*,\s*\"([^\"]+)\"\s*,\s*([0-9A-Fa-f]{2})\s*\)?")


_DEID_ACTIONS = {
    "REMOVE": RuleAction.REMOVE,
    "BLANK": RuleAction.EMPTY,
    "REPLACE": RuleAction.REPLACE,
    "ADD": RuleAction.REPLACE,
    "JITTER": RuleAction.SHIFT,
    "KEEP": RuleAction.KEEP,
}


_STRICTNESS = [
    *(RuleAction.REMOVE, RuleAction.EMPTY, RuleAction.REPLACE, RuleAction.HASH, RuleAction.REMAP),
    *(RuleAction.SHIFT, RuleAction.KEEP),
]


_DEID_FUNCTIONS = {
    "deid_func:simple_uuid": RuleAction.HASH,
    "deid_func:suffix_uuid": RuleAction.HASH,
    "deid_func:dicom_uuid": RuleAction.REMAP,
    "deid_func:jitter": RuleAction.SHIFT,
}


_DEID_SECTIONS = frozenset({"header", "fields", "values", "filter", "labels"})


_DEID_LINE = re.compile(
    r"(?P<action>[A-Za-z]+)\s+(?P<field>\(?[0-9A-Fa-f]{4}\s*,\s*\"[^\"]+\"\s*,\s*[0-9A-Fa-f]{2}\)?"
    r"|\([0-9A-Fa-f]{4}\s*,\s*[0-9A-Fa-f]{4}\)|\S+)(?:\s+(?P<rest>.*))?"
)


def read_deid_recipe(text: str, name: str, skipped: list[str] | None = None) -> list[ImportedRule]:
    """The header rules of a recipe of deid (pydicom/deid).

    ADD changes an element that is there and adds none. JITTER moves dates as the policy says. Values that a
    program computes (``func:``, ``var:``) have a counterpart for UIDs, the patient's ID and name alone.

    Args:
        text: the recipe.
        name: the file's name for messages.
        skipped: takes what has no counterpart or a different meaning here, one message for each line, with the
            file's name and line (from 1). Without it, what has no counterpart is an error.

    Returns:
        The rules in the order in which a policy needs them.

    Raises:
        PolicyError: the text is no recipe, or (without ``skipped``) has lines without a counterpart.
    """
    log = Log(name)
    reader = _DeidReader(log)
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line.strip().lstrip("\ufeff"))
    if not reader.is_recipe:
        raise PolicyError(f"{name} is no recipe of deid.", "A recipe starts with FORMAT dicom and has a %header.")
    rules = reader.rules()
    log.close(skipped)
    return rules


class _DeidReader:
    def __init__(self, log: Log) -> None:
        self._log = log
        self._section = ""
        self._group = ""
        self._groups: dict[str, list[tuple[int, str]]] = {}
        self._actions: list[tuple[int, str]] = []
        self.is_recipe = False

    def read(self, number: int, line: str) -> None:
        """Take one line; ``number`` counts from 1."""
        if not line or line.startswith("#"):
            return
        if line.startswith("%"):
            self._enter(number, line)
        elif re.match(r"FORMAT\b", line, re.IGNORECASE):
            self.is_recipe = True
            if line[6:].strip().lower() != "dicom":
                self._log.refuse(number, "only recipes of the format dicom can be imported")
        elif self._section == "header":
            self._actions.append((number, line))
        elif self._section == "fields":
            self._groups[self._group].append((number, line))
        elif not self._section:
            self._log.refuse(number, "stands in no section")

    def _enter(self, number: int, line: str) -> None:
        words = line[1:].split("#")[0].split()
        self._section = words[0].lower() if words else ""
        self._group = " ".join(words[1:])
        if self._section not in _DEID_SECTIONS:
            self._log.refuse(number, "there is no section of this name")
            self._section = "labels"
            return
        self.is_recipe = True
        if self._section == "fields":
            self._groups.setdefault(self._group, [])
        elif self._section == "filter":
            self._log.refuse(number, "filters and coordinates of pixels; text in pixels is searched for instead")

    def rules(self) -> list[ImportedRule]:
        """All rules, ordered."""
        ranked: dict[tuple[RuleAction, Selector], tuple[int, int, ImportedRule]] = {}
        for number, line in self._actions:
            try:
                for selector, rule in self._act(number, line):
                    # The later of two equal lines counts.
                    ranked[rule.action, selector] = (*self._rank(selector, rule.action), rule)
            except NotImported as error:
                self._log.refuse(number, str(error))
        return [entry[2] for entry in sorted(ranked.values(), key=lambda entry: entry[:2])]

    @staticmethod
    def _rank(selector: Selector, action: RuleAction) -> tuple[int, int]:
        # A pattern that keeps protects nothing from the other actions in deid.
        breadth = 3 if action is RuleAction.KEEP and selector.breadth else selector.breadth
        return breadth, _STRICTNESS.index(action)

    def _act(self, number: int, line: str) -> Iterator[tuple[Selector, ImportedRule]]:
        match = _DEID_LINE.fullmatch(line)
        action = _DEID_ACTIONS.get(match["action"].upper()) if match else None
        if match is None or action is None:
            raise NotImported("is no action on a field")
        rest = (match["rest"] or "").split("#")[0].strip()
        if match["field"].startswith("#"):
            raise NotImported("names no field")
        for selector in self._selectors(match["field"]):
            rule = self._rule(selector, action, rest, number)
            if rule is not None:
                yield selector, rule

    def _rule(self, selector: Selector, action: RuleAction, rest: str, number: int) -> ImportedRule | None:
        if action is RuleAction.KEEP and selector.breadth == 2:
            raise NotImported("would keep every element; what is kept is for the profile to say")
        if action is RuleAction.REMOVE and rest:
            raise NotImported("removes under a condition")
        if action is RuleAction.SHIFT:
            self._log.remark_once(number, OWN_SHIFT)
        if selector.names in WRITTEN_BY_DEIDRA:
            return None
        if action is not RuleAction.REPLACE:
            return selector.rule(action, number)
        return self._replacement(selector, rest, number)

    def _replacement(self, selector: Selector, value: str, number: int) -> ImportedRule | None:
        if not value:
            raise NotImported("needs a value")
        function = _DEID_FUNCTIONS.get(value.split()[0].lower())
        if function is not None:
            return selector.rule(function, number)
        if not re.match(r"(var|func|deid_func):", value, re.IGNORECASE):
            check(selector, value)
            return selector.rule(RuleAction.REPLACE, number, value)
        if selector.known_vr == "UI":
            self._log.remark_once(number, "UIDs become keyed UIDs, not the result of a program")
            return selector.rule(RuleAction.REMAP, number)
        if selector.names in PSEUDONYMS:
            self._log.remark_once(number, "the patient's ID and name become the project's pseudonym")
            return None
        raise NotImported("the value comes from a program")

    def _selectors(self, text: str) -> Iterator[Selector]:
        kind, _, expression = text.partition(":")
        kind = kind.lower()
        if not expression:
            yield Selector(keyword="*", breadth=2) if kind in ("all", "allfields") else _one(text)
        elif kind == "fields":
            yield from self._group_fields(expression)
        elif kind == "select":
            yield _by_property(expression)
        elif kind in ("contains", "startswith", "endswith"):
            for part in expression.split("|"):
                yield from _by_part(kind, part)
        elif kind == "values":
            raise NotImported("chooses fields by their values; known identifiers are looked for everywhere instead")
        else:
            raise NotImported(f"{kind}: has no counterpart")

    def _group_fields(self, group: str) -> Iterator[Selector]:
        if group not in self._groups:
            raise NotImported(f"there is no %fields {group}")
        for number, line in self._groups[group]:
            match = _DEID_LINE.fullmatch(line)
            if match is None or match["action"].upper() != "FIELD" or match["field"].lower().startswith("fields:"):
                self._log.refuse(number, "is no field of a %fields section")
                continue
            yield from self._selectors(match["field"])


def _one(text: str) -> Selector:
    """One element, by keyword, tag, or group, creator and last two digits."""
    private = _PRIVATE_TAG.fullmatch(text)
    if private is not None:
        return private_selector(private[1], private[2], private[3])
    tag = TAG.fullmatch(text)
    if tag is not None:
        return Selector(tag=f"({tag[1]},{tag[2]})".upper(), breadth=0)
    keywords = [_keywords().get(part.casefold()) for part in text.split("__")]
    known = [keyword for keyword in keywords if keyword is not None]
    if len(known) < len(keywords):
        raise NotImported(f"{text} is no element of the standard")
    if len(known) == 1:
        return Selector(keyword=known[0], breadth=0)
    # Sequence__Element is an element in any item of a sequence.
    tags = [f"{tag_for_keyword(keyword):08X}" for keyword in known]
    return Selector(path="[*]/".join(f"({tag[:4]},{tag[4:]})" for tag in tags), breadth=0)


def _by_property(expression: str) -> Selector:
    name, _, value = expression.partition(":")
    if name.upper() == "VR" and re.fullmatch(r"[A-Za-z]{2}", value):
        return Selector(vr=value.upper())
    if name.upper() == "GROUP" and re.fullmatch(r"(0x)?[0-9A-Fa-f]{1,4}", value):
        return Selector(tag=f"({int(value, 16):04X},xxxx)")
    raise NotImported("select: knows VR and GROUP")


def _by_part(kind: str, part: str) -> Iterator[Selector]:
    """Keywords that contain a text, or tags that contain four digits, in small or capital letters."""
    if re.fullmatch(r"[0-9A-Fa-f]{4}", part) and re.search(r"\d", part):
        digits = part.upper()
        if kind != "endswith":
            yield Selector(tag=f"({digits},xxxx)")
        if kind != "startswith":
            yield Selector(tag=f"(xxxx,{digits})")
    elif TAG.fullmatch(part):
        yield replace(_one(part), breadth=1)
    elif re.fullmatch(r"[A-Za-z]\w*", part, re.ASCII) and "__" not in part:
        letters = "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in part)
        yield Selector(keyword=f"{'' if kind == 'startswith' else '*'}{letters}{'' if kind == 'endswith' else '*'}")
    else:
        raise NotImported(f"{part!r} is no part of a keyword; regular expressions have no counterpart")
