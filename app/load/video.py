"""Frames of an MPEG, H.264 or HEVC stream inside a DICOM file (PS3.5 A.4.5 to A.4.13), by the system's ffmpeg.

The stream is one bit stream or container for all frames, so frames come one after another; going back starts again.
Sound and any further tracks are not looked at and never stored. ffmpeg gets the stream through an anonymous file in
memory where the system has such (MP4 is read out of order), else through a pipe; it may open nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

import numpy as np
from numpy.typing import NDArray

from deidra.app.domain.errors import InputError

_CONTAINERS = "h264,hevc,mpegvideo,mpegts,mpeg,mp4,mov"
"""What PS3.5 allows around the streams. Play lists, which name other files, are not among them."""


def ffmpeg() -> str | None:
    """Where the system's ffmpeg is, if anywhere."""
    return shutil.which("ffmpeg")


class Video:
    """The frames of one stream, ``(rows, columns, 3)`` RGB of 8 bits.

    Args:
        stream: the stream, fragments joined.
        rows: height that the header tells.
        columns: width that the header tells.

    Raises:
        InputError: the system has no ffmpeg.
    """

    def __init__(self, stream: bytes, rows: int, columns: int) -> None:
        found = ffmpeg()
        if found is None:
            raise InputError("The pixels are a video stream, which cannot be searched.", "Install ffmpeg.")
        self._program = found
        self._stream = stream
        self._shape = rows, columns, 3
        self._next = 0
        self._frames: Iterator[NDArray[np.uint8]] | None = None

    def frame(self, index: int) -> NDArray[np.uint8]:
        """Frame ``index`` (from 0); quickest in their order.

        Raises:
            EOFError: the stream ends before it.
            ValueError: ffmpeg cannot read the stream.
        """
        if self._frames is None or index < self._next:
            self._frames, self._next = self._decoded(), 0
        for values in self._frames:
            self._next += 1
            if self._next > index:
                return values
        self._frames = None
        raise EOFError("the video is shorter than the header says")

    def count(self) -> int:
        """How many frames the stream holds; decodes all of it."""
        return sum(1 for _ in self._decoded())

    def _decoded(self) -> Iterator[NDArray[np.uint8]]:
        with _source(self._stream) as (name, handles, feed):
            command = [
                *(self._program, "-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe"),
                *("-format_whitelist", _CONTAINERS, "-noautorotate", "-i", name, "-map", "0:v:0"),
                *("-sws_flags", "accurate_rnd+full_chroma_int", "-fps_mode", "passthrough", "-pix_fmt", "rgb24"),
                *("-f", "image2pipe", "-c:v", "ppm", "pipe:1"),
            ]
            process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=handles,
            )
            try:
                if feed and process.stdin:
                    threading.Thread(target=_fed, args=(process.stdin, self._stream), daemon=True).start()
                if process.stdout:
                    yield from self._pictures(process.stdout)
                if process.wait():
                    raise ValueError("the video stream is damaged")
            finally:
                process.kill()
                process.wait()
                if process.stdout:
                    process.stdout.close()

    def _pictures(self, output: IO[bytes]) -> Iterator[NDArray[np.uint8]]:
        """Portable pixmaps, each of which tells its size: "P6", width and height, 255, then the samples."""
        while kind := output.readline():
            columns, rows = map(int, output.readline().split())
            if (kind.strip(), rows, columns, output.readline().strip()) != (b"P6", *self._shape[:2], b"255"):
                raise ValueError("the video has another size than the header says")
            data = output.read(rows * columns * 3)
            yield np.frombuffer(data, np.uint8).reshape(self._shape)


def _fed(pipe: IO[bytes], stream: bytes) -> None:
    # A process that ends early closes its end.
    with suppress(OSError), pipe:
        pipe.write(stream)


@contextmanager
def _source(stream: bytes) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    """Where ffmpeg reads a stream: its name, handles that the process gets, whether it is fed through a pipe."""
    if not hasattr(os, "memfd_create"):
        yield "pipe:0", (), True
        return
    handle = os.memfd_create("video")
    try:
        view = memoryview(stream)
        while view:
            view = view[os.write(handle, view) :]
        yield f"/proc/self/fd/{handle}", (handle,), False
    finally:
        os.close(handle)
