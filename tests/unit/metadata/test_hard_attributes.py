"""Attributes by the hundred: no text, date or address of the standard may carry a known person, whatever its name."""

from __future__ import annotations

import pytest
from hard_headers import (
    ACCESSION,
    BIRTH,
    DAY,
    IDENTITY,
    PRESETS,
    SURNAME,
    UIDS,
    clean,
    header,
    put,
    text,
)
from pydicom.datadict import DicomDictionary

presets = pytest.mark.parametrize("preset", PRESETS)
SECRETS = (SURNAME, "adaeze", IDENTITY, ACCESSION, BIRTH, DAY, *UIDS.values())
TEXTS = {"LO", "SH", "LT", "ST", "UT", "UC", "UR", "PN", "AE", "CS"}


def _attributes(retired: bool) -> list[tuple[int, str]]:
    return sorted(
        (tag, entry[0])
        for tag, entry in DicomDictionary.items()
        if entry[0] in TEXTS and (entry[3] == "Retired") is retired and tag >> 16 not in (0x0002, 0x0004, 0x0000)
    )


@presets
@pytest.mark.parametrize("retired", [True, False])
@pytest.mark.parametrize("form", ["Okonkwo^Adaeze", "seen Okonkwo Adaeze", "OKONKWO", f"ID {IDENTITY}"])
def test_no_text_attribute_of_the_standard_keeps_a_known_person(preset: str, retired: bool, form: str) -> None:
    dataset = header()
    own = {element.tag for element in dataset}
    for tag, vr in _attributes(retired):
        if tag not in own and tag != 0x00080005:
            value = form.upper()[:16] if vr in ("CS", "AE") else form
            put(dataset, tag, vr, value.encode())
    result = clean(dataset, preset)
    left = [str(e.tag) for e in result.dataset if any(s in str(e.value).lower() for s in (SURNAME, IDENTITY.lower()))]
    assert left == []


@presets
def test_no_date_attribute_of_the_standard_stays(preset: str) -> None:
    dataset = header()
    for tag, entry in DicomDictionary.items():
        if entry[0] in ("DA", "DT") and tag >> 16 not in (0x0002, 0x0004) and "Version" not in entry[4]:
            put(dataset, tag, entry[0], DAY.encode())
    assert clean(dataset, preset).holds(DAY) == []


@presets
@pytest.mark.parametrize(
    "url",
    [
        f"https://pacs.example.org/wado?patientID={IDENTITY}&studyUID={UIDS['study']}",
        f"file:///data/okonkwo_adaeze/{ACCESSION}/1.dcm",
        "mailto:adaeze.okonkwo@example.org",
        f"http://okonkwo.example.org/{DAY}/x",
        "https://pacs.example.org/x/y",
    ],
)
@pytest.mark.parametrize(
    "keyword",
    ["RetrieveURL", "RetrieveURI", "StorageURL", "PixelDataProviderURL", "CodingSchemeURL"],
)
def test_no_address_of_a_resource_stays(preset: str, url: str, keyword: str) -> None:
    result = clean(header(**{keyword: url}), preset)
    assert result.holds(*SECRETS) == []
    if keyword != "CodingSchemeURL":
        assert result.holds("example.org") == []


@presets
def test_clinical_trials_keep_no_name_and_no_empty_required_value(preset: str) -> None:
    required = ["ClinicalTrialSponsorName", "ClinicalTrialProtocolID", "ClinicalTrialSubjectID"]
    others = [
        *("ClinicalTrialProtocolName", "ClinicalTrialSiteID", "ClinicalTrialSiteName", "ClinicalTrialSubjectReadingID"),
        *("ClinicalTrialTimePointID", "ClinicalTrialTimePointDescription", "ClinicalTrialCoordinatingCenterName"),
        *("ClinicalTrialProtocolEthicsCommitteeName", "ClinicalTrialProtocolEthicsCommitteeApprovalNumber"),
        *("ClinicalTrialSeriesID", "ClinicalTrialSeriesDescription"),
    ]
    dataset = header(**dict.fromkeys([*required, *others], f"TRIAL-X {IDENTITY}"))
    result = clean(dataset, preset)
    assert result.holds(IDENTITY) == []
    assert [keyword for keyword in required if not text(result.get(keyword))] == []
    if preset == "basic":
        assert result.holds("TRIAL-X") == []


@presets
def test_institutions_go_and_devices_stay_only_where_the_policy_keeps_them(preset: str) -> None:
    device = {
        **{"StationName": "CTROOM7", "DeviceSerialNumber": "SN-88231", "ManufacturerModelName": "Ingenia"},
        **{"Manufacturer": "ACME Medical", "SoftwareVersions": "5.1.7", "DetectorID": "DET-4"},
    }
    institution = {
        **{"InstitutionName": "St Okonkwo Hospital", "InstitutionAddress": "1 Harbour Road, Springfield"},
        **{"InstitutionalDepartmentName": "Radiology West"},
    }
    result = clean(header(**device, **institution), preset)
    assert result.holds("hospital", "harbour", "springfield", "radiology west") == []
    assert (result.get("Manufacturer"), result.get("SoftwareVersions")) == ("ACME Medical", "5.1.7")
    kept = {keyword: result.get(keyword) for keyword in ("StationName", "DeviceSerialNumber", "DetectorID")}
    if preset == "tcia":
        assert kept == {keyword: device[keyword] for keyword in kept}
    else:
        assert result.holds("CTROOM7", "SN-88231", "DET-4") == []


def test_the_dictionary_of_the_tests_is_the_one_of_the_reader() -> None:
    assert len(_attributes(True)) > 100
    assert len(_attributes(False)) > 900
