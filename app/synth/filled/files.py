"""Files of filled documents: a PNG and its truth (JSON) for each page."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
from PIL import Image

from deidra.app.synth.filled.pages import DPI, Page, make_page
from deidra.app.synth.filled.worn import worn


def filled_page(seed: int, number: int, split: str, level: int) -> Page:
    """Page ``number`` (from 0) of a set, worn at ``level``; the same arguments always give the same page."""
    return worn(make_page(seed, number, split), level, np.random.default_rng([seed, number, 7]))


def write_filled(out: Path, pages: int, split: str, level: int, seed: int) -> list[tuple[Path, Page]]:
    """Write ``page_NNN.png`` and ``page_NNN.json`` into ``out``; the pages with the paths of their pictures."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for number in range(pages):
        page = filled_page(seed, number, split, level)
        path = out / f"page_{number:03}.png"
        Image.fromarray(page.image).save(path, dpi=(DPI, DPI))
        truth = {"document": page.kind, "font": page.font, "texts": [asdict(text) for text in page.texts]}
        path.with_suffix(".json").write_text(json.dumps(truth, indent=1), "utf-8")
        written.append((path, page))
    return written
