from __future__ import annotations

import pydicom
import pytest
from pydicom import Dataset

from deidra.app.domain.taxonomy import EntityType
from deidra.app.metadata.identity import identifiers, issued_id, patient_key, person_name
from deidra.app.metadata.keys import ProjectKey


def of(**values: object) -> Dataset:
    dataset = Dataset()
    for name, value in values.items():
        setattr(dataset, name, value)
    return dataset


def found(dataset: Dataset) -> list[tuple[EntityType, str]]:
    return [(item.type, item.value) for item in identifiers(dataset, "P")]


def test_trailing_carets_do_not_make_another_patient(key: ProjectKey) -> None:
    names = [
        "LAST^FIRST^MIDDLE",
        "LAST^FIRST^MIDDLE^",
        "LAST^FIRST^MIDDLE^^",
        " Last^First^Middle ",
        "LAST ^ FIRST ^MIDDLE",
    ]
    assert len({patient_key(of(PatientName=name), key) for name in names}) == 1
    assert patient_key(of(PatientName="LAST^FIRST"), key) != patient_key(of(PatientName=names[0]), key)


def test_the_same_id_of_two_issuers_is_two_patients_unless_they_have_the_same_name(key: ProjectKey) -> None:
    met = issued_id(of(PatientID="1", IssuerOfPatientID="A", PatientName="Okonkwo^A"), key)
    other = of(PatientID="1", IssuerOfPatientID="B", PatientName="Hill^B")
    same = of(PatientID="1", IssuerOfPatientID="B", PatientName="OKONKWO^A^^Dr")
    nameless = of(PatientID="1", IssuerOfPatientID="B")
    alone = of(PatientID="1", PatientName="Okonkwo^A")
    first = of(PatientID="1", IssuerOfPatientID="A", PatientName="Married^A")
    assert met is not None
    assert {patient_key(d, key, [met]) for d in (same, alone, first)} == {met.alone}
    assert patient_key(other, key, [met]) == patient_key(nameless, key, [met]) != met.alone


def test_a_file_without_issuer_belongs_to_the_issuer_whose_patient_has_its_name(key: ProjectKey) -> None:
    met = [
        issued_id(of(PatientID="1", IssuerOfPatientID=i, PatientName=n), key) for i, n in (("A", "A^B"), ("B", "C^D"))
    ]
    issued = [identity for identity in met if identity is not None]
    assert patient_key(of(PatientID="1", PatientName="C^D"), key, issued) == issued[1].issued
    assert patient_key(of(PatientID="1", PatientName="A^B"), key, issued) == issued[0].alone
    assert patient_key(of(PatientID="1"), key, issued) == issued[0].alone
    assert patient_key(of(PatientID="1", PatientName="C^D"), key, issued[::-1]) == issued[1].alone


def test_the_first_issuer_of_an_id_is_the_one_that_is_meant_where_none_stands(key: ProjectKey) -> None:
    assert patient_key(of(PatientID="1"), key) == patient_key(of(PatientID="1", IssuerOfPatientID="A"), key)
    assert issued_id(of(PatientName="A^B", IssuerOfPatientID="A"), key) is None


def test_the_id_counts_more_than_the_name(key: ProjectKey) -> None:
    first = patient_key(of(PatientID="4711", PatientName="Okonkwo^A"), key)
    assert first == patient_key(of(PatientID=" 4711 ", PatientName="Okonkwo-Married^A"), key)
    assert first != patient_key(of(PatientID="4712", PatientName="Okonkwo^A"), key)


def test_namesakes_with_other_birth_dates_are_two_patients(key: ProjectKey) -> None:
    keys = {patient_key(of(PatientName="A^B", PatientBirthDate=day), key) for day in ("19500101", "19500102", "")}
    assert len(keys) == 3


def test_without_id_and_name_the_study_stands_for_the_patient(key: ProjectKey) -> None:
    first = patient_key(of(StudyInstanceUID="1.2", SOPInstanceUID="1"), key)
    assert first == patient_key(of(StudyInstanceUID="1.2", SOPInstanceUID="2"), key)
    assert first != patient_key(of(StudyInstanceUID="1.3"), key)


