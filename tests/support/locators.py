"""Locators for tests that look at no picture."""

from __future__ import annotations

from collections.abc import Sequence

from deidra.app.domain.model import TextLine
from deidra.models.text_detector import DetectedBox


class Blind:
    """Sees nothing."""

    def lines(self, pictures: Sequence[object]) -> list[TextLine]:
        return []

    def page_lines(self, picture: object) -> list[TextLine]:
        return []

    def suspects(self, picture: object) -> list[DetectedBox]:
        return []

    def confidences(self, crops: Sequence[object]) -> list[float]:
        return [0.0 for _ in crops]
