"""Rules of other de-identification tools as rules of a policy.

Two forms are read: recipes of the Python tool deid (``%header`` sections with actions such as ``BLANK``) and
scripts of the DICOM anonymizer of RSNA's Clinical Trial Processor (XML, with functions such as ``@keep()``).

In a policy the first rule that matches an element counts, and what no rule names is left to the profile. So rules
come out ordered: in a recipe what names one element stands before what names many, and among equals the stricter
first, as deid documents it (remove, blank, replace, jitter, keep); in a script the order is that of the processor.
Neither order nor actions need anything but the text: no input file is read, and nothing in it is run.
"""

from __future__ import annotations

import functools
import json
import re
import xml.parsers.expat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pydicom import config
from pydicom.datadict import dictionary_VR, keyword_dict, tag_for_keyword
from pydicom.valuerep import validate_value

from deidra.app.domain.errors import PolicyError
from deidra.app.metadata.recipes import RuleAction

_MOST_LISTED = 20
_TAG = re.compile(r"[(\[]?\s*([0-9A-Fa-f]{4})\s*,?\s*([0-9A-Fa-f]{4})\s*[)\]]?")
_PRIVATE_TAG = re.compile(r"\(?\s*([0-9A-Fa-f]{4})\s*,\s*\"([^\"]+)\"\s*,\s*([0-9A-Fa-f]{2})\s*\)?")
_BLOCK_TAG = re.compile(r"([0-9A-Fa-f]{4}),?\[(.+)\]([0-9A-Fa-f]{2})")
_WRITTEN_BY_DEIDRA = frozenset(
    {"PatientIdentityRemoved", "DeidentificationMethod", "DeidentificationMethodCodeSequence"}
)
_PSEUDONYMS = frozenset({"PatientID", "PatientName"})
"""Elements that become the patient's pseudonym unless a rule says otherwise."""
_OWN_SHIFT = "dates move as [dates] of the policy says, not by the days given here"


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
class _Log:
    """What was met on the way, by line (from 1)."""

    name: str
    refused: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[tuple[int, str]] = field(default_factory=list)

    def refuse(self, line: int, text: str) -> None:
        self.refused.append((line, text))

    def remark_once(self, line: int, text: str) -> None:
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
class _Selector:
    """What elements a rule names; ``breadth`` 0 is one element, 1 a pattern, 2 all."""

    tag: str = ""
    keyword: str = ""
    vr: str = ""
    creator: str = ""
    path: str = ""
    breadth: int = 1

    def rule(self, action: RuleAction, line: int, value: str = "") -> ImportedRule:
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


class _NotImported(Exception):
    """A line that has no counterpart; the text says why."""


# --- recipes of deid ---------------------------------------------------------------------------------------

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
    log = _Log(name)
    reader = _DeidReader(log)
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line.strip().lstrip("\ufeff"))
    if not reader.is_recipe:
        raise PolicyError(f"{name} is no recipe of deid.", "A recipe starts with FORMAT dicom and has a %header.")
    rules = reader.rules()
    log.close(skipped)
    return rules


