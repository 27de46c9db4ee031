"""Policies as files: written whole or not at all, and for their owner alone where they are new."""

from __future__ import annotations

import os
from pathlib import Path

import tomlkit

from deidra.app.decide.policy import Policy
from deidra.app.domain.errors import PolicyError

_PRIVATE_FILE = 0o600
"""Examples of definitions may be texts of a project, and stand in the policy file."""


def write_policy_text(path: Path, text: str) -> None:
    """Put a text into a policy file, in place of what is there.

    Raises:
        PolicyError: the file cannot be written; it is not changed then.
    """
    beside = path.with_name(f"{path.name}.new")
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else _PRIVATE_FILE
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8") as stream:  # noqa: PTH123
            stream.write(text)
        beside.replace(path)
    except OSError as error:
        raise PolicyError(f"The policy {path.name} cannot be written.", "Check the folder's permissions.") from error


def policy_toml(policy: Policy) -> str:
    """A policy as the text of a file: what differs from the default of a key."""
    return tomlkit.dumps(policy.model_dump(mode="json", exclude_defaults=True, exclude_none=True))
