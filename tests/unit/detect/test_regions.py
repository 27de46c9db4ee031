from __future__ import annotations

from collections.abc import Callable

import pytest

from deidra.app.decide.policy import Policy
from deidra.app.decide.verdict import verdict_of
from deidra.app.detect.drafts import Draft, region_drafts
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import bounding_box
from deidra.app.domain.model import Action, FrameText, TextLine, Verdict
from deidra.app.domain.taxonomy import EntityType

Line = Callable[..., TextLine]
Frame = Callable[..., FrameText]
Known = Callable[..., KnownIdentifiers]


def drafts(frame: FrameText, tagger: EntityTagger, unknown_words: bool = False) -> list[Draft]:
    return region_drafts(frame, tagger, unknown_words)


def test_only_the_private_part_of_a_line_is_marked(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("CT chest DOB 12/11/1950 scan 12 of 30", left=0)), tagger)
    assert (draft.text, draft.type, draft.action) == ("12/11/1950", EntityType.DATE_BIRTH, Action.REDACT)
    assert bounding_box(draft.polygon)[0] == 13 * 6
    assert bounding_box(draft.polygon)[2] == 23 * 6


def test_a_title_is_covered_with_its_name(line: Line, frame: Frame, known: Known) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "OKONKWO^ADAEZE")))
    (draft,) = drafts(frame(line("scan 12 of 30 seen by Dr. Okonkwo after lunch", left=0)), tagger)
    assert draft.text == "Okonkwo"
    assert bounding_box(draft.polygon)[0] == 22 * 6
    assert bounding_box(draft.polygon)[2] == 33 * 6


def test_a_tag_over_most_of_a_line_takes_the_whole_line(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    text = line("(12/11/1950)")
    (draft,) = drafts(frame(text), tagger)
    assert draft.polygon == text.polygon


def test_a_harmless_line_is_no_finding(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("AXIAL T2")), tagger)
    assert (draft.type, draft.score, draft.action) == (None, 0.0, Action.KEEP)
    assert verdict_of(draft, Policy()) is Verdict.IGNORE


@pytest.mark.parametrize("label", ["MRN:", "MRN", "Patient ID"])
def test_a_value_right_of_its_label_gets_its_meaning_from_it(
    line: Line, frame: Frame, tagger: EntityTagger, label: str
) -> None:
    found = drafts(frame(line(label, left=10), line("A4711", left=100)), tagger)
    assert [(d.text, d.type) for d in found] == [(label, None), ("A4711", EntityType.ID_MRN)]
    assert "label beside it" in found[1].reason


def test_a_value_below_its_label_gets_its_meaning_from_it(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    found = drafts(frame(line("DOB:", top=10), line("12/11/1950", top=22)), tagger)
    assert found[1].type is EntityType.DATE_BIRTH


@pytest.mark.parametrize(
    ("left", "top"), [(10, 200), (300, 22), (-80, 10), (600, 10)], ids=["far below", "aside", "left of it", "far right"]
)
def test_a_value_elsewhere_has_nothing_to_do_with_a_label(
    line: Line, frame: Frame, tagger: EntityTagger, left: float, top: float
) -> None:
    found = drafts(frame(line("MRN:", left=10), line("A4711", left=left, top=top)), tagger)
    assert found[1].type is None


def test_the_nearest_label_counts(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    found = drafts(frame(line("SSN:", left=10), line("MRN:", left=60), line("A4711", left=100)), tagger)
    assert found[2].type is EntityType.ID_MRN


def test_a_label_is_not_the_value_of_another_label(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    found = drafts(frame(line("Name:", left=10), line("Age:", left=60)), tagger)
    assert [d.type for d in found] == [None, None]


def test_two_readers_who_agree_make_it_certain_enough(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("MRN: A4711")), tagger)
    assert draft.variance == 0
    assert verdict_of(draft, Policy()) is Verdict.AUTO


def test_readers_who_differ_raise_the_variance_and_queue(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("MRN: A4711", second="MRI: AXIAL")), tagger)
    # Votes .97 and 0: their variance is (.97 / 2) squared.
    assert draft.variance == pytest.approx(0.2352, abs=1e-4)
    assert "the readers differ" in draft.reason
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


def test_a_line_that_only_one_reader_has_read_is_queued(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("MRN: A4711", second=None)), tagger)
    assert draft.score == 0.97
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


def test_a_known_identifier_is_applied_even_when_the_second_reader_fails(
    line: Line, frame: Frame, known: Known
) -> None:
    tagger = EntityTagger(known((EntityType.PATIENT, "Okonkwo^Adaeze")))
    (draft,) = drafts(frame(line("OKONKWO ADAEZE", second="0K0")), tagger)
    assert draft.certain
    assert verdict_of(draft, Policy()) is Verdict.AUTO


def test_what_only_the_second_reader_saw_covers_the_whole_line_and_queues(
    line: Line, frame: Frame, tagger: EntityTagger
) -> None:
    odd = line("IMAGE 12", second="MRN: A4711")
    (draft,) = drafts(frame(odd), tagger)
    assert draft.polygon == odd.polygon
    assert draft.type is EntityType.ID_MRN
    assert draft.reason.startswith("only the second reader")
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


