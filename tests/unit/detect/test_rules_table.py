from __future__ import annotations

import pytest

from deidra.app.detect.rules import _rules, is_label, rule_spans

# text, the part of it that is private, its type, what the rule says of it
FOUND = [
    ("mail to jo.doe+x@mail.example.org now", "jo.doe+x@mail.example.org", "EMAIL", "e-mail address"),
    ("see https://portal.example.org/p/4711, please", "https://portal.example.org/p/4711", "OTHERPHI", "web address"),
    ("UID 1.2.840.113619.2.55.3.604688", "1.2.840.113619.2.55.3.604688", "ID.other", "unique identifier"),
    ("(2.25.240868493586532414914430)", "2.25.240868493586532414914430", "ID.other", "unique identifier"),
    ("from 192.168.10.254", "192.168.10.254", "OTHERPHI", "IP address"),
    ("nr 536-22-8711", "536-22-8711", "ID.ssn", "social security number"),
    ("SSN: 536 22 8711", "536 22 8711", "ID.ssn", "social security number after its label"),
    ("Social Security No. 536228711", "536228711", "ID.ssn", "social security number after its label"),
    ("(212) 555-0147", "(212) 555-0147", "PHONE.other", "phone number"),
    ("212-555-0147 x12", "212-555-0147 x12", "PHONE.other", "phone number"),
    ("+44 20 7946 0958", "+44 20 7946 0958", "PHONE.other", "international phone number"),
    ("Tel. 5550147 22", "5550147 22", "PHONE.other", "phone number after its label"),
    ("Home phone: 555 01 47", "555 01 47", "PHONE.home", "home phone number after its label"),
    ("MRN: A-4711", "A-4711", "ID.mrn", "record number after its label"),
    ("Pat. ID 0047/11", "0047/11", "ID.mrn", "record number after its label"),
    ("Accession No: X99-123", "X99-123", "ID.other", "number after its label"),
    ("ACC#12345", "12345", "ID.other", "number after its label"),
    ("Ex: 24113", "24113", "ID.other", "number of an examination"),
    ("M/39", "M/39", "AGE", "sex and age, as consoles print them"),
    ("F 061Y", "F 061Y", "AGE", "sex and age, as consoles print them"),
    ("039Y/M", "039Y/M", "AGE", "age and sex, as consoles print them"),
    ("1200 Eagle Ridge", "1200 Eagle Ridge", "LOCATION.address", "street address with a rarer ending"),
    ("MRN_004711", "MRN_004711", "ID.mrn", "record number form"),
    ("S/N 99XK-12", "99XK-12", "OTHERPHI", "serial number after its label"),
    ("a 61 year old woman", "61 year old", "AGE", "age"),
    ("63yo", "63yo", "AGE", "age"),
    ("a 93-year-old man", "93-year-old", "AGE", "age over 89"),
    ("94 jährige Patientin", "94 jährige", "AGE", "age over 89"),
    ("95 y/o", "95 y/o", "AGE", "age over 89"),
    ("aged 101, fell", "101", "AGE", "age over 89 after its label"),
    ("093Y", "093Y", "AGE", "age over 89 in DICOM form"),
    ("Ninety-three year old", "Ninety-three year old", "AGE", "age over 89 in words"),
    ("061Y F", "061Y", "AGE", "age in DICOM form"),
    ("45Y M", "45Y M", "AGE", "age and sex, as consoles print them"),
    ("M, 45Y", "M, 45Y", "AGE", "sex and age, as consoles print them"),
    ("91F chest", "91F", "AGE", "age over 89 and sex"),
    ("the patient is 101", "101", "AGE", "age over 89 of a patient"),
    ("she was 94.", "94", "AGE", "age over 89 of a patient"),
    ("FIN 12345678", "12345678", "ID.other", "number of an episode of care"),
    ("CSN: 99887766", "99887766", "ID.other", "number of an episode of care"),
    ("HAR # 500123", "500123", "ID.other", "number of an episode of care"),
    ("EMPI No. 4711471", "4711471", "ID.other", "number of an episode of care"),
    ("DEA BS1234567", "BS1234567", "ID.other", "number of a prescriber"),
    ("NPI 1234567890", "1234567890", "ID.other", "number of a provider"),
    ("DR QUILLFEATHER", "QUILLFEATHER", "STAFF", "name with a doctor's title in capitals"),
    ("DR. JANE QUILLFEATHER", "JANE QUILLFEATHER", "STAFF", "name with a doctor's title in capitals"),
    ("at Hospital San Telmo", "Hospital San Telmo", "HOSPITAL", "institution with its name behind"),
    ("St Mary Memorial", "St Mary Memorial", "HOSPITAL", "name of an institution"),
    ("Oakhurst Memorial, floor 2", "Oakhurst Memorial", "HOSPITAL", "name of an institution"),
    ("Age: 61", "61", "AGE", "age after its label"),
    ("OKONKWO^ADAEZE^N", "OKONKWO^ADAEZE^N", "PATIENT", "name in DICOM form"),
    ("VAN DER BERG^JAN chest", "VAN DER BERG^JAN", "PATIENT", "name in DICOM form"),
    ("O'NEILL^SEAN^P^^Jr", "O'NEILL^SEAN^P^^Jr", "PATIENT", "name in DICOM form"),
    ("née Okonkwo, 3 children", "Okonkwo", "PATIENT", "former name"),
    ("geb. von Stein", "von Stein", "PATIENT", "former name"),
    ("aka Adaeze Okonkwo", "Adaeze Okonkwo", "PATIENT", "another name"),
    ("formerly O'Hara", "O'Hara", "PATIENT", "another name"),
    ("Patient name: Okonkwo, Adaeze", "Okonkwo, Adaeze", "PATIENT", "name after its label"),
    ("seen by Mr. Okonkwo Obi", "Okonkwo Obi", "PATIENT", "name with a title"),
    ("Mrs. Okonkwo", "Okonkwo", "PATIENT", "name with a title"),
    ("Frau Müller", "Müller", "PATIENT", "name with a title"),
    ("Dr. Gregory House", "Gregory House", "STAFF", "name with a doctor's title"),
    ("Gregory House, MD", "Gregory House", "STAFF", "name before a degree"),
    ("Referring physician: House, Gregory", "House, Gregory", "STAFF", "name after a staff label"),
    ("lives at 221 North Baker Street, Apt 4", "221 North Baker Street, Apt 4", "LOCATION.address", "street address"),
    ("Springfield, IL 62704-1234", "Springfield, IL 62704-1234", "LOCATION.address", "city, state and ZIP code"),
    ("P.O. Box 4711", "P.O. Box 4711", "LOCATION.address", "post box"),
    ("Address: Am Markt 7", "Am Markt 7", "LOCATION.address", "address after its label"),
    ("Home address: Rose Cottage", "Rose Cottage", "LOCATION.home_address", "home address after its label"),
    ("Place of birth: Enugu", "Enugu", "LOCATION.birthplace", "birth place after its label"),
    ("St. Mary Hospital of Enugu, floor 2", "St. Mary Hospital of Enugu", "HOSPITAL", "name of an institution"),
    ("Facility: Seaside North", "Seaside North", "HOSPITAL", "institution after its label"),
    ("Sex: F", "F", "DEMOG", "sex after its label"),
    ("Religion: Quaker", "Quaker", "DEMOG", "personal detail after its label"),
]

