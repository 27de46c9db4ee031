"""The network beside rules and lists: whose ends count, whose type, and what stays when it is sure."""

from collections.abc import Sequence

import numpy as np
import pytest

from deidra.app.detect import tagger as tagging
from deidra.app.detect.entity_model import anchored, is_foreign, model_spans
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.spans import KNOWN, Span
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.taxonomy import EntityType
from deidra.models.entity_tagger import NAME, TextInput
from deidra.models.tagger_pieces import Found, Reading


class Reads:
    """A network that finds the given words, each as sure."""

    def __init__(self, words: dict[str, EntityType], score: float = 0.999, variance: float = 0.0) -> None:
        self._words, self._score, self._variance = words, score, variance
        self.beside = 0.5
        self.asked: list[TextInput] = []

    def found(self, asked: TextInput) -> tuple[Found, ...]:
        self.asked.append(asked)
        return tuple(
            Found(asked.text.index(word), asked.text.index(word) + len(word), kind, self._score, self._variance)
            for word, kind in self._words.items()
            if word in asked.text
        )

    def reading(self, asked: TextInput) -> Reading:
        """One piece for each character, as likely private as said; what is in no word is as likely as ``beside``."""
        private = np.full(len(asked.text), self.beside, np.float32)
        for found in self.found(asked):
            private[found.start : found.end] = found.score
        places = np.arange(len(asked.text))
        return Reading(self.found(asked), places, places + 1, private)


@pytest.fixture
def tagger(monkeypatch: pytest.MonkeyPatch):
    def make(
        words: dict[str, EntityType], score: float = 0.999, variance: float = 0.0, **options: bool
    ) -> EntityTagger:
        reads = Reads(words, score, variance)
        monkeypatch.setattr(tagging, "entity_model", lambda: reads)
        made = EntityTagger(KnownIdentifiers([]), network=True, **options)
        made.reads = reads  # type: ignore[attr-defined]
        return made

    return make


def told(tags: Sequence[tagging.Tag], text: str) -> list[tuple[str, EntityType]]:
    return [(text[tag.start : tag.end], tag.type) for tag in tags]


def test_a_name_that_no_rule_knows_is_found_by_the_network(tagger) -> None:
    text = "seen Xqwzly Brtvok today"
    [tag] = tagger({"Xqwzly Brtvok": EntityType.PATIENT}).tags(text)
    assert told([tag], text) == [("Xqwzly Brtvok", EntityType.PATIENT)]
    assert max(tag.spans, key=lambda span: span.score).agent == NAME
    assert tag.score > 0.9


def test_what_the_network_doubts_carries_its_variance(tagger) -> None:
    [tag] = tagger({"Xqwzly": EntityType.PATIENT}, score=0.7, variance=0.2).tags("seen Xqwzly today")
    assert tag.variance == 0.2
    assert tag.score < 0.88


def test_a_title_or_degree_that_a_rule_takes_for_a_name_goes_where_the_network_is_sure(tagger) -> None:
    text = "Read by Dr. Okonkwo MD"
    tags = tagger({"Okonkwo": EntityType.STAFF}).tags(text)
    assert told(tags, text) == [("Okonkwo", EntityType.STAFF)]
    assert {span.agent for span in tags[0].spans} > {NAME}


def test_what_holds_another_name_or_a_long_number_is_never_cut_off() -> None:
    text = "Okonkwo Garcia 471147"
    rule = Span(0, len(text), EntityType.PATIENT, 0.9, "rules", "name")
    sure = Span(0, 7, EntityType.PATIENT, 0.99, NAME, "read")
    spans = anchored(text, [rule, sure])
    assert {(span.start, span.end) for span in spans} == {(0, 7), (7, len(text))}


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Okonkwo Case", "Okonkwo", " Case"),
        ("OKONKWO STRONG", "OKONKWO", " STRONG"),
        ("Garcia Okonkwo", "Okonkwo", "Garcia "),
        ("Okonkwo Garcia", "Okonkwo", " Garcia"),
    ],
)
def test_another_part_of_a_name_is_never_cut_off_even_if_it_is_a_word(text: str, name: str, left: str) -> None:
    rule = Span(0, len(text), EntityType.PATIENT, 0.9, "rules", "name")
    at = text.index(name)
    spans = anchored(text, [rule, Span(at, at + len(name), EntityType.PATIENT, 0.99, NAME, "read")])
    assert left in {text[span.start : span.end] for span in spans}


