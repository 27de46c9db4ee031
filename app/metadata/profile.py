"""The confidentiality profile of PS3.15 Annex E: which action an attribute gets under which options."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

from pydicom.datadict import keyword_for_tag, tag_for_keyword
from pydicom.tag import BaseTag

from deidra.app.metadata.dates import DateMode
from deidra.app.metadata.recipes import Rule

EDITION = "PS3.15 2026d"


class Option(StrEnum):
    """Options of the Basic Application Level Confidentiality Profile (PS3.15 E.3)."""

    PRIVATE = "private"
    UIDS = "uids"
    DEVICE = "device"
    INSTITUTION = "institution"
    PATIENT = "patient"
    FULL_DATES = "full_dates"
    MODIFIED_DATES = "modified_dates"
    DESCRIPTORS = "descriptors"
    STRUCTURED_CONTENT = "structured_content"
    GRAPHICS = "graphics"


METHOD_CODES: dict[Option | str, tuple[str, str]] = {
    "basic": ("113100", "Basic Application Confidentiality Profile"),
    "pixels": ("113101", "Clean Pixel Data Option"),
    Option.GRAPHICS: ("113103", "Clean Graphics Option"),
    Option.STRUCTURED_CONTENT: ("113104", "Clean Structured Content Option"),
    Option.DESCRIPTORS: ("113105", "Clean Descriptors Option"),
    Option.FULL_DATES: ("113106", "Retain Longitudinal Temporal Information Full Dates Option"),
    Option.MODIFIED_DATES: ("113107", "Retain Longitudinal Temporal Information Modified Dates Option"),
    Option.PATIENT: ("113108", "Retain Patient Characteristics Option"),
    Option.DEVICE: ("113109", "Retain Device Identity Option"),
    Option.UIDS: ("113110", "Retain UIDs Option"),
    Option.PRIVATE: ("113111", "Retain Safe Private Option"),
    Option.INSTITUTION: ("113112", "Retain Institution Identity Option"),
}
"""De-identification method codes (PS3.16 CID 7050), coding scheme DCM."""


class Code(StrEnum):
    """One action of Table E.1-1 after compound codes are resolved, or "absent" from the table."""

    DUMMY = "D"
    EMPTY = "Z"
    REMOVE = "X"
    KEEP = "K"
    CLEAN = "C"
    UID = "U"
    ABSENT = "-"


_BY_TYPE = {
    "X/Z": {"3": "X", "1C": "X", "": "Z"},
    "X/D": {"3": "X", "": "D"},
    "Z/D": {"3": "Z", "2": "Z", "2C": "Z", "": "D"},
    "X/Z/D": {"3": "X", "2": "Z", "2C": "Z", "": "D"},
    "X/Z/U*": {"": "U"},
}
"""Compound codes leave the choice to the attribute's type in the IOD (PS3.15 E.1.1): the strongest action
that keeps the object valid. Without a type the last alternative is taken, which is valid for most. References to
other instances (U*) always stay, with new UIDs: they tell nothing and are worth having."""
_CHOSEN = {"00081110": "X", "00102297": "Z", "00102299": "Z"}
"""Referenced Study Sequence must have items where it is present (PS3.3 C.7.2.1); the person and the organisation
responsible for an animal must be there, but may be empty (PS3.3 C.7.1.1)."""


def _resolved(code: str, kind: str) -> Code:
    choices = _BY_TYPE.get(code)
    return Code(choices.get(kind, choices[""]) if choices else code)


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    basic: str
    options: dict[Option, Code]


@functools.cache
def _table() -> dict[str, _Rule]:
    text = (resources.files(__package__) / "data" / "ps315_2026d.tsv").read_text("utf-8")
    rules = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        tag, name, basic, options = line.split("\t")
        pairs = (pair.split("=") for pair in options.split())
        rules[tag] = _Rule(
            name,
            _CHOSEN.get(tag, basic),
            {Option(option): Code(code) for option, code in pairs},
        )
    return rules


@functools.cache
def _compound() -> frozenset[int]:
    return frozenset(int(tag, 16) for tag, rule in _table().items() if rule.basic in _BY_TYPE)


@functools.cache
def _additional() -> frozenset[str]:
    text = (resources.files(__package__) / "data" / "additional.tsv").read_text("utf-8")
    return frozenset(line.split("\t")[0] for line in text.splitlines() if not line.startswith("#"))


def _rule_of(tag: BaseTag) -> _Rule | None:
    name = f"{tag.group:04X}{tag.element:04X}"
    if name in _additional():
        return _Rule("identifies although the table does not name it", "X", {})
    if name in _table():
        return _table()[name]
    if 0x6000 <= tag.group <= 0x60FF:
        # Overlay data goes, so the rest of the overlay plane describes nothing and goes with it.
        return _table()["60xx3000"]
    return _table()["50xxxxxx"] if 0x5000 <= tag.group <= 0x50FF else None


@functools.cache
def _safe_private() -> dict[tuple[str, int, int], tuple[Code, str]]:
    text = (resources.files(__package__) / "data" / "safe_private.tsv").read_text("utf-8")
    rows = (line.split("\t") for line in text.splitlines() if not line.startswith("#"))
    return {
        (_plain_creator(creator), int(group, 16), int(element, 16)): (Code(action), vr)
        for creator, group, element, action, vr, _ in rows
    }


@functools.cache
def _plain_creator(text: str) -> str:
    """A private creator without differences in blanks, of which files and tables have several forms."""
    return " ".join(text.split())


def chosen_code(by_option: Mapping[Option, Code], in_force: frozenset[Option], basic: Code) -> Code:
    """The action of a table's row under some options.

    Args:
        by_option: the row's actions by option.
        in_force: the options in force; a retaining or cleaning option overrides the basic action.
        basic: the row's action without options.
    """
    chosen = {code for option, code in by_option.items() if option in in_force}
    dated = {Option.MODIFIED_DATES, Option.FULL_DATES} & by_option.keys()
    if Option.MODIFIED_DATES in in_force and Option.FULL_DATES not in in_force and dated:
        # A date that another option would keep as it is tells the shift of those around it.
        return Code.CLEAN
    if Code.KEEP in chosen:
        return Code.KEEP
    return Code.CLEAN if Code.CLEAN in chosen else basic


class Profile:
    """The basic profile with a choice of options.

    Args:
        options: the options in force; a retaining or cleaning option overrides the basic action.
        rules: what a recipe does otherwise; the first rule that matches an element counts.
        dates: what happens to dates that the option for modified dates keeps.
        keeps_times: times of day stay with them.
    """

    def __init__(
        self,
        options: frozenset[Option],
        rules: Sequence[Rule] = (),
        dates: DateMode = DateMode.SHIFT,
        keeps_times: bool = True,
    ) -> None:
        self.options = options
        self.dates = dates
        self.keeps_times = keeps_times and dates is not DateMode.YEAR
        self.rules = tuple(rules)
        self._memo: dict[tuple[int, str], Code] = {}
        keywords = sorted({keyword for rule in self.rules for keyword, _ in rule.when})
        self.condition_tags = tuple(sorted(tag for word in keywords if (tag := tag_for_keyword(word)) is not None))
        """Tags of the elements that decide which rules count in a file."""

    def rules_for(self, values: Mapping[int, str]) -> list[Rule]:
        """The rules whose conditions a file fulfils, in order.

        Args:
            values: the file's values of :attr:`condition_tags`.
        """
        facts = {keyword_for_tag(tag): value for tag, value in values.items()}
        return [rule for rule in self.rules if rule.counts_in(facts)]

    @staticmethod
    def depends_on_type(tag: BaseTag) -> bool:
        """True when the basic action of an attribute depends on its type in the IOD."""
        return int(tag) in _compound()

    def code(self, tag: BaseTag, kind: str = "") -> Code:
        """The action for a public attribute.

        Args:
            tag: the attribute.
            kind: its type in the IOD, such as "1C"; empty when unknown.
        """
        known = self._memo.get((tag, kind))
        if known is None:
            known = self._memo[tag, kind] = self._look_up(tag, kind)
        return known

    def basic_code(self, tag: BaseTag, kind: str = "") -> Code:
        """The action of the basic profile alone, whatever the options."""
        rule = _rule_of(tag)
        return _resolved(rule.basic, kind) if rule else Code.ABSENT

    def _look_up(self, tag: BaseTag, kind: str) -> Code:
        rule = _rule_of(tag)
        if rule is None:
            return Code.ABSENT
        return chosen_code(rule.options, self.options, _resolved(rule.basic, kind))

    def private_code(self, creator: str, tag: BaseTag) -> tuple[Code, str] | None:
        """What happens to a private attribute that is known to be safe, and its usual VR where that is known.

        None when it is not known, or the option to retain safe private attributes is not in force.
        """
        if Option.PRIVATE not in self.options:
            return None
        return _safe_private().get((_plain_creator(creator), tag.group, tag.element & 0xFF))

    def method_codes(self, pixels_cleaned: bool) -> list[tuple[str, str]]:
        """Code value and meaning of every method that applies, for (0012,0064)."""
        keys: list[Option | str] = ["basic", *sorted(self.options)]
        if pixels_cleaned:
            keys.insert(1, "pixels")
        return [METHOD_CODES[key] for key in keys]
