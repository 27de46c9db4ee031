"""Names of known people among the words of descriptions and comments."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.detect.comparable import comparable
from deidra.app.detect.fields import cut_out, field_drafts
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.model import Action, Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import FieldChange

_PEOPLE = """
OKAFOR^NGOZI|LEE^SU|HILL^ANN|MAY^LINDA|STONE^KIM|TOWNE^ELLA|MILLER^BO|COOK^TOM|FOX^RAY|GREEN^UMA|GRAY^IAN|WATERS^STEPHEN
PARK^SOO|BAKER^JOSHUA|LONG^AMY|HEAD^GREG|Big^Jonas|Smith^John|Müller^Hans|COOPER^MARCUS|Li^An|YOUNG^PETER
GLEASON^TIM
"""


@pytest.fixture(scope="module")
def project() -> EntityTagger:
    names = _PEOPLE.replace("\n", "|").strip("|").split("|")
    items = [Identifier("P", EntityType.PATIENT, name, "PatientName") for name in names]
    items.append(Identifier("P", EntityType.STAFF, "Ostrowski^Maja", "ReferringPhysicianName"))
    return EntityTagger(KnownIdentifiers(items))


def entries(table: str) -> list[str]:
    """Texts between bars and ends of lines."""
    return [text.strip() for line in table.strip().splitlines() for text in line.split("|")]


def pairs(table: str) -> list[tuple[str, str]]:
    """Lines ``before => after``."""
    return [(a.strip(), b.strip()) for a, _, b in (line.partition("=>") for line in table.strip().splitlines())]


def cleaned(project: EntityTagger, text: str) -> str:
    return cut_out(text, project.tags(text))


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    Okafor fracture f/u L wrist => fracture f/u L wrist
    OKAFOR CYST ASPIRATION => CYST ASPIRATION
    Okafor stent => stent
    Okafor's stent => stent
    OKAFOR LESION BX => LESION BX
    Ostrowski method => method
    sign of Okafor => sign of
    Okafor-Ostrowski view => view
    """),
)
def test_a_known_name_is_no_eponym_because_a_word_of_medicine_follows(
    project: EntityTagger, text: str, rest: str
) -> None:
    [tag] = project.tags(text)
    assert tag.certain
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    LEE CHEST => CHEST
    KNEE LEE 3V => KNEE 3V
    LEE AX T2 => AX T2
    LEE-CT => CT
    CT_LEE_1 => CT_1
    HILL CT => CT
    HILL's knee => knee
    MILLER CT => CT
    COOK KNEE => KNEE
    FOX AP => AP
    Green knee => knee
    T2 YOUNG AX => T2 AX
    May knee => knee
    """),
)
def test_a_known_name_that_is_a_word_is_doubtful_anywhere(project: EntityTagger, text: str, rest: str) -> None:
    [tag] = project.tags(text)
    assert 0.5 <= tag.score <= 0.55
    assert not tag.certain
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    Discussed with pt HILL by phone => Discussed with pt by phone
    Pt May moved => Pt moved
    pt STONE => pt
    Pt Long moved => Pt moved
    patient Head => patient
    MRI BRAIN FOR TOWNE => MRI BRAIN FOR
    CT for Stone => CT for
    for Hill view => for view
    Mr Waters => Mr
    Mr. Li moved => Mr. moved
    """),
)
def test_after_a_word_for_a_person_any_known_name_counts(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    "text",
    entries("""
    Hill-Sachs|Hill-Sachs lesion|Park view|Big Bore|Big Bore RT|May 5mm|MAY 2|May-Thurner|May be degraded|Baker cyst
    BAKER CYST|Waters view|SINUS WATERS|Towne view|LONG axis|HEAD coil|CT HEAD|for Head CT|PT HEAD NECK|Smith fracture
    Cooper ligaments|a green mark|gray matter|Gray matter nulled|GRAY SCALE|STONE PROTOCOL|Young-Burgess|hill|lee side
    li an|PT Big Bore|Green filter|Gleason 3+4|GLEASON SCORE|Ground glass
    """),
)
def test_phrases_and_vocabulary_of_imaging_stay(project: EntityTagger, text: str) -> None:
    assert cleaned(project, text) == text


@pytest.mark.parametrize("keyword", ["ManufacturerModelName", "CodeMeaning"])
def test_words_stay_in_the_values_of_makers_and_vocabularies(project: EntityTagger, keyword: str) -> None:
    change = FieldChange("(0008,1090)", keyword, "LO", "Green CT 5", "Green CT 5", Action.KEEP, "kept")
    assert list(field_drafts([change], project)) == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("known_form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", ["Müller", "Ávila", "Nguyễn", "김희중", "Őri-Kovács"])
