"""Changing a policy step by step: every function gives a new policy that is valid as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from deidra.app.decide.definitions import DefinitionEntry
from deidra.app.decide.policy import PRESETS, Policy, load_policy
from deidra.app.detect.definitions.definition import Definition
from deidra.app.detect.definitions.standard import phrases_of, singular
from deidra.app.detect.devices import DeviceRule
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.taxonomy import TYPES, EntityType

_CHANGED = " (changed)"
_SECTIONS = {
    "description": "preset",
    "header": "headers",
    "dates": "dates",
    "detect": "what is private",
    "documents": "pages of documents",
    "thresholds": "thresholds",
    "redact": "what is written",
    "devices": "device rules",
    "definitions": "own types",
    "review": "how curators work",
    "risk": "risks",
}
"""Keys of a policy as people call them."""


def changed(policy: Policy, section: str, **values: Any) -> Policy:
    """The policy with other values of keys in a section such as ``thresholds``.

    Raises:
        PolicyError: a value is not valid; the message names the key.
    """
    settings = policy.model_dump()
    settings[section].update(values)
    return _valid(settings)


def with_preset(policy: Policy, name: str) -> Policy:
    """A preset with the own types, the device rules and the second reader of a policy.

    Raises:
        PolicyError: there is no such preset.
    """
    preset = changed(load_policy(name), "review", **policy.review.model_dump())
    return replaced(preset, devices=policy.devices, definitions=policy.definitions)


def replaced(policy: Policy, **values: Any) -> Policy:
    """The policy with other values of its outermost keys.

    Raises:
        PolicyError: the policy would not be valid.
    """
    dumped = {key: [entry.model_dump() for entry in value] for key, value in values.items()}
    return _valid({**policy.model_dump(), **dumped})


def with_type(policy: Policy, kind: EntityType, private: bool) -> Policy:
    """The policy with a type switched on or off; types that are defined stay private.

    Raises:
        PolicyError: a sentence names what is private, so that types cannot be switched.
    """
    if policy.detect.only:
        raise PolicyError("A sentence says what alone is private.", "Change the sentence, or take it away.")
    off = [one for one in policy.detect.types_off if one is not kind]
    if kind is EntityType.HEALTH:
        return changed(policy, "detect", health=private, types_off=off)
    return changed(policy, "detect", types_off=off if private else [*off, kind])


def with_definition(policy: Policy, definition: Definition, instead: str = "") -> Policy:
    """The policy with a definition added, or put in the place of the one whose name is ``instead``.

    A sentence that says what is private names it then as well.

    Raises:
        PolicyError: the definition is not valid, or there is another of its name.
    """
    entry = DefinitionEntry.of(definition.checked())
    entries = list(policy.definitions)
    names = [one.name for one in entries]
    if instead in names:
        entries[names.index(instead)] = entry
    else:
        entries.append(entry)
    settings = policy.model_dump()
    settings["definitions"] = [one.model_dump() for one in entries]
    settings["detect"]["only"] = _naming(policy.detect.only, entry.name, instead)
    return _valid(settings)


def without_definition(policy: Policy, name: str) -> Policy:
    """The policy without the definition of a name, which its sentence names no longer.

    Raises:
        PolicyError: the sentence names nothing else.
    """
    settings = policy.model_dump()
    settings["definitions"] = [entry.model_dump() for entry in policy.definitions if entry.name != name]
    if policy.detect.only:
        others = [phrase for phrase in phrases_of(policy.detect.only) if singular(phrase) != singular(name)]
        if not others:
            raise PolicyError("The sentence names this type alone.", "Change the sentence first, or take it away.")
        if len(others) < len(phrases_of(policy.detect.only)):
            settings["detect"]["only"] = ", ".join(others)
    return _valid(settings)


def with_device(policy: Policy, rule: DeviceRule, number: int | None = None) -> Policy:
    """The policy with a device rule added, or put in the place of its own rule ``number`` (from 0)."""
    rules = list(policy.devices)
    if number is None:
        rules.append(rule)
    else:
        rules[number] = rule
    return replaced(policy, devices=rules)


def without_device(policy: Policy, number: int) -> Policy:
    """The policy without its own device rule ``number`` (from 0)."""
    return replaced(policy, devices=[rule for n, rule in enumerate(policy.devices) if n != number])


def device_rule(values: Mapping[str, Any]) -> DeviceRule:
    """A device rule of what somebody has filled in; empty texts and None count as not given.

    Raises:
        PolicyError: it is not valid; the message names the field.
    """
    try:
        return DeviceRule.model_validate({key: value for key, value in values.items() if value not in ("", None)})
    except ValidationError as error:
        raise _fault(error, "The device rule is not valid") from error


def differences(before: Policy, after: Policy) -> list[str]:
    """The parts of a policy that differ, in words."""
    return list(dict.fromkeys(words for key, words in _SECTIONS.items() if getattr(before, key) != getattr(after, key)))


def types_of(policy: Policy) -> list[tuple[EntityType, str, bool]]:
    """Every type that can be switched, with its name and whether it is private under the policy."""
    kinds = [kind for kind in EntityType if kind is not EntityType.UNREAD]
    off = policy.types_off if policy.reads_health else policy.types_off | {EntityType.HEALTH}
    return [(kind, TYPES[kind].label, kind not in off) for kind in kinds]


def _naming(only: str, name: str, instead: str) -> str:
    """A sentence that names a definition, where it has not done so by its old name."""
    if not only:
        return ""
    phrases = [phrase for phrase in phrases_of(only) if not instead or singular(phrase) != singular(instead)]
    known = {singular(phrase) for phrase in phrases}
    if len(phrases) == len(phrases_of(only)) and singular(name) in known:
        return only
    return ", ".join([*phrases, *([] if singular(name) in known else [name])])


def _valid(settings: dict[str, Any]) -> Policy:
    """A policy that is no preset any more does not go by its name."""
    preset = settings["name"].removesuffix(_CHANGED)
    try:
        made = Policy.model_validate({**settings, "name": preset})
        if preset in PRESETS and made != load_policy(preset):
            return Policy.model_validate({**settings, "name": f"{preset}{_CHANGED}"})
        return made
    except ValidationError as error:
        raise _fault(error, "That is not valid") from error


def _fault(error: ValidationError, what: str) -> PolicyError:
    faults = error.errors()
    named = (".".join(map(str, fault["loc"])) for fault in faults)
    texts: Sequence[str] = [
        f"{name}: {fault['msg']}" if name else fault["msg"] for name, fault in zip(named, faults, strict=True)
    ]
    return PolicyError(f"{what}: {'; '.join(text.removeprefix('Value error, ') for text in texts)}", "Correct it.")