@pytest.mark.parametrize("text", ["Okonkwo MD", "Okonkwo\nAdmitting", "Okonkwo fell", "Author Okonkwo", "Dr. Okonkwo"])
def test_titles_degrees_and_words_of_the_next_line_are_cut_off(text: str) -> None:
    rule = Span(0, len(text), EntityType.PATIENT, 0.9, "rules", "name")
    at = text.index("Okonkwo")
    spans = anchored(text, [rule, Span(at, at + 7, EntityType.PATIENT, 0.99, NAME, "read")])
    assert {(span.start, span.end) for span in spans} == {(at, at + 7)}


def test_a_doubtful_network_cuts_nothing() -> None:
    rule = Span(0, 11, EntityType.STAFF, 0.9, "rules", "title and name")
    for doubtful in (
        Span(4, 11, EntityType.STAFF, 0.6, NAME, "read"),
        Span(4, 11, EntityType.STAFF, 0.99, NAME, "", 0.2),
    ):
        assert rule in anchored("Dr. Okonkwo", [rule, doubtful])


def test_a_known_identifier_is_never_cut() -> None:
    known = Span(0, 11, EntityType.PATIENT, 1.0, KNOWN, "PatientName")
    sure = Span(4, 11, EntityType.PATIENT, 0.99, NAME, "read")
    assert known in anchored("Ada Okonkwo", [known, sure])


def test_two_names_of_which_the_network_is_sure_stay_two(tagger) -> None:
    text = "Maria Garcia\n- Jose Lopez"
    tags = tagger({"Maria Garcia": EntityType.STAFF, "Jose Lopez": EntityType.STAFF}).tags(text)
    assert told(tags, text) == [("Maria Garcia", EntityType.STAFF), ("Jose Lopez", EntityType.STAFF)]


def test_the_network_knows_whose_phone_it_is_and_lists_do_not_know_who_is_staff(tagger) -> None:
    text = "Maria Garcia, 617-555-0143"
    words = {"Maria Garcia": EntityType.STAFF, "617-555-0143": EntityType.PHONE_HOME}
    assert told(tagger(words, score=0.8).tags(text), text) == list(words.items())


@pytest.mark.parametrize("text", ["Hill-Sachs lesion", "Supine", "Barrett esophagus"])
def test_eponyms_and_words_of_imaging_are_nobodys_name_whatever_the_network_reads(text: str) -> None:
    assert not list(model_spans(Reads({text.split()[0]: EntityType.PATIENT}), text))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["244", "mmol", "V/Q", "L"])
def test_a_text_of_a_few_characters_tells_nothing_unless_its_attribute_is_known(text: str) -> None:
    reads = Reads({text: EntityType.STAFF})
    assert not list(model_spans(reads, text))  # type: ignore[arg-type]
    assert reads.asked == []
    list(model_spans(reads, text, "OperatorsName"))  # type: ignore[arg-type]
    assert len(reads.asked) == 1


@pytest.mark.parametrize(
    ("word", "text"), [("V", "V/Q of the lungs"), ("mmol", "mmol/L and more"), ("四", "四 of the lungs")]
)
def test_letters_and_ordinary_small_words_are_nobodys_name(word: str, text: str) -> None:
    assert not list(model_spans(Reads({word: EntityType.STAFF}), text))  # type: ignore[arg-type]


def test_a_person_called_by_a_word_of_imaging_and_one_of_no_list_is_asked_about() -> None:
    [span] = model_spans(Reads({"Supine Xqwzly": EntityType.PATIENT}), "seen Supine Xqwzly")  # type: ignore[arg-type]
    assert 0.25 < span.score < 0.5


def test_diagnoses_are_private_only_where_they_are_asked_for(tagger) -> None:
    words = {"pneumonia": EntityType.HEALTH}
    assert tagger(words).tags("treated for pneumonia") == []
    assert [tag.type for tag in tagger(words, health=True).tags("treated for pneumonia")] == [EntityType.HEALTH]


def test_titles_and_terms_of_a_vocabulary_are_not_read(tagger) -> None:
    made = tagger({"CHEST": EntityType.PATIENT})
    assert made.tags("CHEST", terms=True) == made.tags("CHEST", title=True) == []
    assert made.reads.asked == []


def test_the_attributes_keyword_is_told_to_the_network(tagger) -> None:
    made = tagger({})
    made.tags("something", keyword="SeriesDescription")
    assert set(made.reads.asked) == {TextInput("something", "SeriesDescription")}