# text in which the rule of that name must see nothing
NOT_FOUND = [
    ("score @ 5", "e-mail address"),
    ("1.2.840.10008.5.1.4.1.1.2", "unique identifier"),
    ("version 2.0.1234.567890", "unique identifier"),
    ("192.168.100.254", "unique identifier"),
    ("1.2.3.4.5", "unique identifier"),
    ("93 mm", "age over 89"),
    ("61-year-old", "age over 89"),
    ("1.93 years", "age over 89"),
    ("aged 60", "age over 89 after its label"),
    ("093Z", "age over 89 in DICOM form"),
    ("ninety degrees", "age over 89 in words"),
    ("P1^P101^S101^I0, Gated", "name in DICOM form"),
    ("née en 1950", "former name"),
    ("s/p AKA, revision", "another name"),
    ("formerly Siemens", "another name"),
    ("Born premature", "another name"),
    ("Ex: 7", "number of an examination"),
    ("8M12L", "sex and age, as consoles print them"),
    ("4/5 M", "age and sex, as consoles print them"),
    ("CINE 30 FRAMES LOOP", "street address with a rarer ending"),
    ("http", "web address"),
    ("1.2.840.10008.1.2", "IP address"),
    ("300.1.1.1", "IP address"),
    ("000-22-8711", "social security number"),
    ("666-22-8711", "social security number"),
    ("912-22-8711", "social security number"),
    ("536-00-8711", "social security number"),
    ("536-22-0000", "social security number"),
    ("1536-22-87112", "social security number"),
    ("SSN: 000 22 8711", "social security number after its label"),
    ("212-555-01", "phone number"),
    ("1.212.555.01474", "phone number"),
    ("+5 mm", "international phone number"),
    ("Tel. none", "phone number after its label"),
    ("Home phone: none", "home phone number after its label"),
    ("MRN: unknown", "record number after its label"),
    ("rapid 4711", "record number after its label"),
    ("Case closed", "number after its label"),
    ("MRN 12", "record number form"),
    ("Serial image", "serial number after its label"),
    ("61 mm", "age"),
    ("0.5 y", "age"),
    ("1061Y", "age in DICOM form"),
    ("Image 61", "age after its label"),
    ("81F", "age over 89 and sex"),
    ("T 98F", "age over 89 and sex"),
    ("SL100F", "age over 89 and sex"),
    ("patient is 101 kg", "age over 89 of a patient"),
    ("patient is 61", "age over 89 of a patient"),
    ("FIN de la série 12", "number of an episode of care"),
    ("fin 12345678", "number of an episode of care"),
    ("DEA 12", "number of a prescriber"),
    ("NPI none", "number of a provider"),
    ("DR CHEST PA", "name with a doctor's title in capitals"),
    ("Hospital Bed Portable", "institution with its name behind"),
    ("2^3", "name in DICOM form"),
    ("Patient name: ", "name after its label"),
    ("Patient: x", "name after its label"),
    ("patient Okonkwo", "name after its label"),
    ("Mr. x", "name with a title"),
    ("dr. house", "name with a doctor's title"),
    ("Image Quality, MRI", "name before a degree"),
    ("operator Okonkwo", "name after a staff label"),
    ("5 mm", "street address"),
    ("Axial T2 12345", "city, state and ZIP code"),
    ("Box 4711", "post box"),
    ("Address: none given", "address after its label"),
    ("Home address:", "home address after its label"),
    ("Place of birth:", "birth place after its label"),
    ("Hospital", "name of an institution"),
    ("CHEST MEMORIAL", "name of an institution"),
    ("Other Clinical Trial Protocol", "name of an institution"),
    ("Facility", "institution after its label"),
    ("Sex: ", "sex after its label"),
    ("Race 5", "personal detail after its label"),
]


