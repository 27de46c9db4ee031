"""ONNX Runtime sessions: on a CUDA card where one works, else on the CPU."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from typing import Any

import onnxruntime

from deidra.app.domain.errors import ModelError
from deidra.models.registry import verified_path

DEVICE_VARIABLE = "DEIDRA_DEVICE"
"""Environment variable: ``auto`` (default), ``cpu`` or ``cuda``."""

THREADS_VARIABLE = "DEIDRA_THREADS"
"""Environment variable: threads of one session."""

onnxruntime.set_default_logger_severity(3)
# On Windows the variable of the package's first lines has no effect; this has.
onnxruntime.disable_telemetry_events()


def onnxruntime_version() -> str:
    """The version of the installed onnxruntime."""
    return str(onnxruntime.__version__)


@functools.cache
def providers() -> tuple[str, ...]:
    """Execution providers in order of preference.

    The GPU build lists CUDA even on machines without a card and fails loudly when asked for it, so
    the driver library is looked for first.
    """
    wish = os.environ.get(DEVICE_VARIABLE, "auto").lower()
    cuda = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
    if wish != "cpu" and cuda and (wish == "cuda" or _has_driver()):
        if hasattr(onnxruntime, "preload_dlls"):
            onnxruntime.preload_dlls()
        return "CUDAExecutionProvider", "CPUExecutionProvider"
    return ("CPUExecutionProvider",)


def _has_driver() -> bool:
    if sys.platform == "darwin":
        return False
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def on_cuda() -> bool:
    """Whether sessions run on a CUDA card."""
    return providers()[0] == "CUDAExecutionProvider"


def threads() -> int:
    """Threads that one session uses: all cores, or this process's share of them."""
    return int(os.environ.get(THREADS_VARIABLE) or 0) or max(1, os.cpu_count() or 2)


def share_cores(processes: int) -> None:
    """Let sessions of this process that are not loaded yet use their share of the cores only."""
    os.environ[THREADS_VARIABLE] = str(max(1, (os.cpu_count() or 2) // processes))


@functools.cache
def session(name: str) -> Any:
    """A session on a model of the registry; one is shared by the whole process (runs are thread-safe).

    Raises:
        ModelError: the model is missing, damaged or cannot be loaded.
    """
    return _loaded(name, str(verified_path(name)))


@functools.cache
def tapped_session(name: str, tensor: str) -> Any:
    """The same with one more output: ``tensor``, which is otherwise not told outside the network.

    Raises:
        ModelError: as above, or there is no such tensor.
    """
    return _loaded(name, with_output(verified_path(name).read_bytes(), tensor))


def with_output(model: bytes, tensor: str) -> bytes:
    """An ONNX model with one more output.

    A second message behind the first one is merged into it (Protocol Buffers, "Last One Wins"): ``ModelProto.graph`` is
    field 7, ``GraphProto.output`` field 12, ``ValueInfoProto.name`` field 1.
    """
    return model + _message(7, _message(12, _message(1, tensor.encode())))


def _message(field: int, content: bytes) -> bytes:
    """A field of Protocol Buffers that holds bytes."""
    return _number(field << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    head, rest = value & 0x7F, value >> 7
    return bytes([head]) if not rest else bytes([head | 0x80]) + _number(rest)


def _loaded(name: str, model: str | bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    # Images differ in size: a memory plan for each shape would be kept for ever and hardly be used again.
    options.enable_mem_pattern = False
    # Threads that wait for work in a loop cost a quarter of the CPU time of a page, and save hardly any time.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(model, options, providers=list(providers()))
    except Exception as error:
        raise ModelError(
            f"The model {name} cannot be loaded ({type(error).__name__}).", "Run: deidra doctor"
        ) from error
