"""What this process has used so far."""

from __future__ import annotations

import os
import sys


def cpu_seconds() -> float:
    """CPU seconds (user and system) of this process and of those it ran and waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def peak_mb() -> float:
    """Largest memory of this process so far in MB; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)
