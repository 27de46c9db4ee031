"""Tell whether the sources changed, and copy exactly those that belong into a wheel.

    python packaging/stage_source.py          prints a digest of the sources
    python packaging/stage_source.py FOLDER   copies them to FOLDER as well

A wheel is built from such a copy. setuptools leaves ``build/lib`` in the tree it builds, and a file
deleted from the sources would come back from there into the next wheel.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SOURCES = ("LICENSE", "README.md", "app", "models", "packaging/THIRD_PARTY.md", "pyproject.toml", "storage", "ui")
"""What a wheel is made of, relative to the project folder."""

_GENERATED = {"__pycache__", "build", "dist"}


def _from_git() -> Iterator[str] | None:
    """Tracked files and new ones that git does not ignore; None where the tree is no git checkout."""
    if not (ROOT / ".git").exists():
        return None
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    try:
        # The folder may belong to another user, as in a container; nothing of its settings is run here.
        environment = {**os.environ, "GIT_CONFIG_COUNT": "1"}
        environment |= {"GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": str(ROOT)}
        found = subprocess.run(listing, check=True, capture_output=True, env=environment)  # noqa: S603 # fixed words
    except (OSError, subprocess.CalledProcessError):
        return None
    return (name for name in found.stdout.decode().split("\0") if name)


def _from_folders() -> Iterator[str]:
    """All files of the sources but generated ones."""
    for source in SOURCES:
        path = ROOT / source
        for file in [path] if path.is_file() else path.rglob("*"):
            parts = file.relative_to(ROOT).parts
            if not _GENERATED & set(parts) and not any(part.endswith(".egg-info") for part in parts):
                yield "/".join(parts)


def source_files() -> list[str]:
    """Paths of the existing source files, relative to the project folder, sorted."""
    names = _from_git()
    found = set(names if names is not None else _from_folders())
    return sorted(name for name in found if (ROOT / name).is_file())


def main() -> int:
    """Print the digest; copy where a folder is given."""
    digest = hashlib.sha256()
    for name in source_files():
        data = (ROOT / name).read_bytes()
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
        if len(sys.argv) > 1:
            target = Path(sys.argv[1]) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
    sys.stdout.write(digest.hexdigest() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