class _DeidReader:
    def __init__(self, log: _Log) -> None:
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
        ranked: dict[tuple[RuleAction, _Selector], tuple[int, int, ImportedRule]] = {}
        for number, line in self._actions:
            try:
                for selector, rule in self._act(number, line):
                    # The later of two equal lines counts.
                    ranked[rule.action, selector] = (*self._rank(selector, rule.action), rule)
            except _NotImported as error:
                self._log.refuse(number, str(error))
        return [entry[2] for entry in sorted(ranked.values(), key=lambda entry: entry[:2])]

    @staticmethod
    def _rank(selector: _Selector, action: RuleAction) -> tuple[int, int]:
        # A pattern that keeps protects nothing from the other actions in deid.
        breadth = 3 if action is RuleAction.KEEP and selector.breadth else selector.breadth
        return breadth, _STRICTNESS.index(action)

    def _act(self, number: int, line: str) -> Iterator[tuple[_Selector, ImportedRule]]:
        match = _DEID_LINE.fullmatch(line)
        action = _DEID_ACTIONS.get(match["action"].upper()) if match else None
        if match is None or action is None:
            raise _NotImported("is no action on a field")
        rest = (match["rest"] or "").split("#")[0].strip()
        if match["field"].startswith("#"):
            raise _NotImported("names no field")
        for selector in self._selectors(match["field"]):
            rule = self._rule(selector, action, rest, number)
            if rule is not None:
                yield selector, rule

    def _rule(self, selector: _Selector, action: RuleAction, rest: str, number: int) -> ImportedRule | None:
        if action is RuleAction.KEEP and selector.breadth == 2:
            raise _NotImported("would keep every element; what is kept is for the profile to say")
        if action is RuleAction.REMOVE and rest:
            raise _NotImported("removes under a condition")
        if action is RuleAction.SHIFT:
            self._log.remark_once(number, _OWN_SHIFT)
        if selector.names in _WRITTEN_BY_DEIDRA:
            return None
        if action is not RuleAction.REPLACE:
            return selector.rule(action, number)
        return self._replacement(selector, rest, number)

    def _replacement(self, selector: _Selector, value: str, number: int) -> ImportedRule | None:
        if not value:
            raise _NotImported("needs a value")
        function = _DEID_FUNCTIONS.get(value.split()[0].lower())
        if function is not None:
            return selector.rule(function, number)
        if not re.match(r"(var|func|deid_func):", value, re.IGNORECASE):
            _check(selector, value)
            return selector.rule(RuleAction.REPLACE, number, value)
        if selector.known_vr == "UI":
            self._log.remark_once(number, "UIDs become keyed UIDs, not the result of a program")
            return selector.rule(RuleAction.REMAP, number)
        if selector.names in _PSEUDONYMS:
            self._log.remark_once(number, "the patient's ID and name become the project's pseudonym")
            return None
        raise _NotImported("the value comes from a program")

    def _selectors(self, text: str) -> Iterator[_Selector]:
        kind, _, expression = text.partition(":")
        kind = kind.lower()
        if not expression:
            yield _Selector(keyword="*", breadth=2) if kind in ("all", "allfields") else _one(text)
        elif kind == "fields":
            yield from self._group_fields(expression)
        elif kind == "select":
            yield _by_property(expression)
        elif kind in ("contains", "startswith", "endswith"):
            for part in expression.split("|"):
                yield from _by_part(kind, part)
        elif kind == "values":
            raise _NotImported("chooses fields by their values; known identifiers are looked for everywhere instead")
        else:
            raise _NotImported(f"{kind}: has no counterpart")

    def _group_fields(self, group: str) -> Iterator[_Selector]:
        if group not in self._groups:
            raise _NotImported(f"there is no %fields {group}")
        for number, line in self._groups[group]:
            match = _DEID_LINE.fullmatch(line)
            if match is None or match["action"].upper() != "FIELD" or match["field"].lower().startswith("fields:"):
                self._log.refuse(number, "is no field of a %fields section")
                continue
            yield from self._selectors(match["field"])


def _one(text: str) -> _Selector:
    """One element, by keyword, tag, or group, creator and last two digits."""
    private = _PRIVATE_TAG.fullmatch(text)
    if private is not None:
        return _private(private[1], private[2], private[3])
    tag = _TAG.fullmatch(text)
    if tag is not None:
        return _Selector(tag=f"({tag[1]},{tag[2]})".upper(), breadth=0)
    keywords = [_keywords().get(part.casefold()) for part in text.split("__")]
    known = [keyword for keyword in keywords if keyword is not None]
    if len(known) < len(keywords):
        raise _NotImported(f"{text} is no element of the standard")
    if len(known) == 1:
        return _Selector(keyword=known[0], breadth=0)
    # Sequence__Element is an element in any item of a sequence.
    tags = [f"{tag_for_keyword(keyword):08X}" for keyword in known]
    return _Selector(path="[*]/".join(f"({tag[:4]},{tag[4:]})" for tag in tags), breadth=0)


def _private(group: str, creator: str, last: str) -> _Selector:
    pattern = re.sub(r"([*?\[])", r"[\1]", creator.strip())
    return _Selector(tag=f"({group.upper()},xx{last.upper()})", creator=pattern, breadth=0)


