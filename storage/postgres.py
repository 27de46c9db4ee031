"""PostgreSQL for projects that several machines share, through pg8000. Passwords never come from the URL."""

from __future__ import annotations

import os
import re
import ssl
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from deidra.app.domain.errors import StoreError

LOCK_TIMEOUT_S = 15
_WRITING = 0x4465_6964_7261
"""The advisory lock that a writer holds: "Deidra" in ASCII. Such locks are a database's own."""
_TEXTS = (25, 1043)
"""Object ids of the types text and varchar."""
_NUL = "\ufdd0"
"""Stands for NUL, which PostgreSQL's texts cannot hold: a noncharacter, which no text should hold."""
_LOCAL = frozenset({None, "", "localhost", "127.0.0.1", "::1"})
_PORT = 5432
_FIELD = re.compile(r"(?:\\.|[^:\\])*")


def postgres_engine(url: URL) -> Engine:
    """An engine whose writers wait for each other, as SQLite's do.

    Transactions that write take one lock of the database first, so that none reads what another is about to change;
    those that only read see a snapshot and wait for nobody. Connections to other machines are encrypted, and their
    certificate is checked (``PGSSLROOTCERT`` names an authority of one's own).

    Raises:
        StoreError: the URL holds a password, or pg8000 is not installed.
    """
    if url.password is not None:
        raise StoreError(
            "The URL of the project database holds a password.",
            "Leave it out: give it in a file that PGPASSFILE names, or in PGPASSWORD.",
        )
    args: dict[str, Any] = {"password": _password(url), "application_name": "deidra"}
    if url.host not in _LOCAL:
        args["ssl_context"] = ssl.create_default_context(cafile=os.environ.get("PGSSLROOTCERT"))
    try:
        engine = create_engine(
            url.set(drivername="postgresql+pg8000"), connect_args=args, hide_parameters=True, pool_pre_ping=True
        )
    except ModuleNotFoundError as error:
        raise StoreError(
            "The driver of PostgreSQL is not installed.", "Install it: pip install 'deidra[postgres]'"
        ) from error
    event.listen(engine, "connect", _allow_nul)
    event.listen(engine, "begin", _lock)
    return engine


def _allow_nul(connection: Any, _record: Any) -> None:
    connection.register_out_adapter(str, lambda text: text.replace("\0", _NUL))
    for kind in _TEXTS:
        connection.register_in_adapter(kind, lambda text: text.replace(_NUL, "\0"))


def _lock(connection: Connection) -> None:
    if connection.get_execution_options().get("deidra_read_only"):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT_S}s'")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITING})")


def _password(url: URL) -> str | None:
    """The password as libpq finds it: ``PGPASSWORD``, else the first line of the password file that fits."""
    given = os.environ.get("PGPASSWORD")
    if given is not None:
        return given
    path = Path(os.environ.get("PGPASSFILE") or Path.home() / ".pgpass")
    try:
        # As libpq has it: a file that others may read is not used.
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise StoreError(
                "The password file of PostgreSQL can be read by others.", "Let only its owner read it: chmod 600 FILE"
            )
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return None
    wanted = (url.host or "localhost", str(url.port or _PORT), url.database or "", url.username or "")
    for line in lines:
        fields = [re.sub(r"\\(.)", r"\1", field) for field in _fields(line)]
        if len(fields) == 5 and all(a in ("*", b) for a, b in zip(fields, wanted, strict=False)):
            return fields[4]
    return None


def _fields(line: str) -> list[str]:
    """A line of a password file (host:port:database:user:password); a backslash escapes."""
    if not line or line.startswith("#"):
        return []
    fields, place = [], 0
    while place <= len(line):
        found = _FIELD.match(line, place)
        fields.append(found.group() if found else "")
        place = (found.end() if found else len(line)) + 1
    return fields


def told(code: str) -> StoreError | None:
    """An error of the server as a message, by its code (PostgreSQL, Appendix A); None for others."""
    messages = {
        "28P01": ("The project database refused the password.", "Give it in PGPASSWORD or a file for PGPASSFILE."),
        "28000": ("The project database refused the user.", "Ask whoever runs the database server."),
        "3D000": ("There is no such database on the server.", "Make it first (createdb), or correct the URL."),
        "42501": ("The user may not write to the project database.", "Ask whoever runs the database server."),
        "25006": ("The project database is read-only.", "Ask whoever runs the database server."),
        "53100": (
            "The disk of the database server is full.",
            "Free some space there and start again; everything finished so far is stored.",
        ),
        "55P03": (
            "The project database is locked by another program.",
            "Another machine is storing something long. Try again; nothing was lost.",
        ),
    }
    return StoreError(*messages[code]) if code in messages else None
