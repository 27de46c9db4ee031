"""Changing single DCT blocks of a JPEG stream, with libturbojpeg; all other coefficients stay as they are.

The library's lossless transform decodes no pixel: it reads the quantised coefficients, lets a filter see
them, and writes them again with the same quantisation. Its interface of version 2 is used, which version 3
still has. The system's library is loaded when it is first needed; without it JPEG is stored in another way.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Blocks = NDArray[np.int16]
Visit = Callable[[int, int, Blocks], None]
"""Sees component, row of blocks, and the row's coefficients ``(blocks, 64)``, which it may change in place."""
_NAMES = ("turbojpeg", "libturbojpeg.so.0", "libturbojpeg.dylib", "turbojpeg.dll")
_OUTPUT_PROGRESSIVE, _NO_MARKERS = 32, 64  # TJXOPT_PROGRESSIVE, TJXOPT_COPYNONE
_STOP_ON_WARNING = 8192  # TJFLAG_STOPONWARNING: a damaged stream is not for us


class CannotTransform(Exception):
    """The library refused a stream; its message is dropped, since it may quote the stream."""


class _Area(ctypes.Structure):
    """A ``tjregion``."""

    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int), ("w", ctypes.c_int), ("h", ctypes.c_int))


_Filter = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), _Area, _Area, ctypes.c_int, ctypes.c_int, ctypes.c_void_p
)


class _Transform(ctypes.Structure):
    """A ``tjtransform``."""

    _fields_ = (
        ("r", _Area),
        ("op", ctypes.c_int),
        ("options", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("customFilter", _Filter),
    )


def is_available() -> bool:
    """True when the system has libturbojpeg."""
    return _library() is not None


@functools.lru_cache(maxsize=1)
def _library() -> ctypes.CDLL | None:
    for name in _NAMES:
        try:
            library = ctypes.CDLL(ctypes.util.find_library(name) or name)
            library.tjInitTransform.restype = ctypes.c_void_p
            library.tjInitTransform.argtypes = []
            library.tjDestroy.argtypes = [ctypes.c_void_p]
            library.tjFree.argtypes = [ctypes.c_void_p]
            library.tjTransform.argtypes = [
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.c_ulong,
                ctypes.c_int,
                ctypes.POINTER(ctypes.c_void_p),
                ctypes.POINTER(ctypes.c_ulong),
                ctypes.POINTER(_Transform),
                ctypes.c_int,
            ]
        except (OSError, AttributeError):
            continue  # not there, or without this interface
        return library
    return None


def transform(stream: bytes, visit: Visit, progressive: bool = False) -> bytes:
    """Write a JPEG stream again with what ``visit`` changed in its coefficients.

    Coefficients are quantised, and row by row in their block. Markers that the decoding does not need are
    left out, colour markers may be other ones than before.

    Args:
        stream: a JPEG stream of 8 bits, baseline, extended or progressive.
        visit: called for each component and row of blocks; must not raise.
        progressive: write a progressive stream.

    Raises:
        CannotTransform: the library is missing or refuses the stream.
    """
    library = _library()
    handle = library.tjInitTransform() if library is not None else None
    if library is None or not handle:
        raise CannotTransform

    def visit_row(values: ctypes._Pointer[ctypes.c_short], array: _Area, plane: _Area, component: int, *_: int) -> int:
        # Units at the lower edge can have rows of blocks below the image.
        if array.y < plane.h:
            row = np.ctypeslib.as_array(values, (array.w // 8, 64))
            visit(component, array.y // 8, row)
        return 0

    options = _NO_MARKERS | (_OUTPUT_PROGRESSIVE if progressive else 0)
    wanted = _Transform(_Area(0, 0, 0, 0), 0, options, None, _Filter(visit_row))
    target, size = ctypes.c_void_p(), ctypes.c_ulong(0)
    try:
        failed = library.tjTransform(
            handle,
            stream,
            len(stream),
            1,
            ctypes.byref(target),
            ctypes.byref(size),
            ctypes.byref(wanted),
            _STOP_ON_WARNING,
        )
        if failed or not target.value:
            raise CannotTransform
        return ctypes.string_at(target.value, size.value)
    finally:
        if target.value:
            library.tjFree(target)
        library.tjDestroy(handle)
