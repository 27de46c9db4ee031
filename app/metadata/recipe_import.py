"""Rules of other de-identification tools as rules of a policy: what both forms that are read have in common.

In a policy the first rule that matches an element counts, and what no rule names is left to the profile. Neither
order nor actions need anything but the text: no input file is read, and nothing in it is run.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydicom import config
from pydicom.datadict import dictionary_VR, keyword_dict, tag_for_keyword
from pydicom.valuerep import validate_value

from deidra.app.domain.errors import PolicyError
from deidra.app.metadata.recipes import RuleAction

_MOST_LISTED = 20


TAG = re.compile(r"[(\[]?\s*([0-9A-Fa-f]{4})\s*,?\s*([0-9A-Fa-f]{4})\s*[)\]]?")


WRITTEN_BY_DEIDRA = frozenset(
    {"PatientIdentityRemoved", "DeidentificationMethod", "DeidentificationMethodCodeSequence"}
)


PSEUDONYMS = frozenset({"PatientID", "PatientName"})
"""Elements that become the patient's pseudonym unless a rule says otherwise."""


OWN_SHIFT = "dates move as [dates] of the policy says, not by the days given here"


@dataclass(frozen=True, slots=True)
class ImportedRule:
    """One rule, with the selectors of :class:`~deidra.app.metadata.recipes.Rule`.

    Args:
        action: what is done.
        tag: ``(gggg,eeee)``; an ``x`` stands for any digit.
        keyword: the element's keyword; a pattern as for file names, in which ``[aA]`` is one of two letters.
        vr: the element's value representation.
        creator: the private creator of a private element, a pattern as well.
        value: the new value of a replacement.
        line: where the rule came from, counted from 1.
        path: where the element stands, such as ``(0040,0275)[*]/(0040,0007)``.
    """

    action: RuleAction
    tag: str = ""
    keyword: str = ""
    vr: str = ""
    creator: str = ""
    value: str = ""
    line: int = 0
    path: str = ""


@dataclass(slots=True)
class Log:
    """What was met on the way, by line (from 1)."""

    name: str
    refused: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)

    def refuse(self, line: int, text: str) -> None:
        """A line that cannot be imported, and why."""
        self.refused.append((line, text))

    def remark_once(self, line: int, text: str) -> None:
        """A change of meaning, told at the first line that has it."""
        if all(text != known for _, known in self.remarks):
            self.remarks.append((line, text))

    def close(self, skipped: list[str] | None) -> None:
        """Hand over what was met, or raise for what cannot be imported."""
        if skipped is not None:
            skipped.extend(f"{self.name}, line {line}: {text}" for line, text in sorted(self.refused + self.remarks))
        elif self.refused:
            lines = [f"line {line}: {text}" for line, text in sorted(self.refused)]
            more = [f"and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
            raise PolicyError(
                f"{self.name} cannot be imported: " + "; ".join(lines[:_MOST_LISTED] + more),
                "Take these lines out, or import the file without them and review the policy.",
            )


@dataclass(frozen=True, slots=True)
class Selector:
    """What elements a rule names; ``breadth`` 0 is one element, 1 a pattern, 2 all."""

    tag: str = ""
    keyword: str = ""
    vr: str = ""
    creator: str = ""
    path: str = ""
    breadth: int = 1

    def rule(self, action: RuleAction, line: int, value: str = "") -> ImportedRule:
        """A rule for these elements."""
        return ImportedRule(action, self.tag, self.keyword, self.vr, self.creator, value, line, self.path)

    @property
    def known_vr(self) -> str:
        """The VR of a single public element, "" when it is not known or not one."""
        if self.breadth or self.creator:
            return self.vr
        last = self.tag or self.path.rpartition("/")[2]
        tag = tag_for_keyword(self.keyword) if self.keyword else int(re.sub(r"\W", "", last), 16)
        try:
            return dictionary_VR(tag) if tag is not None else ""
        except KeyError:
            return ""

    @property
    def names(self) -> str:
        """The keyword of a single public element that may stand anywhere, else ""."""
        if self.breadth or self.creator or self.path:
            return ""
        return self.keyword or _keyword_of(self.tag)


class NotImported(Exception):
    """A line that has no counterpart; the text says why."""


@functools.cache
def _by_tag() -> dict[int, str]:
    return {tag: keyword for keyword, tag in keyword_dict.items()}


def _keyword_of(tag: str) -> str:
    return _by_tag().get(int(re.sub(r"\W", "", tag), 16), "")


def private_selector(group: str, creator: str, last: str) -> Selector:
    """Selects private elements by group, creator and the last two digits of their number."""
    pattern = re.sub(r"([*?\[])", r"[\1]", creator.strip())
    return Selector(tag=f"({group.upper()},xx{last.upper()})", creator=pattern, breadth=0)


def check(selector: Selector, value: str) -> None:
    """Refuse a value that would be refused in every file."""
    vr = selector.known_vr
    try:
        if vr == "SQ":
            raise ValueError
        if vr and " or " not in vr:
            validate_value(vr, value, config.RAISE)
    except (ValueError, TypeError) as error:
        raise NotImported(f"{value!r} does not fit the element's type {vr}") from error


def to_toml(rules: Iterable[ImportedRule], name: str, base: str, skipped: Sequence[str] = ()) -> str:
    """A policy file with imported rules.

    Args:
        rules: the rules in their order.
        name: the policy's name.
        base: the preset that the policy extends.
        skipped: what was not imported; stands in the file as comments.

    Returns:
        TOML that :func:`deidra.app.decide.policy.load_policy` reads.
    """
    lines = [f"# {_plain(text)}" for text in skipped]
    lines += [f"extends = {_quoted(base)}", f"name = {_quoted(name)}"]
    for rule in rules:
        lines += ["", "[[header.rules]]" + (f" # line {rule.line}" if rule.line else "")]
        pairs = {
            "action": rule.action.value,
            "tag": rule.tag,
            "keyword": rule.keyword,
            "vr": rule.vr,
            "creator": rule.creator,
            "path": rule.path,
            "value": rule.value,
        }
        lines += [f"{key} = {_quoted(value)}" for key, value in pairs.items() if value]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return re.sub(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]", " ", text)


def _quoted(text: str) -> str:
    """A basic string of TOML; half characters, which have no place in a file, become question marks."""
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
