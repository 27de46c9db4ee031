"""Which model files exist, where they lie, and whether they are the ones that were tested."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from deidra.app.domain.errors import ModelError


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One entry of ``registry.toml``."""

    name: str
    file: str
    sha256: str
    version: str
    licence: str
    task: str
    package: str = ""

    @property
    def path(self) -> Path:
        """Where the file should be; it need not exist."""
        if not self.package:
            return Path(str(resources.files(__package__) / self.file))
        # find_spec does not import the package, which would load code that Deidra does not use.
        spec = importlib.util.find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return Path(self.package) / self.file
        return Path(spec.submodule_search_locations[0]) / self.file


@functools.cache
def registry() -> dict[str, ModelInfo]:
    """All known models by name."""
    text = (resources.files(__package__) / "registry.toml").read_text("utf-8")
    return {name: ModelInfo(name=name, **entry) for name, entry in tomllib.loads(text).items()}


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def verified_path(name: str) -> Path:
    """The path of a model whose content was checked against the registry (once a process).

    Raises:
        ModelError: the file is missing or is not the one that was tested.
    """
    info = registry()[name]
    if not info.path.is_file():
        raise ModelError(f"The model {name} is missing.", "Install Deidra again: bash packaging/run.sh")
    if file_hash(info.path) != info.sha256:
        raise ModelError(
            f"The model {name} is not the file that Deidra was tested with.",
            "Install Deidra again; do not use results made with this file.",
        )
    return info.path
