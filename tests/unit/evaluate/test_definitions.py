from __future__ import annotations

import re

import numpy as np
import pytest

from deidra.app.detect.agents import AGENTS
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Evidence, FrameText, TextLine
from deidra.app.domain.taxonomy import EntityType
from deidra.app.evaluate.definition_images import ELEVEN, LABELS, PASSPORT, ReadImage, TrueText, text_of
from deidra.app.evaluate.definitions import EXAMPLES, WORDS, examples_of, measured, policy_for
from deidra.app.evaluate.detector_papers import published
from deidra.app.evaluate.forms import forms
from deidra.app.synth.scenes.scene import paper_scene
from deidra.app.synth.scenes.words import Word
from deidra.app.synth.texts.sample import TextSample, TextSpan


def line(text: str, top: int) -> TextLine:
    located = [Evidence(agent, None, None, 1.0, 0.0) for agent in AGENTS]
    read = [Evidence(reader, text, None, 0.99, 0.0) for reader in ("ppocr-rec", "tesseract")]
    polygon = box_polygon(0, top, 12 * len(text), top + 20)
    spans = tuple((i / len(text), (i + 1) / len(text)) for i in range(len(text)))
    return TextLine(polygon, text, spans, (*located, *read), "printed")


def image(*texts: tuple[str, str, str]) -> ReadImage:
    """An image with texts of labels, and what is read of each."""
    truth = [
        TrueText(text, (0, 40 * n, 12 * len(text), 40 * n + 20), label) for n, (text, label, _) in enumerate(texts)
    ]
    lines = tuple(line(read, 40 * n) for n, (_, _, read) in enumerate(texts))
    return ReadImage(tuple(truth), FrameText(0, 600, 600, lines))


def test_a_text_that_is_found_and_read_rightly_counts_in_both_figures() -> None:
    one = image(("B87654321", PASSPORT, "B87654321"), ("MRN93987011", "Medical Number", "MRN93987011"))
    figures = measured([one], PASSPORT, (EXAMPLES[PASSPORT],))
    assert (figures["f1_text"], figures["f1_place"], figures["texts"], figures["found"]) == (1.0, 1.0, 1, 1)
    assert (figures["others"], figures["others_masked"]) == (1, 0)


def test_a_text_that_is_read_wrongly_counts_by_its_place_alone() -> None:
    figures = measured([image(("B87654321", PASSPORT, "B87654327"))], PASSPORT, ())
    assert (figures["f1_text"], figures["f1_place"]) == (0.0, 1.0)


def test_other_text_that_is_taken_for_the_type_and_text_that_is_missed_lower_both() -> None:
    one = image(("B87654321", PASSPORT, "seven"), ("C12345678", "Name", "C12345678"))
    figures = measured([one], PASSPORT, ())
    assert (figures["f1_place"], figures["recall"], figures["found"]) == (0.0, 0.0, 1)


@pytest.mark.parametrize("label", sorted(WORDS))
def test_under_each_definition_that_type_alone_is_private_and_its_example_is_of_it(label: str) -> None:
    policy = policy_for(label, (EXAMPLES[label],))
    (matcher,) = policy.matchers
    assert matcher.definition.examples == (EXAMPLES[label],)
    assert EXAMPLES[label] in {match.text for match in matcher.matches(EXAMPLES[label])}


def test_examples_come_from_the_training_split_and_more_begin_with_the_fewer() -> None:
    assert examples_of("Email", 5)[:2] == examples_of("Email", 2)
    assert len(set(examples_of(PASSPORT, 5))) == 5


def test_new_types_have_the_forms_of_the_paper() -> None:
    rng = np.random.default_rng(3)
    assert re.fullmatch(r"[1-9]\d{10}", text_of(rng, "test", ELEVEN))
    assert re.fullmatch(r"[A-Z]\d{8}", text_of(rng, "test", PASSPORT))
    phones = [text_of(rng, "test", "Phone Number") for _ in range(60)]
    assert not any(len(re.findall(r"\d", phone)) == 11 for phone in phones)


def test_an_image_after_paper_000_holds_the_texts_that_are_drawn_and_is_always_the_same() -> None:
    def draw(rng: np.random.Generator, split: str) -> Word:
        return Word(f"{split} {rng.integers(10, 99)}", None)

    one, again = paper_scene("test", 4, draw), paper_scene("test", 4, draw)
    assert one.texts
    assert all(re.fullmatch(r"test \d\d", text.text) for text in one.texts)
    assert (one.image == again.image).all()
    assert one.texts == again.texts


def test_published_figures_are_there_for_every_type() -> None:
    told = published()["paper_000"]
    assert {*told["labels"], ELEVEN, PASSPORT} == set(LABELS.values()) == set(WORDS)
    assert all(len(row["values"]) == len(told["labels"]) for row in told["f1"])
    assert all(len(row["values"]) == 2 for row in told["new"])


def test_forms_are_counted_without_identifiers() -> None:
    text = "MRN12345 at 1234 mm"
    held = TextSpan(0, 8, EntityType.ID_MRN, "MRN12345")
    counted, words = forms([TextSample(text, (held,), "note", "", "", "", "")])
    assert words == 3
    assert counted == {"l2": 2, "l2_D4": 1, "l2_D4_l2": 1, "D4": 1, "D4_l2": 1}
