"""Headers element by element, from bytes to bytes, with a memo of what was done before.

What becomes of a top-level element depends on its own bytes and on little else: how the file is
encoded, its character set, its SOP class, the recipe's rules that count in it, the patient's
subject, and for private elements their creator. Within a series nearly all of these repeat, so most
elements are answered from the memo; only new ones are decoded, walked and encoded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deidra.app.load.charset import python_encodings
from deidra.app.load.encoded import PIXEL_DATA, EncodedFile, EncodedGroup
from deidra.app.metadata.changes import HeaderResult, Override, Subject
from deidra.app.metadata.element import PIXEL_REPRESENTATION, Cleaner, ElementWorker
from deidra.app.metadata.keys import ProjectKey
from deidra.app.metadata.memo import Context, Memos, Outcome
from deidra.app.metadata.profile import Profile
from deidra.app.metadata.walk import WRITTEN_BY_DEIDRA

CHARACTER_SET, SOP_CLASS = 0x00080005, 0x00080016
_APART = frozenset({0x0008, 0x0012, 0x0020, 0x0028, 0x7FE0})
"""Groups that are never handled as a whole: identifiers are read from them, marks written into them."""
_MOST_REMEMBERED = 64 << 10
"""A group of more bytes than this is not remembered as a whole."""


class HeaderStream:
    """Applies a profile to encoded elements.

    Args:
        profile: the profile with options and recipe.
        key: the project's key.
        cleaner: reads kept values in the same pass; None when that is a stage of its own.
    """

    def __init__(self, profile: Profile, key: ProjectKey, cleaner: Cleaner | None = None) -> None:
        self._profile = profile
        self._memos = Memos()
        self._worker = ElementWorker(profile, key, cleaner, self._memos)
        self._conditions = profile.condition_tags

    def process(self, file: EncodedFile, subject: Subject, overrides: Mapping[str, Override]) -> HeaderResult:
        """De-identify all elements but pixel data and those that Deidra writes itself.

        Args:
            file: a file split into its elements.
            subject: what the file's patient becomes.
            overrides: by path, what a curator or cleaner decided against the profile.

        Raises:
            InputError: a value cannot be decoded or encoded, or a curator's new value does not fit.
        """
        context = self._context(file, subject)
        own = _by_tag(overrides)
        apart = _APART | {tag >> 16 for tag in own}
        result = HeaderResult()
        body = file.body
        for group in file.groups:
            if group.number in apart:
                self._elements(context, group, body, own, result)
                continue
            raw = body[group.start : group.end]
            known = context.groups.get(group.number)
            if known is None or known[0] != raw:
                alone = HeaderResult()
                self._elements(context, group, body, own, alone)
                data = b"".join(part for _, part in alone.parts)
                known = (raw, Outcome(data, tuple(alone.changes), alone.uids))
                if len(raw) <= _MOST_REMEMBERED:
                    context.groups[group.number] = known
            outcome = known[1]
            if outcome.data:
                result.parts.append((group.number << 16, outcome.data))
            result.changes += outcome.changes
            result.uids.update(outcome.uids)
        return result

    def _elements(
        self,
        context: Context,
        group: EncodedGroup,
        body: bytes,
        own: Mapping[int, tuple[tuple[str, Override], ...]],
        result: HeaderResult,
    ) -> None:
        """Handle the elements of a group one by one."""
        parts, memo, first = result.parts, context.memo, group.start
        creators: dict[int, tuple[int, bytes]] = {}
        used: set[int] = set()
        for element in group.elements:
            tag, _, start, _, end = element
            if tag in WRITTEN_BY_DEIDRA:
                continue
            if tag == PIXEL_DATA:
                parts.append((tag, memoryview(body)[first + start : first + end]))
                continue
            raw = body[first + start : first + end]
            key: object = raw
            slot, creator = 0, b""
            if tag & 0x10000:
                if 0x10 <= tag & 0xFFFF <= 0xFF:
                    creators[tag] = (len(parts), raw)
                    parts.append((tag, raw))
                    continue
                slot = tag & 0xFFFF0000 | (tag & 0xFFFF) >> 8
                creator = creators.get(slot, (0, b""))[1]
                key = (creator, raw)
            if tag in own:
                key = (key, own[tag])
            outcome = memo.get(key) or self._worker.outcome(context, key, element, raw, creator, own.get(tag, ()))
            if outcome.data:
                parts.append((tag, outcome.data))
                used.add(slot)
            result.changes += outcome.changes
            result.uids.update(outcome.uids)
        for tag in creators.keys() - used:
            parts[creators[tag][0]] = (tag, b"")

    def _context(self, file: EncodedFile, subject: Subject) -> Context:
        charset, sop_class = file.value(CHARACTER_SET), file.value(SOP_CLASS)
        signed = file.value(PIXEL_REPRESENTATION)
        facts = tuple(file.value(tag) for tag in self._conditions)
        key = (file.encoding, charset, sop_class, signed, facts, subject)
        known = self._memos.get(key)
        if known is None:
            encodings = python_encodings(charset)
            uid = sop_class.rstrip(b"\0 ").decode("ascii", "replace")
            rules = self._profile.rules_for(
                {tag: _plain_text(value, encodings) for tag, value in zip(self._conditions, facts, strict=True)}
            )
            known = Context(file.encoding, encodings, uid, signed, subject, rules)
            self._memos.add(key, known)
        return known


def _by_tag(overrides: Mapping[str, Override]) -> dict[int, tuple[tuple[str, Override], ...]]:
    """Overrides with their paths, by the top-level element that they concern."""
    found: dict[int, tuple[tuple[str, Override], ...]] = {}
    for path in sorted(overrides):
        tag = int(path[1:5] + path[6:10], 16)
        found[tag] = (*found.get(tag, ()), (path, overrides[path]))
    return found


def _plain_text(value: bytes, encodings: Sequence[str]) -> str:
    return value.decode(encodings[0], "replace").strip(" \0")