def test_a_rare_name_that_only_the_less_sure_second_reader_saw_does_not_count(
    line: Line, frame: Frame, tagger: EntityTagger
) -> None:
    (draft,) = drafts(frame(line("IMAGE 12", second="Katherine", second_confidence=0.4)), tagger)
    assert draft.type is None


def test_text_that_nobody_could_read_is_queued(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("xqwz 1", confidence=0.3, second="|-~ k", second_confidence=0.2)), tagger)
    assert draft.type is EntityType.UNREAD
    assert draft.score == 0.6
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


def test_an_unsure_reading_that_the_second_reader_confirms_is_read(
    line: Line, frame: Frame, tagger: EntityTagger
) -> None:
    (draft,) = drafts(frame(line("AXIAL T2", confidence=0.3, second="AXIAL T2")), tagger)
    assert draft.type is None


@pytest.mark.parametrize("text", ["L", "R", "10"])
def test_single_letters_and_scales_are_not_queued(line: Line, frame: Frame, tagger: EntityTagger, text: str) -> None:
    (draft,) = drafts(frame(line(text, confidence=0.2, second="?", second_confidence=0.1)), tagger)
    assert draft.type is None


def test_a_word_of_no_list_goes_to_a_curator_when_asked_for(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (draft,) = drafts(frame(line("Xqzwvobi")), tagger, unknown_words=True)
    assert draft.type is EntityType.PATIENT
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


HAND, CODE = ("handwriting", "handwriting or a signature"), ("barcode", "a barcode")


@pytest.mark.parametrize(
    ("mark", "readings"),
    [
        (HAND, {"text": "lm", "confidence": 0.99, "second": "Jones", "second_confidence": 0.9}),
        (HAND, {"text": "AXIAL", "confidence": 0.5, "second": "AXIAL", "second_confidence": 0.9}),
        (HAND, {"text": "AXIAL", "confidence": 0.99, "second": None}),
        (CODE, {"text": "AXIAL", "confidence": 0.99, "second": "AXIAL", "second_confidence": 0.9}),
        (CODE, {"text": "L", "confidence": 0.2, "second": "?", "second_confidence": 0.1}),
    ],
)
@pytest.mark.parametrize("located", [0.01, 0.99])
def test_handwriting_that_nobody_reads_and_barcodes_always_go_to_a_curator(
    line: Line,
    frame: Frame,
    tagger: EntityTagger,
    mark: tuple[str, str],
    readings: dict[str, object],
    located: float,
) -> None:
    place = line(**readings, kind=mark[0], agents=["deidra-det"], located=located)
    (draft,) = drafts(frame(place), tagger, unknown_words=True)
    assert (draft.type, draft.text, draft.reason) == (EntityType.UNREAD, "", mark[1])
    assert (draft.polygon, draft.evidence, draft.action) == (place.polygon, place.evidence, Action.REDACT)
    assert verdict_of(draft, Policy()) is Verdict.QUEUE


def test_handwriting_that_both_readers_read_is_text(line: Line, frame: Frame, tagger: EntityTagger) -> None:
    (harmless,) = drafts(frame(line("AXIAL T2", kind="handwriting")), tagger)
    (private,) = drafts(frame(line("MRN: A4711", kind="handwriting")), tagger)
    assert (harmless.type, private.type) == (None, EntityType.ID_MRN)
    assert verdict_of(private, Policy()) is Verdict.AUTO


def test_a_known_identifier_in_a_barcode_covers_all_of_it_without_asking(
    line: Line, frame: Frame, known: Known
) -> None:
    tagger = EntityTagger(known((EntityType.ID_MRN, "A4711")))
    code = line("* A4711 * 12 34 56 *", kind="barcode")
    found = drafts(frame(code), tagger)
    assert [(d.text, d.polygon, verdict_of(d, Policy())) for d in found] == [("A4711", code.polygon, Verdict.AUTO)]


def test_what_a_rule_reads_under_a_barcode_covers_all_of_it_and_the_barcode_is_asked_about(
    line: Line, frame: Frame, tagger: EntityTagger
) -> None:
    code = line("MRN: A4711 and more of it", kind="barcode")
    found = drafts(frame(code), tagger)
    assert [d.type for d in found] == [EntityType.ID_MRN, EntityType.UNREAD]
    assert {d.polygon for d in found} == {code.polygon}


def test_unread_text_that_one_detector_hardly_believes_in_is_ignored_but_not_lost(
    line: Line, frame: Frame, tagger: EntityTagger
) -> None:
    unread = {"text": "xqwz 1", "confidence": 0.3, "second": "|-~ k", "second_confidence": 0.2}
    (weak,) = drafts(frame(line(**unread, agents=["deidra-det"], located=0.49)), tagger)
    (strong,) = drafts(frame(line(**unread, agents=["deidra-det"], located=0.5)), tagger)
    (other,) = drafts(frame(line(**unread, agents=["ppocr-det"], located=0.9)), tagger)
    (both,) = drafts(frame(line(**unread, located=0.49)), tagger)
    verdicts = [verdict_of(draft, Policy()) for draft in (weak, strong, other, both)]
    assert verdicts == [Verdict.IGNORE, Verdict.QUEUE, Verdict.IGNORE, Verdict.QUEUE]
    for ignored in (weak, other):
        assert ignored.evidence
        assert ignored.type is EntityType.UNREAD
