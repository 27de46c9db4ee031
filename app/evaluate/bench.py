"""Speed and memory of header de-identification, beside other tools in the same run on the same files.

Every tool runs in a process of its own, one file after the other on one core, with what it does by default. CPU
seconds (user and system) count from after its imports to its last written file; the machine's load matters little.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT_S = 3600

_FRAME = """
import glob, json, os, resource, sys
from importlib.metadata import version
source, target = sys.argv[1:]
files = sorted(glob.glob(os.path.join(source, "*.dcm")))
out = lambda path: os.path.join(target, os.path.basename(path))
{setup}
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
start = used()
{work}
spent = used() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "linux" else 1024)
if os.path.exists("/proc/self/status"):
    # The other figure begins with that of the process which started this one.
    peak = int([line for line in open("/proc/self/status") if line.startswith("VmHWM")][0].split()[1])
print("RESULT" + json.dumps([spent, peak, version({package!r})]))
"""
"""Each program is this frame with the tool's own set-up and work; peak memory is in kB."""


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool de-identifies files: Python that prepares, and Python that does all ``files``."""

    name: str
    package: str
    setup: str
    work: str


DEIDRA = Tool(
    "deidra",
    "deidra",
    "from pathlib import Path\n"
    "from deidra.app.decide.policy import load_policy\n"
    "from deidra.app.headers import clean_headers\n"
    "from deidra.app.metadata.keys import ProjectKey\n"
    "from deidra.app.detect.tagger import EntityTagger",
    "clean_headers([Path(source)], Path(target), load_policy('tcia'), ProjectKey(bytes(range(32))))",
)
PEERS = (
    Tool(
        "dcmanon (Rust)",
        "dcmanon",
        "from dcmanon import Anonymizer\ntool = Anonymizer()",
        "for path in files:\n    open(out(path), 'wb').write(tool.anonymize(path))",
    ),
    Tool(
        "dicognito",
        "dicognito",
        "import pydicom\nfrom dicognito.anonymizer import Anonymizer\ntool = Anonymizer()",
        "for path in files:\n"
        "    dataset = pydicom.dcmread(path)\n"
        "    tool.anonymize(dataset)\n"
        "    dataset.save_as(out(path))",
    ),
    Tool(
        "dicom-anonymizer",
        "dicom-anonymizer",
        "from dicomanonymizer import anonymize_dicom_file",
        "for path in files:\n    anonymize_dicom_file(path, out(path))",
    ),
    Tool(
        "deid",
        "deid",
        "import logging\n"
        "from deid.config import DeidRecipe\n"
        "from deid.dicom import get_identifiers, replace_identifiers\n"
        "logging.disable(logging.CRITICAL)\n"
        "recipe = DeidRecipe()",
        "replace_identifiers(dicom_files=files, ids=get_identifiers(files), deid=recipe, save=True,\n"
        "                    output_folder=target, overwrite=True)",
    ),
    Tool(
        "pydicom read+save",
        "pydicom",
        "import pydicom",
        "for path in files:\n    pydicom.dcmread(path).save_as(out(path))",
    ),
)
"""Other tools, as their documentation says to use them on a list of files; the last only copies through pydicom."""


@dataclass(frozen=True, slots=True)
class HeaderSpeed:
    """What one tool did. ``files`` is 0 where it did not run, and ``note`` says why."""

    tool: str
    version: str
    files: int
    cpu_seconds: float
    peak_mb: float
    note: str = ""

    @property
    def files_per_cpu_second(self) -> float:
        """Files a CPU second, from the first file to the last."""
        return self.files / self.cpu_seconds if self.cpu_seconds else 0.0


def compare_headers(files: Iterable[bytes], peers: Path | None = None, rounds: int = 3) -> list[HeaderSpeed]:
    """De-identify the same files with Deidra and every peer.

    Args:
        files: DICOM files.
        peers: a Python interpreter that has the peers installed; this one when None.
        rounds: all tools run this often in turn, and each one's best round counts.

    Returns:
        One result a tool, Deidra's first.
    """
    with tempfile.TemporaryDirectory(prefix="deidra-bench-") as folder:
        source = Path(folder) / "in"
        source.mkdir()
        count = 0
        for count, data in enumerate(files, 1):
            (source / f"{count:06d}.dcm").write_bytes(data)
        best: dict[str, HeaderSpeed] = {}
        for _ in range(rounds):
            for result in _results(source, count, Path(folder), str(peers or sys.executable)):
                known = best.setdefault(result.tool, result)
                if result.files and result.files_per_cpu_second > known.files_per_cpu_second:
                    best[result.tool] = result
        return list(best.values())


def _results(source: Path, count: int, folder: Path, peers: str) -> Iterator[HeaderSpeed]:
    for tool in (DEIDRA, *PEERS):
        target = folder / "out"
        target.mkdir()
        # What an earlier tool wrote is on the disk before the next one begins.
        os.sync()
        yield _run(tool, sys.executable if tool is DEIDRA else peers, source, target, count)
        shutil.rmtree(target)


def _run(tool: Tool, python: str, source: Path, target: Path, count: int) -> HeaderSpeed:
    program = _FRAME.format(setup=tool.setup, work=tool.work, package=tool.package)
    command = [python, "-W", "ignore", "-c", program, str(source), str(target)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)  # noqa: S603
    except subprocess.TimeoutExpired:
        return HeaderSpeed(tool.name, "", 0, 0.0, 0.0, "took more than an hour")
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    found = next((line[6:] for line in lines if line.startswith("RESULT")), None)
    if found is None:
        missing = b"ModuleNotFoundError" in done.stderr
        return HeaderSpeed(tool.name, "", 0, 0.0, 0.0, "not installed" if missing else "failed")
    written = sum(path.is_file() for path in target.rglob("*"))
    if written < count:
        return HeaderSpeed(tool.name, "", 0, 0.0, 0.0, f"wrote {written} of {count} files")
    seconds, kilobytes, version = json.loads(found)
    return HeaderSpeed(tool.name, version, count, round(seconds, 3), round(kilobytes / 1024, 1))
