"""Names of the agents that locate text, and the words for what they find.

Nothing here needs a model: policies are read where no picture is.
"""

from __future__ import annotations

from typing import Literal, get_args

Agent = Literal["deidra-det", "ppocr-det"]
"""Names of detectors, as in the evidence and in the registry of models."""
AGENTS: tuple[Agent, ...] = get_args(Agent)
VARIATIONAL: Agent = "deidra-det"
"""The detector whose evidence holds a calibrated probability as score, and a variance that means doubt."""
DEVICE_RULE = "device rule"
"""The agent that knows where machines print identifying text."""
ULTRASOUND_REGIONS = "ultrasound regions"
"""The agent that knows where on an ultrasound image the echoes are."""
WRITTEN = "pdf"
"""The agent that takes the characters of a PDF for what they say, where they can be seen."""
LABEL = "label"
"""The agent that knows what a value on a page means from the label it belongs to."""
HANDWRITING, BARCODE = "handwriting", "barcode"
UNREADABLE = (HANDWRITING, BARCODE)
"""Kinds of text that no reader reads well."""
FACE = "face"
"""The kind of a place that shows somebody, and no text."""
_WORDS = {HANDWRITING: "handwriting or a signature", BARCODE: "a barcode", FACE: "a face"}
_DIGITS = 6


def words_of(kind: str) -> str:
    """A kind of text in words, for people who decide about it."""
    return _WORDS.get(kind, "text")


def probability_digits(probability: float) -> float:
    """A probability as it stands in the evidence; limits must be rounded alike before they are compared."""
    return round(probability, _DIGITS)
