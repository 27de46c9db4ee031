"""Images of which is known what stands on them: synthetic ones, and real ones that somebody has marked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidra.app.domain.errors import KnownError
from deidra.app.domain.geometry import Box
from deidra.app.evaluate.detector_real import find_file, read_annotations
from deidra.app.synth.answers import Kept, Planted
from deidra.app.synth.dicom_files import make_dicom
from deidra.app.synth.people import make_cast

HARMLESS = "none"
"""Kind of a text that is not private."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text on a frame or page (from 0): ``box`` in its pixels, ``kind`` of private data, and what it says."""

    frame: int
    box: Box
    kind: str
    text: str

    @property
    def private(self) -> bool:
        """Whether it must go."""
        return self.kind != HARMLESS


@dataclass(frozen=True, slots=True)
class Known:
    """One image: ``path``, the ``name`` it goes by, its ``group`` of images with the same texts, and the texts."""

    name: str
    path: Path
    group: str
    texts: tuple[Text, ...]


def synthetic(folder: Path, seeds: Sequence[int]) -> list[Known]:
    """The DICOM images of the sample set with these seeds, written below ``folder``.

    Headers and pixels tell of the same invented people. Boxes are drawn tightly around the ink.
    """
    found = []
    for seed in seeds:
        for made in make_dicom(make_cast(seed), seed):
            texts = tuple(_drawn([*made.answers.phi, *made.answers.keep]))
            name = f"{seed}/{Path(made.answers.path.replace('!', '/')).relative_to('dicom')}"
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made.data)
            if texts or "clean" in name:
                found.append(Known(name, path, name, texts))
    return found


def _drawn(answers: Iterable[Planted | Kept]) -> Iterable[Text]:
    for one in answers:
        if one.where == "pixel" and one.box is not None:
            kind = one.type.value if isinstance(one, Planted) else HARMLESS
            yield Text(one.frame or 0, one.box, kind, one.text)


def annotated(annotations: Path, roots: Sequence[Path]) -> tuple[list[Known], list[str]]:
    """Marked images that are in one of the folders, and the names of those that are not.

    The form of annotations is that of :mod:`deidra.app.evaluate.detector_real`. Illegible texts are left out.

    Raises:
        KnownError: the annotations are not what they should be.
    """
    words = _words(annotations)
    found, absent = [], []
    for one in read_annotations(annotations):
        path = find_file(one.name, roots)
        if path is None:
            absent.append(one.name)
            continue
        said = zip(one.items, words[one.name], strict=True)
        texts = tuple(Text(one.frame, item.box, item.phi, text) for item, text in said if item.legible)
        found.append(Known(one.name, path, one.group, texts))
    return found, absent


def _words(annotations: Path) -> dict[str, list[str]]:
    try:
        rows: dict[str, Any] = json.loads(annotations.read_text("utf-8"))
        return {name: [str(item.get("text") or "") for item in row["items"]] for name, row in rows.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise KnownError("The annotations cannot be read.", "See the help for their form.") from error
