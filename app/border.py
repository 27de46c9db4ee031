"""The border between one bad file and the rest of a batch.

A fault of Deidra or of a library in one file must not end a run or a release of thousands. This is
one of two places that catch every exception; the message is dropped, since messages quote values.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import structlog

from deidra.app.domain.errors import Cancelled, InputError, KnownError

log = structlog.get_logger("deidra")
_Result = TypeVar("_Result")


def guarded(stage: str, asset_id: str, work: Callable[[], _Result]) -> tuple[_Result | None, str]:
    """Do one file's work.

    Returns:
        The result and an empty string, or None and the reason why the file must be held back.

    Raises:
        KnownError: the environment is at fault (disk, database, model): the batch cannot go on.
        Cancelled: the user stopped the batch.
    """
    try:
        return work(), ""
    except InputError as error:
        return None, str(error)
    except (Cancelled, KnownError):
        raise
    except Exception as error:  # noqa: BLE001 - see above
        name = type(error).__name__
        log.error("bug", stage=stage, asset=asset_id, error=name, where=place(error.__traceback__))
        return None, f"Deidra failed on this file ({name}); please report it."


def place(trace: TracebackType | None) -> str:
    """File and line where an error arose."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
