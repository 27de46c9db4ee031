"""The log: structured lines without PHI, in the project folder."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

import structlog

_MOST_BYTES = 5 << 20


def log_to(path: Path) -> None:
    """Write the log to ``path`` (rotated at 5 MB, three old files kept); a folder that cannot be written has none.

    Only Deidra's own events are written, with ids and counts. Libraries are silenced: pydicom and
    Pillow quote values in their messages.
    """
    logger = logging.getLogger("deidra")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = False
    logger.setLevel(logging.INFO)
    try:
        handler = logging.handlers.RotatingFileHandler(path, maxBytes=_MOST_BYTES, backupCount=3, encoding="utf-8")
        logger.addHandler(handler)
    except OSError:
        logger.addHandler(logging.NullHandler())
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    for name in ("pydicom", "PIL", "pypdfium2", "fontTools"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
