"""Passwords of encrypted documents: from a file or typed in. They stay in memory."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from deidra.app.domain.errors import KnownError
from deidra.app.load.pdf import Passwords

_ASK = Path("-")


def read_passwords(source: Path | None) -> Passwords:
    """The passwords in a file, one a line; ``-`` asks for one, unseen; none without a source.

    Raises:
        KnownError: the file cannot be read, or nobody can be asked.
    """
    if source is None:
        return Passwords()
    if source == _ASK:
        if not sys.stdin.isatty():
            raise KnownError("Nobody can be asked for the password here.", "Write it into a file and name that.")
        return Passwords((click.prompt("Password", hide_input=True, err=True),))
    try:
        words = source.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise KnownError("The password file cannot be read.", "It is a text file with one password a line.") from error
    return Passwords(tuple(word for word in words if word))