@pytest.mark.parametrize(("text", "value", "kind", "detail"), FOUND)
def test_a_rule_finds_the_value_and_nothing_around_it(text: str, value: str, kind: str, detail: str) -> None:
    spans = [(text[s.start : s.end], s.type.value, s.detail) for s in rule_spans(text)]
    assert (value, kind, detail) in spans


@pytest.mark.parametrize(("text", "detail"), NOT_FOUND)
def test_a_rule_leaves_other_text_alone(text: str, detail: str) -> None:
    assert detail not in [span.detail for span in rule_spans(text)]


@pytest.mark.parametrize("number", range(len(_rules())))
def test_no_rule_is_without_an_example_and_a_counterexample(number: int) -> None:
    rule = _rules()[number]
    mine = [text for text, _, kind, detail in FOUND if detail == rule.detail and kind == rule.type.value]
    assert any(rule.pattern.search(text) for text in mine), rule.detail
    assert any(detail == rule.detail for _, detail in NOT_FOUND), rule.detail


@pytest.mark.parametrize("number", range(len(_rules())))
def test_the_score_of_a_rule_is_a_probability_and_its_detail_tells_something(number: int) -> None:
    rule = _rules()[number]
    assert 0.25 < rule.score < 1
    assert len(rule.detail) > 2


def test_a_span_ends_before_punctuation() -> None:
    text = "Place of birth: Enugu, ; "
    (span,) = rule_spans(text)
    assert text[span.start : span.end] == "Enugu"


@pytest.mark.parametrize("text", ["Patient name:", "DOB", "Date of birth :", "  MRN # ", "Dateofbirth:", "SEX"])
def test_a_label_alone_is_recognised(text: str) -> None:
    assert is_label(text)


@pytest.mark.parametrize("text", ["", "Name: Jo", "Patients", "Named", "Sextant", "DOB 1950", "12"])
def test_other_text_is_no_label(text: str) -> None:
    assert not is_label(text)


@pytest.mark.parametrize("label", ["DOB:", "Date of birth: ", "Born ", "D.O.B. ", "birth date (", "geb. "])
def test_a_date_after_a_birth_label_is_a_birth_date(label: str) -> None:
    (span,) = [s for s in rule_spans(f"{label}12/11/1950)") if "date" in s.detail]
    assert (span.type.value, span.score) == ("DATE.birth", 0.97)


def test_a_date_without_a_birth_label_is_some_date() -> None:
    (span,) = rule_spans("Seen 12/11/1950")
    assert (span.type.value, span.score) == ("DATE.other", 0.93)
