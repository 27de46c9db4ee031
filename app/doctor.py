"""What this installation consists of, for people who look for the cause of a problem."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytesseract
from PIL import features

from deidra.app.load.video import ffmpeg
from deidra.app.redact.jpeg_blocks import is_available
from deidra.models.registry import file_hash, registry
from deidra.models.runtime import onnxruntime_version, providers
from deidra.models.text_reader import TesseractReader
from deidra.storage.schema import SCHEMA_VERSION

_PACKAGES = (
    *("deidra", "PySide6-Essentials", "pydicom", "numpy", "opencv-python-headless", "pillow", "sqlalchemy"),
    *("rapidfuzz", "faker", "imagecodecs", "pylibjpeg-openjpeg", "pylibjpeg-rle", "pyjpegls", "pypdfium2", "rapidocr"),
    "zxing-cpp",
)


def report() -> Iterator[tuple[str, str]]:
    """Pairs of name and finding."""
    yield "Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    for package in _PACKAGES:
        yield package, _version(package)
    yield "onnxruntime", onnxruntime_version()
    yield "providers", f"{', '.join(providers())} ({'CUDA' if 'CUDAExecutionProvider' in providers() else 'CPU'})"
    yield "tesseract", _tesseract()
    yield "ffmpeg", ffmpeg() or "MISSING: video in DICOM files is quarantined"
    yield "libturbojpeg", "found" if is_available() else "MISSING: covered JPEG images are stored in JPEG-LS"
    for model in registry().values():
        if not model.path.is_file():
            yield f"model {model.name}", "MISSING: install Deidra again"
        else:
            digest = file_hash(model.path)
            state = "ok" if digest == model.sha256 else "NOT THE TESTED FILE"
            yield f"model {model.name}", f"{model.version}, {digest[:16]}, {state}"
    yield (
        "fonts",
        f"built-in {'yes' if features.check('freetype2') else 'NO (Pillow lacks FreeType)'}, {_system_fonts()}",
    )
    yield "database schema", ".".join(map(str, SCHEMA_VERSION))
    usage = shutil.disk_usage(Path.cwd())
    yield "free disk here", f"{usage.free / 1e9:.1f} GB of {usage.total / 1e9:.1f} GB"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "MISSING"


def _tesseract() -> str:
    command = TesseractReader.command()
    if command is None:
        return "MISSING: lines are read once only, so more of them go to review"
    languages = ", ".join(sorted(pytesseract.get_languages()))
    return f"{pytesseract.get_tesseract_version()} ({languages})"


def _system_fonts() -> str:
    folders = [Path("/usr/share/fonts"), Path("C:/Windows/Fonts"), Path("/System/Library/Fonts")]
    count = sum(
        1 for folder in folders if folder.is_dir() for path in folder.rglob("*") if path.suffix in (".ttf", ".otf")
    )
    return f"{count} system fonts" if count else "no system fonts: the window needs one"