def test_an_id_and_a_name_with_the_same_text_are_not_mixed_up(key: ProjectKey) -> None:
    assert patient_key(of(PatientID="1.2"), key) != patient_key(of(PatientName="1.2"), key)
    assert patient_key(of(PatientName="1.2"), key) != patient_key(of(StudyInstanceUID="1.2"), key)


def test_another_key_gives_another_patient_key(key: ProjectKey) -> None:
    dataset = of(PatientID="4711")
    assert patient_key(dataset, key) != patient_key(dataset, ProjectKey(bytes(32)))
    assert "4711" not in patient_key(dataset, key)


@pytest.mark.parametrize(
    ("raw", "plain"), [("A^B^", "A^B"), ("A^B^^^=", "A^B"), ("  A ", "A"), ("", ""), (None, ""), ("^", "")]
)
def test_a_name_loses_its_empty_ends(raw: object, plain: str) -> None:
    assert person_name(raw) == plain


def test_all_three_writings_of_a_name_are_known() -> None:
    dataset = of(PatientName="Yamada^Tarou=山田^太郎=やまだ^たろう")
    assert found(dataset) == [
        (EntityType.PATIENT, "Yamada^Tarou"),
        (EntityType.PATIENT, "山田^太郎"),
        (EntityType.PATIENT, "やまだ^たろう"),
    ]


def test_names_of_patients_and_staff_are_told_apart() -> None:
    dataset = of(
        PatientName="Okonkwo^A",
        OtherPatientNames=["Old^A", "Older^A"],
        ReferringPhysicianName="House^G",
        OperatorsName=["Wilson^J", "Cuddy^L"],
    )
    assert set(found(dataset)) == {
        (EntityType.PATIENT, "Okonkwo^A"),
        (EntityType.PATIENT, "Old^A"),
        (EntityType.PATIENT, "Older^A"),
        (EntityType.STAFF, "House^G"),
        (EntityType.STAFF, "Wilson^J"),
        (EntityType.STAFF, "Cuddy^L"),
    }


def test_ids_dates_and_places_get_their_types() -> None:
    dataset = of(
        PatientID="MRN4711",
        AccessionNumber="A-99",
        PatientBirthDate="1950.12.11",
        StudyDate="20240229",
        InstitutionName="General Hospital of X",
        PatientTelephoneNumbers="555 1234567",
        StationName="CT99",
    )
    assert set(found(dataset)) == {
        (EntityType.ID_MRN, "MRN4711"),
        (EntityType.ID_OTHER, "A-99"),
        (EntityType.DATE_BIRTH, "1950.12.11"),
        (EntityType.DATE_OTHER, "20240229"),
        (EntityType.HOSPITAL, "General Hospital of X"),
        (EntityType.PHONE_HOME, "555 1234567"),
        (EntityType.OTHERPHI, "CT99"),
    }


def test_a_date_in_the_older_form_with_dots_is_an_identifier() -> None:
    with pydicom.config.disable_value_validation():
        assert found(of(StudyDate="1999.12.11")) == [(EntityType.DATE_OTHER, "1999.12.11")]


def test_identifiers_inside_sequences_are_found_with_their_source() -> None:
    inner = of(PersonName="Deep^A")
    outer = of(ContentSequence=[of(ContentSequence=[inner])])
    (item,) = identifiers(outer, "P")
    assert (item.value, item.source, item.patient_key) == ("Deep^A", "PersonName", "P")


@pytest.mark.parametrize(
    "value", ["ANONYMOUS", "Anonymous", "anon^", "UNKNOWN", "x", "XXX", "TEST", "----", "^^^", "0000", "REMOVED", "A"]
)
def test_placeholders_are_no_identifiers(value: str) -> None:
    assert found(of(PatientName=value, PatientID=value)) == []


@pytest.mark.parametrize("value", ["UNKNOWN", "0", "", "20241301"])
def test_what_is_no_date_is_no_identifier(value: str) -> None:
    with pydicom.config.disable_value_validation():
        assert found(of(StudyDate=value, PatientBirthDate=value)) == []


def test_an_identifier_is_listed_once_and_never_longer_than_the_store_holds() -> None:
    with pydicom.config.disable_value_validation():
        dataset = of(PatientName="Okonkwo^A", OtherPatientNames="Okonkwo^A", PatientAddress="ab " * 400)
        values = found(dataset)
    assert len(values) == 2
    assert max(len(value) for _, value in values) == 512
