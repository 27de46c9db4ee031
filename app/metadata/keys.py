"""Keyed pseudonyms: everything that replaces an identifier is an HMAC under the project's secret key.

A plain hash of a patient ID can be reversed by trying all IDs; a keyed one cannot without the key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import uuid
from pathlib import Path

from deidra.app.domain.errors import StoreError

KEY_BYTES = 32


class ProjectKey:
    """The secret of one project. The same key gives the same pseudonyms on every machine."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def load_or_create(cls, path: Path) -> ProjectKey:
        """Read the key file, or make one that only its owner may read.

        Raises:
            StoreError: the file is damaged or cannot be written.
        """
        try:
            if path.exists():
                key = bytes.fromhex(path.read_text("ascii").strip())
                if len(key) != KEY_BYTES:
                    raise ValueError(len(key))
                return cls(key)
            key = secrets.token_bytes(KEY_BYTES)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as stream:
                stream.write(key.hex())
                stream.flush()
                os.fsync(stream.fileno())
        except ValueError as error:
            raise StoreError(
                "The project's key file is damaged.",
                "Restore project.key from a backup; without it pseudonyms would no longer be consistent.",
            ) from error
        except OSError as error:
            raise StoreError("The project's key file cannot be written.", "Check the folder and the disk.") from error
        return cls(key)

    def digest(self, kind: str, value: str) -> bytes:
        """HMAC-SHA256 of a value; ``kind`` separates uses of the key."""
        return hmac.new(self._key, f"{kind}\0{value}".encode(), hashlib.sha256).digest()

    def token(self, kind: str, value: str, length: int = 16) -> str:
        """A short pseudonym of capital letters and digits."""
        return base64.b32encode(self.digest(kind, value)).decode("ascii")[:length]

    def uid(self, original: str) -> str:
        """A UID in the 2.25 form (PS3.5 B.2): a UUID of version 8 made from the keyed digest."""
        raw = bytearray(self.digest("uid", original)[:16])
        raw[6] = raw[6] & 0x0F | 0x80
        raw[8] = raw[8] & 0x3F | 0x80
        return f"2.25.{uuid.UUID(bytes=bytes(raw)).int}"

    def shift_days(self, patient_key: str, least: int, most: int) -> int:
        """Days (negative: into the past) by which all dates of a patient move, ``least`` to ``most`` days back."""
        span = most - least + 1
        return -(least + int.from_bytes(self.digest("shift", patient_key)[:8], "big") % span)
