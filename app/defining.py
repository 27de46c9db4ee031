"""Defining a type of private text: what a definition would find in a project, and its entry in a policy file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from deidra.app.decide.definitions import DefinitionEntry
from deidra.app.decide.policy import DEFAULT_PRESET, PRESETS, Policy, read_policy
from deidra.app.decide.policy_file import write_policy_text
from deidra.app.detect.definitions.definition import Definition, folded
from deidra.app.detect.definitions.matcher import Match, Matcher
from deidra.app.detect.definitions.standard import phrases_of, singular
from deidra.app.domain.errors import PolicyError
from deidra.app.domain.model import FrameText

_KEY, _ONLY = "definitions", "only"


@dataclass(frozen=True, slots=True)
class Place:
    """A match in a project: in the file ``asset_id``, on a frame or page (from 0), or in the header at path ``tag``.

    ``frame`` is None for text that stands on all frames and for headers; ``tag`` is empty for text on images.
    """

    asset_id: str
    frame: int | None
    tag: str
    match: Match


@dataclass(frozen=True, slots=True)
class Found:
    """One text that a definition finds in a project: its surest match, how often it stands there, and where."""

    match: Match
    on_images: int
    in_headers: int


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text in which a definition may find something, as each reader read it; the place as in :class:`Place`.

    ``keyword`` names the header element; empty for text on images.
    """

    asset_id: str
    frame: int | None
    tag: str
    keyword: str
    readings: tuple[str, ...]


def texts_on(asset_id: str, frames: Iterable[FrameText]) -> Iterator[KeptText]:
    """The text on an asset, line by line."""
    for frame in frames:
        for line in frame.lines:
            readings = dict.fromkeys([line.text, *(e.text for e in line.evidence if e.text)])
            yield KeptText(asset_id, frame.index, "", "", tuple(readings))


def places_in(texts: Iterable[KeptText], matcher: Matcher) -> list[Place]:
    """The matches in texts. What several readers read alike in one line is one match."""
    found = []
    for text in texts:
        met: set[str] = set()
        for reading in text.readings:
            for match in matcher.matches(reading, text.keyword):
                if text.tag or folded(match.text) not in met:
                    met.add(folded(match.text))
                    found.append(Place(text.asset_id, text.frame, text.tag, match))
    return found


def by_text(places: Iterable[Place]) -> list[Found]:
    """The different texts among matches, the surest first."""
    groups: dict[str, list[Place]] = {}
    for place in places:
        groups.setdefault(folded(place.match.text), []).append(place)
    found = [
        Found(
            max((place.match for place in group), key=lambda match: match.score),
            sum(not place.tag for place in group),
            sum(bool(place.tag) for place in group),
        )
        for group in groups.values()
    ]
    return sorted(found, key=lambda one: (-one.match.score, one.match.text))


def defined_in(path: Path, name: str) -> Definition | None:
    """The definition of a name in a policy file; None where the file or the definition is not there.

    Raises:
        PolicyError: the file is no valid policy.
    """
    policy = _read(path)[1]
    same = [entry for entry in policy.definitions if singular(entry.name) == singular(name)]
    return same[0].definition if same else None


def write_definition(path: Path, definition: Definition) -> bool:
    """Put a definition into a policy file, in place of one of the same name; the rest of the file stays as it is.

    A file that is not there is made, on the default preset. Where the policy has a sentence that says which types are
    private, the name is added to it.

    Returns:
        Whether that sentence was changed.

    Raises:
        PolicyError: the file cannot be read or written, or is no valid policy, before or after; it is not changed then.
    """
    text, policy = _read(path)
    document = tomlkit.parse(text)
    entries = document.get(_KEY)
    if entries is None or (isinstance(entries, list) and not entries):
        entries = tomlkit.aot()
        document[_KEY] = entries
    names = [singular(str(entry.get("name", ""))) for entry in entries]
    table = _table(definition)
    if singular(definition.name) in names:
        _update(entries[names.index(singular(definition.name))], table)
    else:
        entries.append(table)
    changed = bool(policy.detect.only) and _lacks(policy.detect.only, definition.name)
    if changed:
        document.setdefault("detect", tomlkit.table())[_ONLY] = f"{policy.detect.only.rstrip(' .')}, {definition.name}"
    new = tomlkit.dumps(document)
    read_policy(new, path)
    write_policy_text(path, new)
    return changed


def _lacks(only: str, name: str) -> bool:
    """Whether a sentence lacks a name."""
    return singular(name) not in map(singular, phrases_of(only))


def _read(path: Path) -> tuple[str, Policy]:
    if str(path) in PRESETS:
        raise PolicyError(f"{path} is a preset and cannot be changed.", f'Name a file; it can say: extends = "{path}"')
    if not path.exists():
        text = f'extends = "{DEFAULT_PRESET}"\n'
        return text, read_policy(text, path)
    try:
        text = path.read_text("utf-8")
        policy = read_policy(text, path)
        tomlkit.parse(text)
    except (OSError, UnicodeDecodeError, TOMLKitError) as error:
        raise PolicyError(f"The policy {path.name} cannot be read.", "Give a policy file in TOML.") from error
    return text, policy


def _table(definition: Definition) -> Any:
    entry = DefinitionEntry.of(definition).model_dump(mode="json", exclude_defaults=True)
    table = tomlkit.table()
    for key, value in entry.items():
        table[key] = value
    return table


def _update(old: Any, new: Any) -> None:
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        if key not in old or old[key] != value:
            old[key] = value


def merged(old: Definition | None, new: Definition) -> Definition:
    """A definition that was there with what is said anew: texts are added, words take the place of words."""
    if old is None:
        return new

    def both(before: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*before, *more]))

    return Definition(
        old.name,
        new.description or old.description,
        both(old.examples, new.examples),
        both(old.counter_examples, new.counter_examples),
        both(old.context, new.context),
        new.pattern or old.pattern,
        new.type or old.type,
    )
