from __future__ import annotations

from pydicom.dataset import Dataset
from pydicom.sequence import Sequence

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.answers import FileAnswers, header_answers
from deidra.app.synth.people import Phi

NAME = Phi("Ada Quackenbush", EntityType.PATIENT)


def answers_for(dataset: Dataset, *known: Phi, harmless: tuple[str, ...] = ()) -> FileAnswers:
    answers = FileAnswers("x.dcm", "dicom")
    header_answers(answers, dataset, known, harmless)
    return answers


def test_nested_values_get_a_path_with_items_counted_from_zero() -> None:
    item = Dataset()
    item.PatientID = "123"
    dataset = Dataset()
    dataset.RequestAttributesSequence = Sequence([Dataset(), item])
    [found] = answers_for(dataset).phi
    assert (found.tag, found.text, found.type) == ("(0040,0275)[1]/(0010,0020)", "123", EntityType.ID_MRN)


def test_free_text_yields_the_private_part_once_and_its_harmless_part() -> None:
    dataset = Dataset()
    dataset.ImageComments = "Pt Ada Quackenbush, motion"
    answers = answers_for(dataset, Phi("Quackenbush", EntityType.PATIENT), NAME, harmless=("motion",))
    assert [phi.text for phi in answers.phi] == ["Ada Quackenbush"]
    assert [kept.text for kept in answers.keep] == ["motion"]


def test_descriptions_are_kept_unless_a_name_stands_in_them() -> None:
    dataset = Dataset()
    dataset.StudyDescription = "CT ABDOMEN"
    dataset.SeriesDescription = "Ada Quackenbush scout"
    answers = answers_for(dataset, NAME)
    assert [kept.text for kept in answers.keep] == ["CT ABDOMEN"]
    assert [phi.text for phi in answers.phi] == ["Ada Quackenbush"]


def test_only_ages_over_89_and_no_class_uids_are_private() -> None:
    dataset = Dataset()
    dataset.SOPClassUID = "1.2.840.10008.5.1.4.1.1.2"
    dataset.PatientAge = "089Y"
    assert answers_for(dataset).phi == []
    dataset.PatientAge = "090Y"
    assert [phi.type for phi in answers_for(dataset).phi] == [EntityType.AGE]


def test_birth_dates_are_told_from_other_dates() -> None:
    dataset = Dataset()
    dataset.StudyDate = "20240101"
    dataset.Date = "19700101"
    found = answers_for(dataset, Phi("19700101", EntityType.DATE_BIRTH)).phi
    assert [phi.type for phi in found] == [EntityType.DATE_OTHER, EntityType.DATE_BIRTH]
