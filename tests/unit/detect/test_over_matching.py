from __future__ import annotations

import re
from pathlib import Path

import pytest
from faker import Faker
from pydicom._dicom_dict import DicomDictionary
from pydicom._uid_dict import UID_dictionary

from deidra.app.detect.gazetteer import is_safe, name_spans
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.detect.vocabulary import eponym_ranges, is_eponym_at, is_imaging_word, plain
from deidra.app.domain.model import Identifier
from deidra.app.domain.taxonomy import EntityType

_LOCALES = ("en_US", "de_DE", "en_GB", "fr_FR", "es_ES", "pl_PL", "sv_SE", "it_IT", "tr_TR", "pt_BR")
_HERE = Path(__file__).parent


def entries(table: str) -> list[str]:
    """Texts between bars and ends of lines."""
    return [text.strip() for line in table.strip().splitlines() for text in line.split("|")]


def descriptions() -> list[str]:
    lines = (_HERE / "descriptions.txt").read_text("utf-8").splitlines()
    return [text for line in lines if not line.startswith("#") for text in line.split("|")]


def people(seed: int) -> list[str]:
    """Two thousand names of many languages."""
    names = []
    for locale in _LOCALES:
        fake = Faker(locale)
        fake.seed_instance(seed)
        names += [f"{fake.last_name()}^{fake.first_name()}" for _ in range(200)]
    return names


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_among_thousands_of_names_a_description_loses_only_words_that_are_such_a_name(seed: int) -> None:
    names = people(seed)
    parts = {plain(word) for name in names for word in re.findall(r"[^\W\d_]+", name)}
    tagger = EntityTagger(KnownIdentifiers([Identifier("P", EntityType.PATIENT, n, "PatientName") for n in names]))
    texts = descriptions()
    assert len(texts) > 600
    lost = [(text, text[tag.start : tag.end]) for text in texts for tag in tagger.tags(text)]
    wrong = [item for item in lost if not parts & {plain(word) for word in re.findall(r"[^\W\d_]+", item[1])}]
    assert wrong == []
    assert len(lost) <= 0.01 * len(texts)


@pytest.mark.parametrize(
    "text",
    entries("""
    Paget disease of bone|Morton neuroma|Bennett fracture|Crohn disease|Whipple procedure|XYZ Gauss 5.00
    Hann 4.0|HASTE cor|Kienbock disease|Garden III|Weber B|Osgood-Schlatter|Legg-Calvé-Perthes|Morbus Basedow
    Judkins catheter|Gianturco coil|Austin Moore prosthesis|Ramsay Hunt syndrome|Bland-Altman|Child-Pugh B
    Kellgren-Lawrence 3|Ann Arbor stage II|Trufi cor|Circle of Willis|Vein of Galen|Ligament of Treitz
    Reed-Sternberg|Epstein-Barr|Nissen fundoplication|Propeller|BLADE T2
    """),
)
def test_an_eponym_is_nobodys_name(text: str) -> None:
    assert list(name_spans(text)) == []


@pytest.mark.parametrize("text", ["called Ferguson", "for Bennett", "Katherine Garden", "Austin Powers", "Dr Willis"])
def test_the_names_in_eponyms_are_names_elsewhere(text: str) -> None:
    assert len(list(name_spans(text))) == 1


def test_listed_eponyms_are_found_with_their_hyphens_and_genitives() -> None:
    text = "see Parkes Weber syndrome, Bird's beak and Hill-Sachs; Weber, Parkes"
    assert [text[a:b] for a, b in eponym_ranges(text)] == ["Parkes Weber syndrome", "Bird's beak", "Hill-Sachs"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Cooper view", "Cooper", True),
        ("Cooper's lymphomas", "Cooper", True),
        ("Park view", "Park", True),
        ("Hill-Sachs", "Hill", True),
        ("Hill-Sachs", "Sachs", True),
        ("Morbus Cooper", "Cooper", True),
        ("sign of Cooper", "Cooper", True),
        ("Nguyen view", "Nguyen", False),
        ("Morbus Nguyen", "Nguyen", False),
        ("Dr. Nguyen view", "Nguyen", False),
        ("Patient Nguyen, cyst", "Nguyen", False),
        ("Nguyen chest view", "Nguyen", False),
        ("Nguyen, view 2", "Nguyen", False),
        ("Nguyen-Tran", "Nguyen", False),
    ],
)
def test_the_words_around_a_name_make_it_an_eponym(text: str, name: str, expected: bool) -> None:
    start = text.index(name)
    assert is_eponym_at(text, start, start + len(name)) is expected


@pytest.mark.parametrize("text", ["Nguyen view", "Nguyen's lymphomas", "Morbus Nguyen", "sign of Nguyen"])
def test_a_name_that_nobody_is_known_to_bear_is_an_eponym_before_a_word_of_medicine(text: str) -> None:
    start = text.index("Nguyen")
    assert is_eponym_at(text, start, start + len("Nguyen"), listed=False)
    assert list(name_spans(text)) == []


@pytest.mark.parametrize("word", ["HEAD", "Abdomen", "schädel", "Genou", "SOMATOM", "Aquilion", "TrueFISP", "topogram"])
def test_vocabulary_of_imaging_is_safe(word: str) -> None:
    assert is_imaging_word(word)
    assert is_safe(word)


def test_terms_of_the_standard_are_hardly_ever_names() -> None:
    terms = {entry[2] for entry in DicomDictionary.values()} | {entry[0] for entry in UID_dictionary.values()}
    names = people(1)
    tagger = EntityTagger(KnownIdentifiers([Identifier("P", EntityType.PATIENT, n, "PatientName") for n in names]))
    touched = [term for term in terms if tagger.tags(term)]
    assert len(terms) > 5000
    assert len(touched) <= 0.005 * len(terms)


@pytest.mark.parametrize(("name", "text"), [("John", "JON"), ("Lee", "LEG"), ("Ann", "ANT"), ("Scott", "SCOUT")])
def test_short_words_are_not_like_a_name_alone(name: str, text: str) -> None:
    known = KnownIdentifiers([Identifier("P", EntityType.PATIENT, f"Okonkwo^{name}", "PatientName")])
    assert list(known.spans(text)) == []
