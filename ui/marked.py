"""What is selected on an image, for pages that take it over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deidra.app.domain.geometry import Box


@dataclass(frozen=True, slots=True)
class Marked:
    """A selected box, ``(left, top, right, bottom)`` in pixels, and what its image tells of the machine."""

    box: Box
    device: Mapping[str, Any]
