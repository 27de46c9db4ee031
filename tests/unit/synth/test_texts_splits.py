from __future__ import annotations

import re
from itertools import chain, combinations, zip_longest
from random import Random

import pytest

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes.words import latin
from deidra.app.synth.texts.draw import Draw
from deidra.app.synth.texts.forms import RULE, composed, grammar
from deidra.app.synth.texts.generate import samples
from deidra.app.synth.texts.parts import template
from deidra.app.synth.texts.pools import Pool, pool, read_toml, split_of_value
from deidra.app.synth.texts.sample import SPLITS
from deidra.app.synth.texts.slots import fill

PAIRS = list(combinations(SPLITS, 2))


def plain(value: str) -> str:
    return (latin(value).strip() or value).casefold()


def given_names(words: Pool) -> set[str]:
    names = words.names.values()
    return {plain(n) for part in names for n in (*part.female, *part.male)} | set(map(plain, words.rare_given))


def family_names(words: Pool) -> set[str]:
    names = {plain(n) for part in words.names.values() for n in part.family}
    return names | {plain(n) for n in (*words.rare_family, *words.word_families)}


def cities(words: Pool) -> set[str]:
    return {plain(city) for part in words.cities.values() for city in part}


@pytest.mark.parametrize(("left", "right"), PAIRS)
@pytest.mark.parametrize(("kind", "least"), [(given_names, 2000), (family_names, 3000), (cities, 500)])
def test_no_name_of_a_person_or_town_is_in_two_splits(kind, least: int, left: str, right: str) -> None:
    first, second = kind(pool(left)), kind(pool(right))
    assert len(first) > least
    assert first & second == set()


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_no_name_in_another_script_is_in_two_splits(left: str, right: str) -> None:
    first = {part for name in pool(left).foreign for part in name[:2]}
    second = {part for name in pool(right).foreign for part in name[:2]}
    assert len(first) > 50
    assert first & second == set()


@pytest.mark.parametrize("kind", sorted(set(read_toml("values")["parted"]) - {"word_families"}))
def test_no_street_institution_or_employer_is_in_two_splits(kind: str) -> None:
    if kind.startswith("cities_"):
        entries = read_toml("values")["parted"][kind]
        assert {split_of_value(entry) for entry in entries} <= set(SPLITS)
        return
    parts = [set(pool(split).values[kind]) for split in SPLITS]
    assert all(parts)
    assert sum(map(len, parts)) == len(set().union(*parts))
    listed = set(read_toml("values")["parted"][kind])
    assert listed <= set().union(*parts)
    assert set().union(*parts[1:]) <= listed, "only training knows more than the lists"


@pytest.mark.parametrize("kind", sorted(read_toml("words")["whole"]) + sorted(read_toml("words")["by_first_word"]))
def test_no_harmless_word_is_in_two_splits(kind: str) -> None:
    parts = [set(pool(split).words[kind]) for split in SPLITS]
    assert all(parts)
    assert sum(map(len, parts)) == len(set().union(*parts))


def test_there_are_several_hundred_harmless_words() -> None:
    data = read_toml("words")
    assert sum(len(set(entries)) for part in data.values() for entries in part.values()) > 1200


def test_an_eponym_is_in_one_split_with_all_its_phrases() -> None:
    owners = [{phrase.split()[0].casefold() for phrase in pool(split).words["eponyms"]} for split in SPLITS]
    assert all(left & right == set() for left, right in combinations(owners, 2))


def wordings(split: str) -> set[str]:
    fields, cells, lines = (read_toml(name)[split] for name in ("fields", "cells", "lines"))
    notes = read_toml(f"notes_{split}")["sections"].values()
    forms = [form for entry in fields for form in entry["forms"]]
    forms += [label for cell in cells["cells"] for label in cell["labels"]]
    forms += [form for row in cells["rows"] for form in row["forms"]]
    forms += lines["forms"]
    for section in notes:
        forms += [*section["forms"], *section.get("titles", ())]
    return {form.casefold().strip(" :.") for form in forms if template(form).wording}


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_no_wording_of_a_template_label_or_title_is_in_two_splits(left: str, right: str) -> None:
    first, second = wordings(left), wordings(right)
    assert len(first) > 120
    assert len(second) > 120
    assert first & second == set()


def composable(rule: str) -> str:
    """A regular expression of every form that a rule of the training grammar can become."""
    forms = []
    for form in grammar("train")[rule]:
        pieces = RULE.split(form.casefold())
        names = RULE.findall(form)
        texts = [re.escape(piece) for piece in pieces[::2]]
        forms.append("".join(chain(*zip_longest(texts, map(composable, names), fillvalue=""))))
    return f"(?:{'|'.join(forms)})"


@pytest.mark.parametrize("split", ["calibrate", "test"])
@pytest.mark.parametrize("rule", ["sentence", "comment", "line", "Label1", "Label2", "tellstaff", "tellpatient"])
def test_no_template_of_another_split_can_be_composed_in_training(rule: str, split: str) -> None:
    form = re.compile(composable(rule))
    assert form.pattern.count("|") > 40
    assert sorted(text for text in wordings(split) if form.fullmatch(text) or form.fullmatch(f"{text}.")) == []


def test_composed_sentences_hold_no_rule_any_more_and_no_unknown_slot() -> None:
    for number in range(2000):
        draw = Draw(Random(number), pool("train"))
        text = composed(draw, draw.one(sorted(grammar("train"))))
        assert RULE.search(text) is None
        assert fill(draw, text) != []


def test_only_training_has_composed_sentences() -> None:
    assert grammar("train") != {}
    assert grammar("calibrate") == grammar("test") == {}


@pytest.mark.parametrize("split", SPLITS)
def test_every_slot_of_every_template_can_be_filled(split: str) -> None:
    shared = [form for entry in read_toml("fields")["shared"] for form in entry["forms"]]
    shared += read_toml("lines")["shared"]["forms"]
    texts = {form for entry in read_toml("cells")[split]["cells"] for form in entry["forms"]} | wordings(split)
    for form in {*shared, *texts}:
        assert fill(Draw(Random(form), pool(split)), form) != []


def test_names_of_samples_come_from_their_own_split() -> None:
    family = {split: family_names(pool(split)) for split in SPLITS}
    for split in SPLITS:
        others = set().union(*(family[other] for other in SPLITS if other != split))
        made = [m for m in samples(split, 8, 4000, "field") if m.tag == "PatientName" and "^" in m.text]
        names = [
            span.text.split("^")[0]
            for m in made
            for span in m.spans
            if span.type is EntityType.PATIENT and "=" not in span.text
        ]
        single = [plain(name) for name in names if name.isalpha()]
        assert len(single) > 20
        assert set(single) & others == set()
