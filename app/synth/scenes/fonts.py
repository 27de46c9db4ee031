"""Fonts of the scenes: which there are on this machine, and which split may use them.

Families are listed in ``fonts.toml``. Files are looked for by name in the folders of the environment variable
``DEIDRA_FONTS`` or, without it, in those of the system. Without any of them Pillow's own font stands in, so that scenes
can be made on a bare machine, though poorer ones.
"""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_TABLE = Path(__file__).with_name("fonts.toml")
_SUFFIXES = (".ttf", ".otf", ".otb", ".pcf.gz", ".ttc")
BUILT_IN = "Pillow"
"""Family name of the font that Pillow brings."""


@dataclass(frozen=True, slots=True)
class Face:
    """One font file. ``path`` is empty for Pillow's own font; ``sizes`` (pixels) are empty for a scalable one."""

    family: str
    group: str
    path: str
    sizes: tuple[int, ...] = ()

    @property
    def bitmap(self) -> bool:
        """Whether the letters are made of pixels and exist at ``sizes`` only."""
        return bool(self.sizes)


def folders() -> tuple[Path, ...]:
    """Folders that are searched for fonts, with all below them."""
    listed = os.environ.get("DEIDRA_FONTS")
    if listed is not None:
        return tuple(Path(name) for name in listed.split(os.pathsep) if name)
    home = Path.home()
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", "C:/Windows"), "Fonts"), home / "AppData/Local/Microsoft/Windows/Fonts")
    if sys.platform == "darwin":
        return (Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts")
    return (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts")


@lru_cache(maxsize=8)
def _files(searched: tuple[Path, ...]) -> dict[str, str]:
    """Font files by lower-case name."""
    found: dict[str, str] = {}
    for folder in searched:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.name.lower().endswith(_SUFFIXES):
                found.setdefault(path.name.lower(), str(path))
    return found


@lru_cache(maxsize=1)
def table() -> dict[str, list[tuple[str, str, str, tuple[str, ...]]]]:
    """``fonts.toml``: families ``(name, group, split, files)``, and under ``paper`` the fonts of paper 000."""
    read = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        "family": [(row["name"], row["group"], row["split"], tuple(row["files"])) for row in read["family"]],
        "paper": [(name, "paper", "", tuple(files)) for name, files in read["paper"].items()],
    }


def built_in(group: str) -> Face:
    """Pillow's own font in the place of ``group``."""
    return Face(BUILT_IN, group, "")


@lru_cache(maxsize=256)
def _families(group: str, split: str, searched: tuple[Path, ...]) -> tuple[tuple[Face, ...], ...]:
    there = _files(searched)
    families = []
    for name, its_group, its_split, files in table()["family"]:
        if (its_group, its_split) != (group, split):
            continue
        faces = []
        for entry in files:
            file, _, sizes = entry.partition("@")
            if path := there.get(file.lower()):
                faces.append(Face(name, group, path, tuple(map(int, sizes.split(","))) if sizes else ()))
        if faces:
            families.append(tuple(faces))
    return tuple(families)


def families(group: str, split: str) -> tuple[tuple[Face, ...], ...]:
    """The families of ``group`` that ``split`` may use and this machine has; empty if there are none."""
    return _families(group, split, folders())


def pick(rng: np.random.Generator, group: str, split: str) -> Face:
    """A face of ``group``, each family as likely as the next; Pillow's own where there is none."""
    there = families(group, split)
    if not there:
        return built_in(group)
    faces = there[rng.integers(len(there))]
    return faces[rng.integers(len(faces))]


def paper_faces() -> tuple[tuple[str, Face], ...]:
    """The six fonts of paper 000 by their names there; the real file if it is installed, else its stand-in."""
    there = _files(folders())
    result = []
    for name, _, _, files in table()["paper"]:
        paths = [there[file.lower()] for file in files if file.lower() in there]
        result.append((name, Face(name, "paper", paths[0]) if paths else built_in("paper")))
    return tuple(result)


@lru_cache(maxsize=1024)
def load(face: Face, size: int) -> Font:
    """``face`` at ``size`` pixels; a bitmap font at its size nearest to that."""
    if not face.path:
        return ImageFont.load_default(max(4, size))
    if face.sizes:
        size = min(face.sizes, key=lambda there: abs(there - size))
    return ImageFont.truetype(face.path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20_000)
def _has(face: Face, letter: str) -> bool:
    """Whether ``face`` has a picture of ``letter`` that is not the one for missing letters."""
    size = face.sizes[0] if face.sizes else 16
    shapes = []
    for text in (letter, "\ufffe"):
        image = Image.new("L", (4 * size, 3 * size))
        try:
            ImageDraw.Draw(image).text((size, size // 2), text, fill=255, font=load(face, size))
        except UnicodeEncodeError:
            return False
        shapes.append(image)
    return shapes[0].getbbox() is not None and shapes[0].tobytes() != shapes[1].tobytes()


def covers(face: Face, text: str) -> bool:
    """Whether ``face`` has all letters of ``text`` but spaces."""
    return all(_has(face, letter) for letter in set(text) if not letter.isspace())