def test_letters_with_their_accents_apart_are_the_same_name(form: str, known_form: str, name: str) -> None:
    value = unicodedata.normalize(known_form, f"{name}^Zoë")
    tagger = EntityTagger(KnownIdentifiers([Identifier("P", EntityType.PATIENT, value, "PatientName")]))
    written = unicodedata.normalize(form, name)
    text = f"CT {written} Thorax"
    [tag] = tagger.tags(text)
    assert text[tag.start : tag.end] == written
    assert all(tag.start <= span.start < span.end <= tag.end for span in tag.spans)
    assert tag.certain
    assert cleaned(tagger, text) == "CT Thorax"


@given(
    st.text(
        st.sampled_from("aeoAI \u0308\u0301\u0327\u00ad\u200b\u1112\u1175\u11ab\u09c7\u09be\u3099か한é"), max_size=12
    )
)
def test_a_comparable_text_has_a_comparable_form_once_and_its_places_lie_in_the_text(text: str) -> None:
    form = comparable(text)
    if form is None:
        assert not {"\u00ad", "\u200b"} & set(text)
        return
    assert comparable(form.text) is None
    assert len(form.text) == len(form.starts) == len(form.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(form.starts, form.ends, strict=True))
    assert list(form.starts) == sorted(form.starts)


@pytest.mark.parametrize("mark", ["\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u200e", "\ufe0f"])
@pytest.mark.parametrize("place", [1, 3, 5])
def test_characters_that_show_nothing_do_not_hide_a_name(project: EntityTagger, mark: str, place: int) -> None:
    written = "Okafor"[:place] + mark + "Okafor"[place:]
    text = f"CT\u00e4 {written} Thorax"
    [tag] = project.tags(text)
    assert text[tag.start : tag.end] == written
    value = KnownIdentifiers([Identifier("P", EntityType.PATIENT, f"{written}^Ada", "PatientName")])
    assert [(s.start, s.end) for s in value.spans("CT Okafor")] == [(3, 9)]


@pytest.mark.parametrize(
    "text",
    entries(
        """
        HILL M 45Y|LEE F 061Y|Hill, M 45|MAY F/71|Tremblay M 45Y|HILL 045Y/M|HILL 45Y M|HILL, M, 45Y|Okafor O 33Y
        KIM LEE F 29Y
        """
    ),
)
def test_a_name_before_sex_and_age_goes_with_them(project: EntityTagger, text: str) -> None:
    assert cleaned(project, f"chest, {text}") == "chest"
    assert min(tag.score for tag in project.tags(text)) >= 0.7


@pytest.mark.parametrize("text", ["CHEST M 45Y", "Head F 45Y"])
def test_a_word_before_sex_and_age_stays(project: EntityTagger, text: str) -> None:
    assert cleaned(project, text) == text.split()[0]


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    Big Bore RT => Big Bore RT
    Lat Dec RT => Lat Dec RT
    Jane Tremblay RT => RT
    Jane Tremblay, R.T. => R.T.
    OUTSIDE FILMS Mercy Valley Medical Center => OUTSIDE FILMS
    Outside Films Mercy Valley Medical Center => Outside Films
    CT Mercy Hospital => CT
    UCLA Medical Center =>
    Heart Hospital =>
    Hospital San Telmo Chest => Chest
    Ospedale San Raffaele =>
    Hospital Chest Portable => Hospital Chest Portable
    CT DR QUILLFEATHER => CT DR
    DR WRIST 3V => DR WRIST 3V
    2019年6月4日 CT => CT
    昭和23年7月13日 CT => CT
    2019년 6월 4일 CT => CT
    19 июня 2019 г. CT => CT
    19 czerwca 2019 CT => CT
    20190604T101500 CT => CT
    2019-06-04T10:15:00Z CT => CT
    """),
)
def test_forms_end_where_other_words_start(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("identity", "text", "found"),
    [
        ("S19-1_A_1_1", "block S19-1_A_1_1 cut", "S19-1_A_1_1"),
        ("S19-1_A_1_1", "block S19-1_A_1_12 cut", None),
        ("p4711@site", "see P4711@SITE", "P4711@SITE"),
        ("MRN4711882", "CTMRN4711882AXIAL", "MRN4711882"),
        ("MRN4711882", "CTMRN47118829", None),
        ("483920175", "x483920175y", "483920175"),
        ("483920175", "1.2.3.4839201750", None),
        ("A4711", "AXA4711B", None),
    ],
)
def test_an_identifier_is_found_with_separators_inside_or_glued_when_no_accident_can_make_it(
    identity: str, text: str, found: str | None
) -> None:
    known = KnownIdentifiers([Identifier("p", EntityType.ID_MRN, identity, "PatientID")])
    spans = [text[span.start : span.end] for span in known.spans(text)]
    assert (found in spans) if found else spans == []