def _by_property(expression: str) -> _Selector:
    name, _, value = expression.partition(":")
    if name.upper() == "VR" and re.fullmatch(r"[A-Za-z]{2}", value):
        return _Selector(vr=value.upper())
    if name.upper() == "GROUP" and re.fullmatch(r"(0x)?[0-9A-Fa-f]{1,4}", value):
        return _Selector(tag=f"({int(value, 16):04X},xxxx)")
    raise _NotImported("select: knows VR and GROUP")


def _by_part(kind: str, part: str) -> Iterator[_Selector]:
    """Keywords that contain a text, or tags that contain four digits, in small or capital letters."""
    if re.fullmatch(r"[0-9A-Fa-f]{4}", part) and re.search(r"\d", part):
        digits = part.upper()
        if kind != "endswith":
            yield _Selector(tag=f"({digits},xxxx)")
        if kind != "startswith":
            yield _Selector(tag=f"(xxxx,{digits})")
    elif _TAG.fullmatch(part):
        yield replace(_one(part), breadth=1)
    elif re.fullmatch(r"[A-Za-z]\w*", part, re.ASCII) and "__" not in part:
        letters = "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in part)
        yield _Selector(keyword=f"{'' if kind == 'startswith' else '*'}{letters}{'' if kind == 'endswith' else '*'}")
    else:
        raise _NotImported(f"{part!r} is no part of a keyword; regular expressions have no counterpart")


# --- scripts of the clinical trial processor ---------------------------------------------------------------

_CTP_IMAGE = (_Selector(tag="(0028,xxxx)"), _Selector(tag="(7FE0,xxxx)"), _Selector(keyword="SOPClassUID"))
"""What the processor keeps when it removes all elements that its script does not name."""
_CTP_SIMPLE = {
    "keep": RuleAction.KEEP,
    "require": RuleAction.KEEP,
    "remove": RuleAction.REMOVE,
    "empty": RuleAction.EMPTY,
    "blank": RuleAction.EMPTY,
}
_CTP_OF_ITSELF = {
    "contents": RuleAction.KEEP,
    "value": RuleAction.KEEP,
    "hash": RuleAction.HASH,
    "hashname": RuleAction.HASH,
    "incrementdate": RuleAction.SHIFT,
    "hashdate": RuleAction.SHIFT,
}
"""Functions of the element itself, which is their first argument."""


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    arguments: tuple[str, ...]


@dataclass(slots=True)
class _Node:
    kind: str
    attributes: dict[str, str]
    line: int
    text: str = ""


def read_ctp_script(text: str, name: str, skipped: list[str] | None = None) -> list[ImportedRule]:
    """The rules of an XML script of the DICOM anonymizer of RSNA's Clinical Trial Processor.

    Elements and groups that are not enabled have no rule. Functions that hash give keyed tokens, and those that
    move dates move them as the policy says. Elements are changed where they are and added nowhere.

    Args:
        text: the script.
        name: the file's name for messages.
        skipped: takes what has no counterpart or a different meaning here, one message for each line, with the
            file's name and line (from 1). Without it, what has no counterpart is an error.

    Returns:
        The rules in the order in which a policy needs them.

    Raises:
        PolicyError: the text is no such script, declares a document type (with which entities come in), or
            (without ``skipped``) has elements without a counterpart.
    """
    log = _Log(name)
    nodes = _nodes(text, name)
    reader = _CtpReader(log, {node.attributes.get("t", ""): node.text for node in nodes if node.kind == "p"})
    rules = reader.rules([node for node in nodes if node.attributes.get("en") == "T"])
    log.close(skipped)
    return rules


def _nodes(text: str, name: str) -> list[_Node]:
    """The children of the root, with line numbers."""
    nodes: list[_Node] = []
    roots: list[str] = []
    depth = 0
    parser = xml.parsers.expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 1:
            roots.append(tag)
        elif depth == 2:
            nodes.append(_Node(tag, attributes, parser.CurrentLineNumber))

    def end(_tag: str) -> None:
        nonlocal depth
        depth -= 1

    def data(content: str) -> None:
        if depth == 2:
            nodes[-1].text += content

    def doctype(*_declaration: object) -> None:
        raise PolicyError(
            f"{name}, line {parser.CurrentLineNumber}: document types are not allowed.",
            "A script needs none: take the line out.",
        )

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text.lstrip("\ufeff").encode("utf-8", "replace").decode(), True)
    except xml.parsers.expat.ExpatError as error:
        reason = xml.parsers.expat.errors.messages[error.code]
        raise PolicyError(
            f"{name}, line {error.lineno}: is not valid XML ({reason}).", "Correct that line; only XML is read."
        ) from error
    if roots != ["script"]:
        raise PolicyError(f"{name} is no script of the DICOM anonymizer.", "Such a script is one <script> element.")
    return nodes


