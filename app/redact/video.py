"""Covering regions in video: decoded once, and stored frame by frame without loss.

A stream cannot be changed in one place only, and its container tells of times, programs and sound; so no byte of it
is kept, with marks or without.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydicom.dataset import FileDataset
from pydicom.uid import UID, JPEGLSLossless

from deidra.app.decide.policy import RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.load.frames import video_of
from deidra.app.redact.codec import CannotEncode, Codec
from deidra.app.redact.description import describe_samples, follow_pixels, keep_lossy_flag
from deidra.app.redact.paint import cover_all, marked_frames, regions_of
from deidra.app.redact.palette import palette_of
from deidra.app.redact.plan import Mark
from deidra.app.redact.streams import store_frames
from deidra.app.redact.written import Way, Written

_TARGET = str(JPEGLSLossless)
_EXTENT = (0.0, 255.0)


def redact_video(dataset: FileDataset, marks: Sequence[Mark], settings: RedactSection) -> Written:
    """Cover marks in all frames of a video, in place; sound and all else in the stream go.

    Frames the stream holds beyond those that the header tells of are dropped, since nobody searched them.

    Raises:
        InputError: the system has no ffmpeg, or the stream is damaged or shorter than the header says.
    """
    video = video_of(dataset)
    count, length = int(dataset.NumberOfFrames), len(dataset.PixelData)
    rows, columns = int(dataset.Rows), int(dataset.Columns)
    marked = set(marked_frames(marks, count))
    syntax = str(dataset.file_meta.TransferSyntaxUID)
    keep_lossy_flag(dataset, syntax, length)
    describe_samples(dataset, "RGB", 1, _EXTENT)
    codec = Codec(dataset, _TARGET)
    streams = []
    try:
        for index in range(count):
            values = np.array(video.frame(index))
            if index in marked and (regions := regions_of(marks, index, columns, rows, settings)):
                cover_all(values, regions, settings.fill, palette_of(dataset, "RGB", values.dtype, lambda: _EXTENT))
            streams.append(codec.encode(values, _TARGET, "RGB"))
    except (ValueError, EOFError) as error:
        raise InputError("The video stream is damaged or shorter than its header says.", "Export it again.") from error
    except CannotEncode as error:
        raise InputError("The frames of the video cannot be stored without loss.") from error
    store_frames(dataset, streams)
    dataset.file_meta.TransferSyntaxUID = UID(_TARGET)
    follow_pixels(dataset, None)
    name = str(UID(syntax).name).split(" / ")[0]
    return Written(Way.CONVERTED, f"{name} decoded once, without sound, stored as JPEG-LS lossless")
