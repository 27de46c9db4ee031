"""Everything runs locally: no library that Deidra loads reports to its maker."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def test_loading_the_models_switches_the_telemetry_of_onnxruntime_off(tmp_path: Path) -> None:
    # Where its telemetry is on, importing onnxruntime leaves a session file in the temporary folder.
    environment = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    environment |= {"TMPDIR": str(tmp_path), "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    code = "import deidra.models.runtime, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert result.stdout.strip() == "1"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the sockets of a process from /proc")
def test_reading_text_opens_no_network_socket() -> None:
    code = """
import os, time, numpy as np
from deidra.models.text_detector import PPOCRDetector
from deidra.models.text_reader import PPOCRReader
from deidra.models.variational_detector import VariationalDetector
PPOCRDetector().detect(np.zeros((64, 64, 3), np.uint8))
VariationalDetector().detect(np.zeros((64, 64, 3), np.uint8))
PPOCRReader().read([np.zeros((20, 60, 3), np.uint8)])
time.sleep(1)
files = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
print(sum(os.path.islink(file) and os.readlink(file).startswith("socket:") for file in files))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert result.stdout.strip() == "0"


def test_only_the_models_package_imports_onnxruntime() -> None:
    root = Path(__file__).parents[2]
    importers = {
        path.relative_to(root).parts[0]
        for folder in ("app", "models", "storage", "ui")
        for path in (root / folder).rglob("*.py")
        if re.search(r"^\s*(import|from) onnxruntime\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert importers == {"models"}