class _CtpReader:
    def __init__(self, log: _Log, parameters: dict[str, str]) -> None:
        self._log = log
        self._parameters = parameters

    def rules(self, nodes: Iterable[_Node]) -> list[ImportedRule]:
        """The rules of what is enabled, ordered."""
        first: list[ImportedRule] = []
        elements: dict[_Selector, ImportedRule | None] = {}
        groups: list[ImportedRule] = []
        last: list[ImportedRule] = []
        for node in nodes:
            try:
                if node.kind == "e":
                    selector = self._selector(node)
                    elements[selector] = self._element(selector, node)
                elif node.kind == "k":
                    groups.append(self._kept_group(node))
                elif node.kind == "r":
                    rules, is_first = self._removed(node)
                    (first if is_first else last).extend(rules)
            except _NotImported as error:
                self._log.refuse(node.line, str(error))
        # What names private elements alone stands before what names everything else.
        last.sort(key=lambda rule: not rule.creator)
        return first + [rule for rule in elements.values() if rule is not None] + groups + last

    @staticmethod
    def _selector(node: _Node) -> _Selector:
        text = node.attributes.get("t", "").strip()
        block = _BLOCK_TAG.fullmatch(text)
        if block is not None:
            return _private(block[1], block[2], block[3])
        tag = _TAG.fullmatch(text)
        if tag is None:
            raise _NotImported("names no element by its tag")
        return _Selector(tag=f"({tag[1]},{tag[2]})".upper(), breadth=0)

    @staticmethod
    def _kept_group(node: _Node) -> ImportedRule:
        text = node.attributes.get("t", "").strip()
        if text.startswith("safe"):
            raise _NotImported('safe private elements are kept by the option "private" under [header]')
        if not re.fullmatch(r"[0-9A-Fa-f]{1,4}", text):
            raise _NotImported("names no group")
        return ImportedRule(RuleAction.KEEP, tag=f"({int(text, 16):04X},xxxx)", line=node.line)

    @staticmethod
    def _removed(node: _Node) -> tuple[list[ImportedRule], bool]:
        """Rules that remove elements at large; True when they come before those of single elements."""
        kind, line = node.attributes.get("t", "").strip(), node.line
        if kind in ("overlays", "curves"):
            tag = "(60xx,xxxx)" if kind == "overlays" else "(50xx,xxxx)"
            return [ImportedRule(RuleAction.REMOVE, tag=tag, line=line)], True
        if kind == "privategroups":
            return [ImportedRule(RuleAction.REMOVE, creator="*", line=line)], False
        if kind != "unspecifiedelements":
            raise _NotImported("removes a kind of elements that is not known")
        kept = [selector.rule(RuleAction.KEEP, line) for selector in _CTP_IMAGE]
        # The processor leaves these two as they are, so they would lead back to the original.
        uids = ("SOPInstanceUID", "StudyInstanceUID")
        mapped = [ImportedRule(RuleAction.REMAP, keyword=keyword, line=line) for keyword in uids]
        return [*kept, *mapped, ImportedRule(RuleAction.REMOVE, keyword="*", line=line)], False

    def _element(self, selector: _Selector, node: _Node) -> ImportedRule | None:
        if selector.names in _WRITTEN_BY_DEIDRA:
            return None
        parts = [part for part in _ctp_parts(node.text.strip()) if part not in _NO_OPERATIONS]
        if not parts and node.text.strip().endswith("@process()"):
            # Sequences are always entered.
            return None
        if len(parts) == 1 and isinstance(parts[0], _Call) and parts[0].name != "param":
            return self._call(selector, parts[0], node.line)
        value = "".join(part if isinstance(part, str) else self._parameter(part) for part in parts).strip()
        if not value:
            return selector.rule(RuleAction.EMPTY, node.line)
        _check(selector, value)
        return selector.rule(RuleAction.REPLACE, node.line, value)

    def _call(self, selector: _Selector, call: _Call, line: int) -> ImportedRule | None:
        arguments = call.arguments
        if call.name in _CTP_SIMPLE:
            return selector.rule(_CTP_SIMPLE[call.name], line)
        if call.name == "hashuid" and arguments[1:] == ("this",):
            return selector.rule(RuleAction.REMAP, line)
        if call.name == "hashptid":
            return self._patient(selector, call, line)
        single = call.name not in ("contents", "value") or len(arguments) == 1
        action = _CTP_OF_ITSELF.get(call.name) if arguments[:1] == ("this",) and single else None
        if call.name == "dateinterval" and arguments[:1] == ("this",) and len(arguments) == 4:
            action = RuleAction.SHIFT
        if action is None:
            raise _NotImported(f"@{call.name}({','.join(arguments)}) has no counterpart")
        if action is RuleAction.SHIFT:
            self._log.remark_once(line, _OWN_SHIFT)
        return selector.rule(action, line)

    def _patient(self, selector: _Selector, call: _Call, line: int) -> ImportedRule | None:
        """A pseudonym of the patient; the patient's ID and name have one of the project without any rule."""
        source = call.arguments[1] if len(call.arguments) > 1 else ""
        if source == "this":
            return selector.rule(RuleAction.HASH, line)
        if selector.names in _PSEUDONYMS and source in ("PatientID", "00100020"):
            self._log.remark_once(line, "the patient's ID and name become the project's pseudonym")
            return None
        raise _NotImported("@hashptid of another element has no counterpart")

    def _parameter(self, call: _Call) -> str:
        if call.name != "param":
            raise _NotImported(f"@{call.name}() beside other text has no counterpart")
        key = (call.arguments[0] if call.arguments else "").lstrip("@$")
        if key not in self._parameters:
            raise _NotImported(f"there is no parameter {key!r}")
        return self._parameters[key]


