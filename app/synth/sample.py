"""The sample set: a folder with DICOM instances, documents and the key to what was planted in them."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

from deidra.app.synth.dicom_files import make_dicom
from deidra.app.synth.documents import make_documents
from deidra.app.synth.people import make_cast

KEY_NAME = "planted.json"

_LONG_AGO = (2024, 6, 3, 9, 30, 0)


@dataclass(frozen=True, slots=True)
class SampleSet:
    """What :func:`make_sample` wrote. ``dicom`` holds the archive as one path; ``key`` is the answer key."""

    folder: Path
    dicom: tuple[Path, ...]
    scans: tuple[Path, ...]
    key: Path


def make_sample(out: Path, seed: int = 7) -> SampleSet:
    """Write the sample set under ``out``; the same ``seed`` gives the same bytes.

    ``out`` is made where it is missing; files of the same names are replaced. The key has an entry
    for each file with the private values planted in it and the harmless texts that must survive
    (:class:`~deidra.app.synth.answers.FileAnswers`). Members of an archive are ``archive.zip!member``.

    Raises:
        OSError: a file cannot be written.
    """
    cast = make_cast(seed)
    made = [*make_dicom(cast, seed), *make_documents(cast, seed)]
    plain: dict[str, bytes] = {}
    archives: dict[str, list[tuple[str, bytes]]] = {}
    for file in made:
        path, mark, member = file.answers.path.partition("!")
        if mark:
            archives.setdefault(path, []).append((member, file.data))
        else:
            plain[path] = file.data
    for path, members in archives.items():
        plain[path] = _zip(members)
    for path, data in plain.items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    key = out / KEY_NAME
    answers = [file.answers.as_json() for file in sorted(made, key=lambda file: file.answers.path)]
    text = json.dumps({"version": 1, "seed": seed, "files": answers}, ensure_ascii=False, indent=1)
    key.write_text(text + "\n", encoding="utf-8", newline="\n")
    return SampleSet(out, _under(out, plain, "dicom/"), _under(out, plain, "scans/"), key)


def _under(out: Path, paths: dict[str, bytes], folder: str) -> tuple[Path, ...]:
    return tuple(out / path for path in sorted(paths) if path.startswith(folder))


def _zip(members: list[tuple[str, bytes]]) -> bytes:
    """An archive of ``members`` with a fixed date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name, _LONG_AGO)
            # Fixed, so that the archive is the same on every system.
            info.create_system = 3
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()
