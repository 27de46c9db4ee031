"""Errors that a person can act on, as opposed to bugs.

A :class:`KnownError` is about the environment or the input: it carries a message and an advice,
both free of PHI, and is shown as it is. Anything else that escapes is a bug and is reported as one.
"""

from __future__ import annotations


class KnownError(Exception):
    """Something outside Deidra is wrong. ``str(error)`` says what; ``advice`` says what to do.

    Neither text may hold PHI: no header values, no text read from images. Paths of inputs are
    PHI as well (people name files after patients), so only project and output paths appear.
    """

    exit_status = 2

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice

    def __reduce__(self) -> tuple[type[KnownError], tuple[str, str]]:
        """Errors come back whole from other processes."""
        return type(self), (str(self), self.advice)


class InputError(KnownError):
    """An input cannot be processed. Its asset is quarantined with this message as the reason."""


class PolicyError(KnownError):
    """A policy file is not valid; the message names the key."""


class StoreError(KnownError):
    """The project database cannot be read or written (locked, full, read-only, newer)."""


class ModelError(KnownError):
    """A model file is missing, damaged or cannot be loaded."""


class ReleaseBlocked(KnownError):
    """The release was refused because findings wait for a curator."""

    exit_status = 3


class VerificationFailed(KnownError):
    """A release is incomplete or was changed after it was written."""

    exit_status = 4


class Cancelled(Exception):
    """A long operation was stopped by the user; what was finished is kept."""
