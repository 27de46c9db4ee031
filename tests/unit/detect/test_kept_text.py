"""Texts before and after cleaning: exactly the private parts go."""

from __future__ import annotations

import pytest

from deidra.app.detect.fields import cut_out, field_drafts
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.model import Action, Identifier
from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.engine import FieldChange

_PEOPLE = """
HEAD^GREG|Hill^James|PARK^SOO|Big^Jonas|MAY^LINDA|LONG^AMY|Young^Peter|WATERS^STEPHEN|TOWNE^ELLA|BAKER^JOSHUA|YORK^DAN
COOPER^MARCUS|CHAPMAN^NATALIE|van der Berg^Jan|O'Brien^Sean|SMITH^JOHN^Q|Müller^Jürgen|Li^An|Weiss^Anna^^Dr.
Okonkwo^Adaeze|St. John^Mary|McDonald^Ronald|de la Cruz^Maria|Rose^Grace|Ávila^Inés|Sørensen^Bjørn|Łukasik^Paweł
"""
_OTHERS = [
    (EntityType.ID_MRN, "12345", "PatientID"),
    (EntityType.ID_MRN, "M73383683", "PatientID"),
    (EntityType.ID_OTHER, "0098765", "AccessionNumber"),
    (EntityType.ID_OTHER, "RAD 44871", "AccessionNumber"),
    (EntityType.ID_MRN, "875-83-8406", "PatientID"),
    (EntityType.PHONE_HOME, "(212)555-0147x123", "PatientTelephoneNumbers"),
    (EntityType.PHONE_HOME, "+49(0)2222 987654", "PatientTelephoneNumbers"),
    (EntityType.DATE_BIRTH, "19500112", "PatientBirthDate"),
    (EntityType.HOSPITAL, "Ashgrove General Hospital", "InstitutionName"),
    (EntityType.HOSPITAL, "Ostrander University Clinic", "InstitutionName"),
    (EntityType.HOSPITAL, "Fall River Hospital", "InstitutionName"),
    (EntityType.HOSPITAL, "Larkspur Medical Center", "InstitutionName"),
    (EntityType.HOSPITAL, "QUILLHAVCTAE", "RetrieveAETitle"),
    (EntityType.HOSPITAL, "STORESCP", "RetrieveAETitle"),
    (EntityType.LOCATION_HOME_ADDRESS, "Ingried-Bärer-Straße 1, Melsungen 85363", "PatientAddress"),
    (EntityType.LOCATION_HOME_ADDRESS, "742 Evergreen Terrace, Springfield", "PatientAddress"),
]


