"""Scripts of the DICOM anonymizer of RSNA's Clinical Trial Processor: XML, with functions such as ``@keep()``.

The order of the rules is that in which the processor applies its own.
"""

from __future__ import annotations

import re
import xml.parsers.expat
from collections.abc import Iterable
from dataclasses import dataclass

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

_BLOCK_TAG = re.compile(r"([0-9A-Fa-f]{4}),?\[(.+)\]([0-9A-Fa-f]{2})")


_CTP_IMAGE = (Selector(tag="(0028,xxxx)"), Selector(tag="(7FE0,xxxx)"), Selector(keyword="SOPClassUID"))
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
    log = Log(name)
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
    def __init__(self, log: Log, parameters: dict[str, str]) -> None:
        self._log = log
        self._parameters = parameters

    def rules(self, nodes: Iterable[_Node]) -> list[ImportedRule]:
        """The rules of what is enabled, ordered."""
        first: list[ImportedRule] = []
        elements: dict[Selector, ImportedRule | None] = {}
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
            except NotImported as error:
                self._log.refuse(node.line, str(error))
        # What names private elements alone stands before what names everything else.
        last.sort(key=lambda rule: not rule.creator)
        return first + [rule for rule in elements.values() if rule is not None] + groups + last

    @staticmethod
    def _selector(node: _Node) -> Selector:
        text = node.attributes.get("t", "").strip()
        block = _BLOCK_TAG.fullmatch(text)
        if block is not None:
            return private_selector(block[1], block[2], block[3])
        tag = TAG.fullmatch(text)
        if tag is None:
            raise NotImported("names no element by its tag")
        return Selector(tag=f"({tag[1]},{tag[2]})".upper(), breadth=0)

    @staticmethod
    def _kept_group(node: _Node) -> ImportedRule:
        text = node.attributes.get("t", "").strip()
        if text.startswith("safe"):
            raise NotImported('safe private elements are kept by the option "private" under [header]')
        if not re.fullmatch(r"[0-9A-Fa-f]{1,4}", text):
            raise NotImported("names no group")
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
            raise NotImported("removes a kind of elements that is not known")
        kept = [selector.rule(RuleAction.KEEP, line) for selector in _CTP_IMAGE]
        # The processor leaves these two as they are, so they would lead back to the original.
        uids = ("SOPInstanceUID", "StudyInstanceUID")
        mapped = [ImportedRule(RuleAction.REMAP, keyword=keyword, line=line) for keyword in uids]
        return [*kept, *mapped, ImportedRule(RuleAction.REMOVE, keyword="*", line=line)], False

    def _element(self, selector: Selector, node: _Node) -> ImportedRule | None:
        if selector.names in WRITTEN_BY_DEIDRA:
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
        check(selector, value)
        return selector.rule(RuleAction.REPLACE, node.line, value)

    def _call(self, selector: Selector, call: _Call, line: int) -> ImportedRule | None:
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
            raise NotImported(f"@{call.name}({','.join(arguments)}) has no counterpart")
        if action is RuleAction.SHIFT:
            self._log.remark_once(line, OWN_SHIFT)
        return selector.rule(action, line)

    def _patient(self, selector: Selector, call: _Call, line: int) -> ImportedRule | None:
        """A pseudonym of the patient; the patient's ID and name have one of the project without any rule."""
        source = call.arguments[1] if len(call.arguments) > 1 else ""
        if source == "this":
            return selector.rule(RuleAction.HASH, line)
        if selector.names in PSEUDONYMS and source in ("PatientID", "00100020"):
            self._log.remark_once(line, "the patient's ID and name become the project's pseudonym")
            return None
        raise NotImported("@hashptid of another element has no counterpart")

    def _parameter(self, call: _Call) -> str:
        if call.name != "param":
            raise NotImported(f"@{call.name}() beside other text has no counterpart")
        key = (call.arguments[0] if call.arguments else "").lstrip("@$")
        if key not in self._parameters:
            raise NotImported(f"there is no parameter {key!r}")
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
        raise NotImported("an @ that starts no function")
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
    raise NotImported("a function without its closing bracket")
