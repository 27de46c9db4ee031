"""Images after paper 000 with texts of its eight types and its two new ones, read as the product reads images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deidra.app.decide.policy import Policy
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.geometry import Box
from deidra.app.domain.model import FrameText
from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import words
from deidra.app.synth.scenes.papers import value
from deidra.app.synth.scenes.scene import paper_scene
from deidra.app.synth.scenes.words import Word
from deidra.models.runtime import share_cores

ELEVEN, PASSPORT = "11-Digit Phone Number", "Passport Number"
NEW = (ELEVEN, PASSPORT)
LABELS = {
    EntityType.PATIENT: "Name",
    EntityType.DATE_BIRTH: "DOB",
    EntityType.ID_SSN: "SSN",
    EntityType.EMAIL: "Email",
    EntityType.PHONE_HOME: "Phone Number",
    EntityType.LOCATION_HOME_ADDRESS: "Address",
    EntityType.ID_MRN: "Medical Number",
    EntityType.HEALTH: "Disease Name",
    EntityType.PHONE_OTHER: ELEVEN,
    EntityType.ID_OTHER: PASSPORT,
}
"""The paper's name of each type; the new ones are marked by types that its images have not."""
_ELEVEN_DIGITS = 11
_OF_LABEL = {label: kind for kind, label in LABELS.items()}


@dataclass(frozen=True, slots=True)
class TrueText:
    """A text on an image: what it says, where (left, top, right, bottom), and the paper's name of its type."""

    text: str
    box: Box
    label: str


@dataclass(frozen=True, slots=True)
class ReadImage:
    """One image: the texts that stand on it, and what detectors and readers make of it."""

    truth: tuple[TrueText, ...]
    read: FrameText


def text_of(rng: np.random.Generator, split: str, label: str) -> str:
    """A value of a type, without a label, as in table 2 of the paper."""
    kind = _OF_LABEL[label]
    if label == ELEVEN:
        return words.fill(rng, "~##########")
    if label == PASSPORT:
        return words.fill(rng, "@########")
    if kind is EntityType.DATE_BIRTH:
        return words.dated(rng)
    if kind is EntityType.ID_SSN:
        return words.fill(rng, "###-##-####")
    if kind is EntityType.PHONE_HOME:
        # One of eleven digits is of the new type, whatever stands between them.
        while sum(map(str.isdigit, phone := words.phone(rng))) == _ELEVEN_DIGITS:
            pass
        return phone
    return value(rng, split, kind).text


def _any(rng: np.random.Generator, split: str) -> Word:
    label = words.choose(rng, tuple(LABELS.values()))
    return Word(text_of(rng, split, label), _OF_LABEL[label])


_locator: list[TextLocator] = []
"""This process's locator."""


def prepare(policy: Policy, workers: int) -> None:
    """Makes this process ready to read images with the detectors and readers of a policy."""
    if workers > 1:
        share_cores(workers)
    chosen = policy.detect
    _locator[:] = [TextLocator(chosen.agents, chosen.second_reader, chosen.screen)]


def read_image(split: str, seed: int) -> ReadImage:
    """The image with number ``seed``, made and read."""
    made = paper_scene(split, seed, _any)
    truth = tuple(TrueText(t.text, _box(t.box), LABELS[t.type]) for t in made.texts if t.type is not None)
    height, width = made.ink.shape
    return ReadImage(truth, FrameText(0, width, height, tuple(_locator[0].lines([made.image]))))


def _box(box: tuple[float, float, float, float]) -> Box:
    left, top, right, bottom = box
    return int(left), int(top), int(np.ceil(right)), int(np.ceil(bottom))
