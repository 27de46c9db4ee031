"""A real project of one scan whose text is known, without files, models or a pipeline run."""

from __future__ import annotations

from pathlib import Path

from deidra.app.decide.editing import changed
from deidra.app.decide.policy import Policy, load_policy
from deidra.app.detect.agents import AGENTS, WRITTEN
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import Asset, AssetKind, AssetStatus, Evidence, FrameText, LocatedText, TextLine
from deidra.app.workflow import Project

SCAN = Asset("scan", "/in/letter.pdf", "", "2" * 64, 9, AssetKind.PDF, AssetStatus.LOADED, info={"pages": 1})
LINES = (
    "Date of birth: 12.03.1951",
    "Passport no A12345678",
    "Passport no B87654321",
    "Ref C11111111",
    "The liver is normal",
)


def plain_policy() -> Policy:
    """The default policy without the network, which would take seconds to load."""
    return changed(load_policy("basic"), "detect", network=False)


def _seen(text: str) -> tuple[Evidence, ...]:
    """Two detectors that are sure, and characters that nobody has to read."""
    located = [Evidence(agent, None, None, 1.0, 0.0, "") for agent in AGENTS]
    return (*located, Evidence(WRITTEN, text, None, 1.0, 0.0, ""))


def line(number: int, text: str) -> TextLine:
    place = box_polygon(20, 30 * number, 20 + 10 * len(text), 30 * number + 20)
    spans = tuple((n / len(text), (n + 1) / len(text)) for n in range(len(text)))
    return TextLine(place, text, spans, _seen(text))


def trial(folder: Path, lines: tuple[str, ...] = LINES) -> Project:
    project = Project.open(folder)
    project.store.assets.add([SCAN])
    frame = FrameText(0, 640, 480, tuple(line(n, text) for n, text in enumerate(lines, 1)))
    project.store.assets.save_texts({SCAN.id: LocatedText((frame,), 1)}, {})
    project.apply_policy(plain_policy())
    return project
