"""The manifest of a release: what is in it, made of what and how, so that anyone can verify it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from deidra.app.domain.errors import KnownError, VerificationFailed

MANIFEST = "manifest.json"
INCOMPLETE = "INCOMPLETE"
"""A file of this name stands in a release folder until the release is finished."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class ReleasedFile:
    """One file of a release. ``path`` is relative to the release folder, with forward slashes."""

    path: str
    sha256: str
    asset: str
    kind: str
    pixels: str
    actions: Mapping[str, int] = field(default_factory=dict)


def write_manifest(
    folder: Path, files: Sequence[ReleasedFile], facts: Mapping[str, Any], reports: Sequence[str]
) -> Path:
    """Write ``manifest.json``. It holds no original path or value and nothing of the crosswalk."""
    listed = {name: _hash(folder / name) for name in reports}
    content = {"format": FORMAT, **facts, "files": [asdict(f) for f in files], "reports": listed}
    path = folder / MANIFEST
    path.write_text(json.dumps(content, indent=1, sort_keys=True), "utf-8")
    return path


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def verify(folder: Path) -> int:
    """Check a release against its manifest: every file there, unchanged, and no other.

    Returns:
        The number of files that were checked.

    Raises:
        KnownError: the folder holds no release.
        VerificationFailed: the release is unfinished, incomplete or was changed.
    """
    if (folder / INCOMPLETE).exists():
        raise VerificationFailed("The release was not finished.", "Release into a new folder.")
    try:
        content = json.loads((folder / MANIFEST).read_text("utf-8"))
        expected = {entry["path"]: entry["sha256"] for entry in content["files"]} | content["reports"]
    except FileNotFoundError as error:
        raise KnownError("The folder holds no release: manifest.json is missing.", "Check the path.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise VerificationFailed("The manifest is damaged.", "Do not use this release.") from error
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {MANIFEST}
    problems = [f"{path} is missing" for path in sorted(expected.keys() - present)]
    problems += [f"{path} is not in the manifest" for path in sorted(present - expected.keys())]
    problems += [
        f"{path} was changed" for path in sorted(present & expected.keys()) if _hash(folder / path) != expected[path]
    ]
    if problems:
        more = f" and {len(problems) - 10} more" if len(problems) > 10 else ""
        raise VerificationFailed("Verification failed: " + "; ".join(problems[:10]) + more, "Do not use this release.")
    return len(expected)