@pytest.fixture(scope="module")
def project() -> EntityTagger:
    names = _PEOPLE.replace("\n", "|").strip("|").split("|")
    items = [Identifier("P", EntityType.PATIENT, name, "PatientName") for name in names]
    items += [Identifier("P", kind, value, source) for kind, value, source in _OTHERS]
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
    HEAD 12ch coil, motion (HEAD, GREG) => HEAD 12ch coil, motion
    Hill-Sachs HILL^JAMES => Hill-Sachs
    May-Thurner MAY, LINDA => May-Thurner
    ABDOMEN LONG, AMY => ABDOMEN
    Long axis cine for Amy Long => Long axis cine for
    Towne projection TOWNE^ELLA => Towne projection
    Baker's cyst (BAKER, JOSHUA) => Baker's cyst
    Waters plane reformat Stephen Waters => Waters plane reformat
    Big cassette, Jonas Big => Big cassette
    Greg Head =>
    Cooper ligaments seen, breath hold poor (COOPER, MARCUS) => Cooper ligaments seen, breath hold poor
    """),
)
def test_a_harmless_word_goes_only_beside_another_part_of_the_same_name(
    project: EntityTagger, text: str, rest: str
) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    "text",
    entries("""
    CT HEAD|Head first supine|HEAD L|Hill-Sachs view|Park view|Big Bore|BIG BORE CT|May 5mm|LONG axis
    Long leg film|CT LONG|Young-Burgess APC II|Waters view|SINUS WATERS|Towne view|Baker cyst|Cooper ligaments
    Cooper sign|MORBUS COOPER|Parkes Weber syndrome|van der Waals|rose bengal|an li|Smith fracture
    St. Jude valve
    """),
)
def test_a_harmless_word_and_an_eponym_stay_alone(project: EntityTagger, text: str) -> None:
    assert cleaned(project, text) == text


@pytest.mark.parametrize("text", ["ABDOMEN YORK", "SWI HILL", "ABDOMEN PARK", "Chest - Rose", "CHEST ROSE 20190101"])
def test_a_dictionary_word_that_is_a_known_surname_is_doubtful_where_it_stands_apart(
    project: EntityTagger, text: str
) -> None:
    tag = next(tag for tag in project.tags(text) if tag.type is EntityType.PATIENT)
    assert 0.5 <= tag.score <= 0.6
    assert not tag.certain


@pytest.mark.parametrize(
    "text", ["SWI Images COOPER", "Knee - Cooper", "cooper", "Dr. Cooper view", "COOPER CHEST VIEW"]
)
def test_a_name_that_is_no_word_is_certain_alone(project: EntityTagger, text: str) -> None:
    assert any(tag.certain and "cooper" in text[tag.start : tag.end].lower() for tag in project.tags(text))


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    P1^P101^S101^I0, Gated, 0.0% 20140321 => P1^P101^S101^I0, Gated, 0.0%
    XR CHEST 2 VIEWS CHAPMAN^NATALIE => XR CHEST 2 VIEWS
    Respiratory motion WATERS^STEPHEN => Respiratory motion
    PET CT RESTAGING COOPER^MARCUS => PET CT RESTAGING
    VAN DER BERG^JAN chest => chest
    CT O'NEILL^SIOBHAN => CT
    GARCIA LOPEZ^MARIA chest => chest
    CHEST SMITHSON^MARY ANN PA => CHEST PA
    Head^Routine => Head^Routine
    Abdomen^ABD_ROUTINE => Abdomen^ABD_ROUTINE
    Thorax^Lunge => Thorax^Lunge
    Tech: Smithson, CT done => Tech, CT done
    Operator: Okafor chest repeated => Operator: chest repeated
    """),
)
def test_a_name_in_a_form_ends_where_other_words_start(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    née Moore, needs sedation => née, needs sedation
    née van den Broek => née
    geb. Schmidt, Knie => geb., Knie
    born as Weeks => born as
    aka Bobby Tables => aka
    formerly Jones => formerly
    maiden name: O'Hara => maiden name
    s/p AKA Left => s/p AKA Left
    formerly Siemens scanner => formerly Siemens scanner
    Born premature => Born premature
    """),
)
def test_other_names_of_a_person_go(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    Ashgrove CT => CT
    Swimmers OSTRANDE => Swimmers
    Scout at Ostrander => Scout at
    Fall River chest => chest
    MRI LARKSPUR => MRI
    larkspur poisoning => larkspur poisoning
    General chest => General chest
    University protocol => University protocol
    Quillhav ward => ward
    STORESCP => STORESCP
    """),
)
def test_short_names_of_institutions_go(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    ("vr", "keyword", "value", "rest"),
    [
        ("AE", "RetrieveAETitle", "ASHGROVECTAE", "CTAE"),
        ("AE", "StationAETitle", "ASHGROVE_CT1", "CT1"),
        ("AE", "RetrieveAETitle", "OSTRANDEMRAE", "MRAE"),
        ("SH", "StationName", "MR_OSTRANDER", "MR"),
        ("CS", "PerformedStationName", "LARKSPUR_US1", "US1"),
        ("AE", "RetrieveAETitle", "QUILLHAVCTAE", None),
        ("AE", "RetrieveAETitle", "STORESCP", None),
        ("SH", "StationName", "ct22429", None),
        ("SH", "StationName", "Katherine", None),
    ],
)
def test_institutions_go_from_titles_and_stations_where_they_are_glued(
    project: EntityTagger, vr: str, keyword: str, value: str, rest: str | None
) -> None:
    change = FieldChange("(0008,0054)", keyword, vr, value, value, Action.KEEP, "kept")
    drafts = list(field_drafts([change], project))
    assert [draft.proposal for draft in drafts] == ([] if rest is None else [rest])
    assert all(draft.certain for draft in drafts)


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    MIP 10 mm from 1.2.840.113619.2.55.3.20190101.5 => MIP 10 mm from
    grid cut-off UID 2.25.240868493586532414914430338205912764461. => grid cut-off UID.
    SOP 1.2.840.10008.5.1.4.1.1.2 stored => SOP 1.2.840.10008.5.1.4.1.1.2 stored
    version 2.0.1234.5678 => version 2.0.1234.5678
    syngo 4.7.3.45.11 => syngo 4.7.3.45.11
    """),
)
def test_unique_identifiers_go_as_a_whole_and_those_of_the_standard_stay(
    project: EntityTagger, text: str, rest: str
) -> None:
    assert cleaned(project, text) == rest
    assert all(tag.score >= 0.95 and tag.type is EntityType.ID_OTHER for tag in project.tags(text))


@pytest.mark.parametrize(
    "text",
    entries("""
    93-year-old|93 y/o|95yo|102 years|093Y|91Y|94 jährige|94-jähriger|92 ans|97 años|aged 94|age: 91
    ninety-four year old|90 y.o.|95 yrs old|centenarian
    """),
)
def test_ages_over_89_go(project: EntityTagger, text: str) -> None:
    [tag] = project.tags(f"fall, {text}, hip pain")
    assert (tag.type, tag.score) == (EntityType.AGE, 0.95)


@pytest.mark.parametrize("text", ["95 mm", "61-year-old", "90 yards", "1.93 years", "aged 60", "TE 93", "95%", "93 kV"])
def test_numbers_that_are_no_age_over_89_stay(project: EntityTagger, text: str) -> None:
    assert cleaned(project, text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    lives at Ingried-Bärer-Straße 1, Melsungen 85363 => lives at
    address Ingried-Bärer-Strasse 1 now => address now
    ﬁle: INGRIED-BÄRER-STRASSE 1 MELSUNGEN 85363 => ﬁle
    Ⅳ. DOB 12.01.1950, known meningioma, at 742 evergreen terrace, springfield => Ⅳ. DOB, known meningioma, at
    1742 Evergreens => 1742 Evergreens
    """),
)
def test_addresses_are_found_whatever_letters_stand_before_them(project: EntityTagger, text: str, rest: str) -> None:
    assert cleaned(project, text) == rest