def test_types_that_are_off_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "entity_model", lambda: Reads({"Xqwzly": EntityType.PATIENT}))
    made = EntityTagger(KnownIdentifiers([]), [EntityType.PATIENT], network=True)
    assert made.tags("seen Xqwzly") == []


def test_without_the_network_the_rules_still_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagging, "entity_model", lambda: None)
    made = EntityTagger(KnownIdentifiers([]), network=True)
    assert not made.has_network
    assert [tag.type for tag in made.tags("MRN: A-4711")] == [EntityType.ID_MRN]


SPANISH = (
    "Acude a urgencias por cuadro de dolor abdominal difuso acompañado de vómitos biliosos y ausencia de deposiciones. "
    "Se realizó ecografía que mostró dilatación de asas, sin apreciarse colecciones; fue ingresado y tratado"
)
ENGLISH = "The patient reports mild pain and swelling in the middle third of the lower leg for about two weeks now"


def test_prose_of_another_language_is_known_as_such() -> None:
    assert is_foreign(SPANISH)
    assert not is_foreign(ENGLISH)
    assert not is_foreign("Paciente: Okonkwo Adaeze")


def test_in_prose_of_another_language_the_network_is_not_believed_alone(tagger) -> None:
    made = tagger({"dolor": EntityType.PATIENT, "Okonkwo": EntityType.STAFF})
    text = f"{SPANISH}, Dr. Okonkwo"
    assert told(made.tags(text, single_names=False), text) == [("Okonkwo", EntityType.STAFF)]


def test_where_lists_and_the_network_agree_less_doubt_is_left(tagger) -> None:
    [tag] = tagger({"Maria Garcia": EntityType.STAFF}, score=0.99, variance=0.1).tags("seen Maria Garcia today")
    listed = max(span.score for span in tag.spans if span.agent == "gazetteer")
    read = max(span.score for span in tag.spans if span.agent == NAME)
    assert tag.score == pytest.approx(1 - (1 - listed) * (1 - read), abs=1e-4)
    assert tag.variance == pytest.approx(0.1 * (1 - listed))


def test_agents_that_tell_different_kinds_do_not_agree(tagger) -> None:
    [tag] = tagger({"Maria Garcia": EntityType.FINANCE}, score=0.7, variance=0.1).tags("seen Maria Garcia today")
    assert tag.score == max(span.score for span in tag.spans)


@pytest.mark.parametrize(
    ("beside", "text", "share"),
    [
        (0.5, "Porter handle", 1.0),
        (0.05, "Porter handle", 0.4),
        (0.05, "the Porter handle was not used", 0.6),
    ],
)
def test_a_word_of_a_list_counts_less_where_the_network_sees_nothing_private(
    tagger, beside: float, text: str, share: float
) -> None:
    alone = EntityTagger(KnownIdentifiers([])).tags(text)
    made = tagger({})
    made.reads.beside = beside
    [before], [after] = alone, made.tags(text)
    assert text[before.start : before.end] == "Porter"
    assert after.score == pytest.approx(before.score * share)


def test_a_word_of_no_list_counts_less_only_where_the_network_is_surer_still(tagger) -> None:
    made = tagger({})
    scores = []
    for beside in (0.5, 0.05, 0.01):
        made.reads.beside = beside
        [tag] = made.tags("Xqwzly 3", unknown_words=True)
        scores.append(tag.score)
    assert scores == pytest.approx([0.3, 0.3, 0.12])


def test_known_identifiers_and_labels_do_not_count_less(tagger) -> None:
    text = "Name: Porter"
    made = tagger({})
    made.reads.beside = 0.0
    [tag] = made.tags(text)
    assert tag.score == EntityTagger(KnownIdentifiers([])).tags(text)[0].score > 0.5


@pytest.mark.parametrize(
    "text", ["Tell Adaeze Okonkwo. Will return.", "Adaeze Okonkwo   Author", "Adaeze Okonkwo\nBank: x"]
)
def test_the_first_word_of_the_next_sentence_or_column_belongs_to_no_name(tagger, text: str) -> None:
    tags = tagger({"Adaeze Okonkwo": EntityType.PATIENT}).tags(text)
    assert told(tags, text) == [("Adaeze Okonkwo", EntityType.PATIENT)]


def test_the_network_tells_what_a_form_is_where_a_rule_knows_the_form_only(tagger) -> None:
    text = "12 March 1957, a Tuesday"
    [tag] = tagger({"12 March 1957": EntityType.DATE_BIRTH}).tags(text)
    assert tag.type is EntityType.DATE_BIRTH
