from __future__ import annotations

import hashlib
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.wordlist import WordList, packed_words

_WORDS = st.text(alphabet="abcz09", min_size=1, max_size=6)
_LISTS = {
    "first_names": (97014, "7985640e1cd7d57b"),
    "surnames": (161469, "179ef19f3b8d16cd"),
    "words": (195226, "de24fc3f9d366a41"),
}
"""How many words each list has, and the beginning of the SHA-256 of its words, one a line."""


@given(st.sets(_WORDS, max_size=120), st.lists(_WORDS, max_size=20))
def test_a_packed_list_answers_as_a_set_does(words: set[str], others: list[str]) -> None:
    packed = WordList(packed_words(words))
    assert [word for word in packed if word] == sorted(words)
    for word in (*words, *others):
        assert (word in packed) == (word in words)


@pytest.mark.parametrize("name", _LISTS)
def test_the_lists_hold_the_words_they_were_made_from(name: str) -> None:
    data = (resources.files("deidra.app.detect") / "data" / f"{name}.words").read_bytes()
    packed = WordList(data)
    words = list(packed)
    count, digest = _LISTS[name]
    assert len(words) == count
    assert hashlib.sha256("\n".join(words).encode()).hexdigest()[:16] == digest
    assert all(word in packed for word in words[::997])
    known = set(words)
    changed = [word[:-1] + "q" for word in words[::997]]
    assert [word in packed for word in changed] == [word in known for word in changed]


@pytest.mark.parametrize("word", ["", "müller", "A", "zzzzzzzz", "0"])
def test_words_of_other_letters_are_in_no_list(word: str) -> None:
    assert word not in WordList(packed_words(["ab", "abc", "b"]))