@pytest.mark.parametrize(
    "text",
    entries("""
    O'BRIEN|obrien^sean|O Brien, Sean|O'Brien's|Smith's|J. Smith|Smith J|SMITH, J.|SMITH J Q|SmithJohn
    smith_john|SMITHJOHN|JSmith|jsmith|John Q. Smith|Jon Smith|SM1TH JOHN|Srnith John|Mueller Juergen|MULLER
    Li, An|LI^AN|A. Weiss|Okonkwo Ada|OKONKWO^ADAE|0konkwo|Okonkwa|MC DONALD RONALD|Mc Donald|McDonald
    Maria de la Cruz|DE LA CRUZ|Mary St John|van der Berg|Avila Ines|SORENSEN|Bjorn Sorensen|LUKASIK
    Jan van der Berg|Berg, Jan|ROSE^GRACE|Grace Rose|HILL, J.|Head, G.|MRN12345|MRN-12345|0012345|73383683
    M-733-83-683|M 73383683|PAT00073383683|98765|RAD44871|RAD_44871|875 83 8406|875838406|212-555-0147
    2125550147|555-0147|+1 (212) 555 0147|02222/987654|+49 2222 987654|0049 2222 98 76 54|01121950|12011950
    12. Januar 1950|12 janvier 1950|1950 Jan 12|19500112103000|12-JAN-50|12 de enero de 1950
    """),
)
def test_what_is_known_is_found_however_it_is_written(project: EntityTagger, text: str) -> None:
    whole = f"CT chest, {text}, repeated"
    tags = [(tag.start, tag.end) for tag in project.tags(whole)]
    covered = {n for start, end in tags for n in range(start, end)}
    start = len("CT chest, ")
    assert {n for n in range(start, start + len(text)) if whole[n].isalnum()} <= covered
    assert cut_out(whole, project.tags(whole)).startswith("CT chest, ")
    assert cut_out(whole, project.tags(whole)).endswith("repeated")


@pytest.mark.parametrize(
    "text",
    ["TR 12345 TE 80", "12345 mm", "b=12345", "SMITHSONIAN scale", "500112", "121060", "HILLS and dales"],
)
def test_what_only_resembles_something_known_stays(project: EntityTagger, text: str) -> None:
    assert cleaned(project, text) == text


@pytest.mark.parametrize(
    ("text", "rest"),
    pairs("""
    CT_SMITH_1 => CT_1
    CT (SMITH, JOHN) chest => CT chest
    CT [Okonkwo] - x => CT - x
    Okonkwo - chest => chest
    chest - Okonkwo => chest
    chest / Okonkwo / knee => chest / knee
    a, Okonkwo, b => a, b
    chest;Okonkwo => chest
    ^Okonkwo^CT => CT
    --Okonkwo-- =>
    CT: Okonkwo: knee => CT: knee
    Okonkwo. Knee => Knee
    Knee. Okonkwo. => Knee.
    x Okonkwo -5.0 => x -5.0
    T1  Okonkwo  T2 => T1 T2
    a  b (c) Okonkwo => a  b (c)
    Pt Stephen Waters MRN M73383683: stable => Pt MRN: stable
    {Okonkwo} =>
    CT "Okonkwo" x => CT x
    chest (Okonkwo, repeated) => chest (repeated)
    chest (repeated, Okonkwo) => chest (repeated)
    -1.5 to -3.0 Okonkwo => -1.5 to -3.0
    """),
)
def test_a_cut_leaves_no_separators_behind_and_touches_nothing_else(
    project: EntityTagger, text: str, rest: str
) -> None:
    assert cleaned(project, text) == rest


def test_lines_stay_lines_when_something_is_cut_from_one(project: EntityTagger) -> None:
    text = "  first  line\nread by Okonkwo\n\nlast line\\second value"
    assert cleaned(project, text) == "  first  line\nread by\n\nlast line\\second value"
