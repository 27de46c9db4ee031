from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydicom.datadict import dictionary_has_tag, tag_for_keyword

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.texts.forms import field_forms
from deidra.app.synth.texts.generate import sample, samples
from deidra.app.synth.texts.sample import SOURCES, SPLITS, Source, Split, TextSample

PROGRAM = """
import zlib
from deidra.app.synth.texts.generate import samples
for split in ("train", "calibrate", "test"):
    print(zlib.crc32(repr(list(samples(split, 2, 150))).encode()))
"""
EDGES = " \t\n^"


@pytest.fixture(scope="module")
def mixed() -> dict[Split, list[TextSample]]:
    return {split: list(samples(split, 3, 3000)) for split in SPLITS}


@settings(max_examples=300, deadline=None)
@given(
    split=st.sampled_from(SPLITS),
    source=st.sampled_from(SOURCES),
    seed=st.integers(0, 10**6),
    number=st.integers(0, 10**6),
    health=st.booleans(),
)
def test_spans_are_the_text_that_they_index_in_order_and_apart(
    split: Split, source: Source, seed: int, number: int, health: bool
) -> None:
    made = sample(split, seed, number, source, health)
    assert made.source == source
    assert made.text == made.text.strip() != ""
    for span in made.spans:
        assert made.text[span.start : span.end] == span.text != ""
        assert span.text == span.text.strip()
    assert all(left.end <= right.start for left, right in pairwise(made.spans))


def test_a_sample_depends_on_split_seed_and_number_alone() -> None:
    first = list(samples("train", 5, 40))
    assert list(samples("train", 5, 60))[:40] == first
    assert sample("train", 5, 17) == first[17]
    assert list(samples("train", 6, 40)) != first
    assert list(samples("test", 5, 40)) != first


@pytest.mark.parametrize("order", ["1", "77"])
def test_samples_are_the_same_whatever_the_order_of_sets(order: str) -> None:
    def made(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert made("0") == made(order) != ""


@pytest.mark.parametrize("split", SPLITS)
def test_four_of_ten_samples_hold_nothing_private(mixed: dict[Split, list[TextSample]], split: Split) -> None:
    bare = Counter(made.source for made in mixed[split] if not made.spans)
    every = Counter(made.source for made in mixed[split])
    assert bare.total() >= 0.4 * every.total()
    for source in ("field", "cell", "line"):
        assert 0.4 <= bare[source] / every[source] <= 0.6
    assert bare["note"] / every["note"] >= 0.2


@pytest.mark.parametrize("split", SPLITS)
def test_every_type_occurs_but_unread_text_and_health(mixed: dict[Split, list[TextSample]], split: Split) -> None:
    found = {span.type for made in mixed[split] for span in made.spans}
    assert set(EntityType) - found == {EntityType.UNREAD, EntityType.HEALTH}


def test_diagnoses_are_marked_where_asked_for_and_nothing_else_changes() -> None:
    plain = list(samples("test", 1, 800))
    marked = list(samples("test", 1, 800, health=True))
    assert [made.text for made in marked] == [made.text for made in plain]
    for made, bare in zip(marked, plain, strict=True):
        assert tuple(span for span in made.spans if span.type is not EntityType.HEALTH) == bare.spans
    assert sum(span.type is EntityType.HEALTH for made in marked for span in made.spans) > 20


def test_every_keyword_stands_in_the_dictionary() -> None:
    groups = [
        group
        for section in ("shared", *SPLITS)
        for kind in (field_forms(section).private, field_forms(section).harmless)
        for group in kind
    ]
    keywords = {name for group in groups for name in group.names}
    unknown = {word for word in keywords if (tag := tag_for_keyword(word)) is None or not dictionary_has_tag(tag)}
    assert len(keywords) > 80
    assert unknown == set()


def test_only_fields_have_a_keyword_and_only_cells_a_label(mixed: dict[Split, list[TextSample]]) -> None:
    for made in mixed["train"]:
        assert bool(made.tag) == (made.source == "field")
        assert not made.label or made.source == "cell"


@pytest.mark.parametrize("split", SPLITS)
def test_titles_and_degrees_stand_outside_of_names(mixed: dict[Split, list[TextSample]], split: Split) -> None:
    names = [
        span.text
        for made in mixed[split]
        for span in made.spans
        if span.type in (EntityType.STAFF, EntityType.PATIENT) and made.source in ("field", "note")
    ]
    assert len(names) > 1000
    words = {word.casefold().rstrip(",") for name in names for word in name.replace("^", " ").split()}
    assert words & {"dr.", "dr", "prof.", "mr.", "mrs.", "ms.", "m.d.", "rn", "phd"} == set()
    assert [name for name in names if name[0] in EDGES or name[-1] in EDGES] == []
