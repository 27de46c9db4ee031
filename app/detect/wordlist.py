"""A long list of words that loads in a moment and takes little memory.

The words are sorted and front-coded in blocks, one block a line: the first word of a block in full, then for each
further word a capital letter (how many letters it shares with the word before it, A for none, Z for 25 at most)
and the letters that are its own. ``wax``, ``waxen``, ``way`` are the block ``waxDenCy``. A look-up finds the block
by bisection and decodes only that one.
"""

from __future__ import annotations

import bisect
import functools
import re
import zlib
from collections.abc import Iterable, Iterator

_BLOCK = 24
_FIRST = ord("A")
_MOST_SHARED = 25
_PIECE = re.compile(rb"([A-Z])([a-z0-9]*)")
_HEAD = re.compile(rb"[a-z0-9]*")


class WordList:
    """Words of lower-case ASCII letters and digits.

    Args:
        packed: what :func:`packed_words` made.
    """

    def __init__(self, packed: bytes) -> None:
        self._blocks = zlib.decompress(packed).split(b"\n")
        self.has = functools.lru_cache(maxsize=50_000)(self._has)

    def __contains__(self, word: str) -> bool:
        return self.has(word)

    def __iter__(self) -> Iterator[str]:
        """All words, in order."""
        for block in self._blocks:
            for word in _decoded(block):
                yield word.decode("ascii")

    def _has(self, word: str) -> bool:
        if not word.isascii():
            return False
        key = word.encode("ascii")
        # Capitals sort before letters and after digits, so a block that starts with the key itself needs a look, too.
        place = bisect.bisect_right(self._blocks, key, key=_head)
        return place > 0 and key in _decoded(self._blocks[place - 1])


def packed_words(words: Iterable[str]) -> bytes:
    """Words of lower-case ASCII letters and digits as the bytes that a :class:`WordList` reads."""
    blocks: list[bytes] = []
    before = b""
    for number, word in enumerate(sorted({word.encode("ascii") for word in words})):
        if number % _BLOCK == 0:
            blocks.append(word)
        else:
            shared = _shared(before, word)
            blocks[-1] += bytes([_FIRST + shared]) + word[shared:]
        before = word
    return zlib.compress(b"\n".join(blocks), 9)


def _shared(left: bytes, right: bytes) -> int:
    most = min(len(left), len(right), _MOST_SHARED)
    return next((n for n in range(most) if left[n] != right[n]), most)


def _head(block: bytes) -> bytes:
    match = _HEAD.match(block)
    return match.group() if match else b""


def _decoded(block: bytes) -> list[bytes]:
    word = _head(block)
    words = [word]
    for count, rest in _PIECE.findall(block, len(word)):
        word = word[: ord(count) - _FIRST] + rest
        words.append(word)
    return words
