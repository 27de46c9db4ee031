from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tuned import use_tuned

from deidra.app.detect.agents import AGENTS
from deidra.app.detect.known import KnownIdentifiers
from deidra.app.detect.tagger import EntityTagger
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Evidence, FrameText, Identifier, TextLine
from deidra.app.domain.taxonomy import EntityType


@pytest.fixture(autouse=True)
def tuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calibration that :mod:`tuned` makes up."""
    use_tuned(monkeypatch)


@pytest.fixture
def known() -> Callable[..., KnownIdentifiers]:
    """Known identifiers from pairs of type and value."""

    def make(*pairs: tuple[EntityType, str]) -> KnownIdentifiers:
        return KnownIdentifiers([Identifier("P", kind, value, "a header element") for kind, value in pairs])

    return make


@pytest.fixture
def tagger(known: Callable[..., KnownIdentifiers]) -> EntityTagger:
    return EntityTagger(known())


@pytest.fixture
def line() -> Callable[..., TextLine]:
    """A line of text at a place, read by one or two readers, with characters of equal width.

    ``located`` is the score of the detectors that see it, ``agents`` are their names.
    """

    def make(
        text: str,
        left: float = 10,
        top: float = 10,
        *,
        height: float = 10,
        confidence: float = 0.98,
        second: str | None = "",
        second_confidence: float = 0.9,
        located: float = 0.9,
        agents: Sequence[str] = AGENTS,
        kind: str = "",
    ) -> TextLine:
        evidence = [Evidence(agent, None, None, located, 0.01) for agent in agents]
        evidence.append(Evidence("ppocr-rec", text, None, confidence, 0.0))
        if second is not None:
            evidence.append(Evidence("tesseract", second or text, None, second_confidence, 0.0))
        count = len(text)
        spans = tuple((n / count, (n + 1) / count) for n in range(count))
        return TextLine(box_polygon(left, top, left + 6 * count, top + height), text, spans, tuple(evidence), kind)

    return make


@pytest.fixture
def frame() -> Callable[..., FrameText]:
    def make(*lines: TextLine, index: int | None = 0) -> FrameText:
        return FrameText(index, 640, 480, lines)

    return make