_NO_OPERATIONS = (_Call("always", ()), _Call("process", ()))


def _ctp_parts(script: str) -> list[str | _Call]:
    """A replacement script as literal text and function calls; a backslash takes the next character as it is."""
    parts: list[str | _Call] = []
    literal = ""
    place = 0
    while place < len(script):
        char = script[place]
        place += 1
        if char == "\\":
            literal += script[place : place + 1]
            place += 1
        elif char == "@":
            call, place = _ctp_call(script, place)
            parts += [literal, call] if literal else [call]
            literal = ""
        else:
            literal += char
    return [*parts, literal] if literal else parts


def _ctp_call(script: str, place: int) -> tuple[_Call, int]:
    """One call that starts after its @; returns it and the place behind it."""
    head = re.compile(r"\s*(\w+)\s*\(").match(script, place)
    if head is None:
        raise _NotImported("an @ that starts no function")
    arguments, current, depth, quoted, place = [], "", 0, False, head.end()
    while place < len(script):
        char = script[place]
        place += 1
        if char == '"':
            quoted = not quoted
        elif quoted:
            current += char
        elif char == ")" and depth == 0:
            arguments.append(current.strip())
            return _Call(head[1], tuple(arguments) if any(arguments) else ()), place
        elif char == "," and depth == 0:
            arguments.append(current.strip())
            current = ""
        else:
            depth += (char in "([") - (char in ")]")
            current += char
    raise _NotImported("a function without its closing bracket")


# --- common ------------------------------------------------------------------------------------------------


@functools.cache
def _keywords() -> dict[str, str]:
    """Keywords of the standard by their small letters."""
    return {keyword.casefold(): keyword for keyword in keyword_dict if keyword}


@functools.cache
def _by_tag() -> dict[int, str]:
    return {tag: keyword for keyword, tag in keyword_dict.items()}


def _keyword_of(tag: str) -> str:
    return _by_tag().get(int(re.sub(r"\W", "", tag), 16), "")


def _check(selector: _Selector, value: str) -> None:
    """Refuse a value that would be refused in every file."""
    vr = selector.known_vr
    try:
        if vr == "SQ":
            raise ValueError
        if vr and " or " not in vr:
            validate_value(vr, value, config.RAISE)
    except (ValueError, TypeError) as error:
        raise _NotImported(f"{value!r} does not fit the element's type {vr}") from error


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
