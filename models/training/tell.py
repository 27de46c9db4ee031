"""What a run tells while it goes on: one line of JSON for each event, on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping


def tell(event: str, values: Mapping[str, object]) -> None:
    """Write one event with its values."""
    sys.stdout.write(json.dumps({"event": event, **values}) + "\n")
    sys.stdout.flush()
