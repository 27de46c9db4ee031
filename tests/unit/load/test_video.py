from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate
from pydicom.uid import JPEGLSLossless

from deidra.app.decide.policy import load_policy
from deidra.app.detect.images import dicom_text
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.errors import InputError
from deidra.app.load import video
from deidra.app.load.frames import Frames
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark

Make = Callable[..., FileDataset]
Picture = NDArray[np.uint8]
ROWS, COLUMNS, COUNT = 240, 320, 12
MPEG2, H264, HEVC = (f"1.2.840.10008.1.2.4.{n}" for n in (100, 102, 107))
STREAMS = [
    (MPEG2, ("-c:v", "mpeg2video", "-q:v", "2", "-f", "mpegts")),
    (MPEG2, ("-c:v", "mpeg2video", "-q:v", "2", "-f", "mpeg2video")),
    (H264, ("-c:v", "libx264", "-crf", "10", "-f", "h264")),
    # The table of an MP4 file stands behind the frames.
    (H264, ("-c:v", "libx264", "-crf", "10", "-f", "mp4")),
    (HEVC, ("-c:v", "libx265", "-crf", "10", "-f", "mpegts")),
]
needs_ffmpeg = pytest.mark.skipif(video.ffmpeg() is None, reason="ffmpeg is not installed")


def frames(name_on: int | None = None) -> list[Picture]:
    """A grey disc that moves; one frame says a name."""
    pictures = []
    for number in range(COUNT):
        picture = Image.new("RGB", (COLUMNS, ROWS), (20, 20, 30))
        draw = ImageDraw.Draw(picture)
        draw.ellipse((40 + 6 * number, 120, 120 + 6 * number, 200), fill=(120, 110, 100))
        if number == name_on:
            draw.text((30, 20), "OKONKWO ADAEZE", fill="white", font=ImageFont.load_default(26))
        pictures.append(np.array(picture))
    return pictures


def stream(pictures: Sequence[Picture], options: Sequence[str], folder) -> bytes:
    path = folder / "video"
    height, width = pictures[0].shape[:2]
    command = ["ffmpeg", "-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    command += ["-r", "25", "-i", "pipe:0", "-pix_fmt", "yuv420p", *options, "-y", str(path)]
    subprocess.run(command, input=b"".join(p.tobytes() for p in pictures), check=True)
    return path.read_bytes()


def holding(make: Make, data: bytes, syntax: str, count: int = COUNT, size: tuple[int, int] = (ROWS, COLUMNS)):
    dataset = make(np.zeros((*size, 3), np.uint8), "RGB")
    dataset.NumberOfFrames = count
    dataset.PhotometricInterpretation = "YBR_PARTIAL_420"
    dataset.PixelData = encapsulate([data + b"\0" * (len(data) % 2)])
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = syntax
    return dataset


@needs_ffmpeg
@pytest.mark.parametrize(
    ("syntax", "options", "in_memory"),
    # ffmpeg reads MP4 out of order, which a pipe cannot do.
    [(*one, in_memory) for one in STREAMS for in_memory in (True, False) if in_memory or "mp4" not in one[1]],
)
def test_every_frame_of_a_video_is_decoded(
    make: Make, tmp_path, monkeypatch, syntax: str, options: Sequence[str], in_memory: bool
) -> None:
    if not in_memory:
        monkeypatch.delattr(video.os, "memfd_create", raising=False)
    pictures = frames()
    read = Frames(holding(make, stream(pictures, options, tmp_path), syntax))
    for index in (*range(COUNT), 3, 11, 0):
        values = read.frame(index).values
        assert values.shape == (ROWS, COLUMNS, 3)
        assert np.abs(values.astype(int) - pictures[index]).mean() < 4


@needs_ffmpeg
@pytest.mark.parametrize(
    ("count", "size", "cut"),
    [(COUNT + 1, (ROWS, COLUMNS), 1.0), (COUNT, (ROWS, COLUMNS + 2), 1.0), (COUNT, (ROWS, COLUMNS), 0.1)],
)
def test_a_video_that_is_not_what_its_header_says_is_refused(make: Make, tmp_path, count, size, cut) -> None:
    data = stream(frames(), STREAMS[2][1], tmp_path)
    dataset = holding(make, data[: int(len(data) * cut)], H264, count, size)
    with pytest.raises(InputError):
        list(Frames(dataset))
    with pytest.raises(InputError):
        redact_pixels(dataset, [], load_policy("basic").redact)


@needs_ffmpeg
def test_a_play_list_in_place_of_a_video_opens_no_other_file(make: Make, tmp_path) -> None:
    other = tmp_path / "other.ts"
    other.write_bytes(stream(frames(), STREAMS[0][1], tmp_path))
    for text in (f"#EXTM3U\n#EXTINF:1,\n{other}\n#EXT-X-ENDLIST\n", f"ffconcat version 1.0\nfile '{other}'\n"):
        with pytest.raises(InputError):
            Frames(holding(make, text.encode(), H264)).frame(0)


def test_without_ffmpeg_a_video_is_refused_and_the_advice_says_what_is_missing(make: Make, monkeypatch) -> None:
    monkeypatch.setattr(video.shutil, "which", lambda _: None)
    with pytest.raises(InputError, match="video") as caught:
        Frames(holding(make, b"\0\0\0\1", H264))
    assert "ffmpeg" in str(caught.value.advice)


@needs_ffmpeg
def test_a_name_on_one_frame_of_a_video_is_found_and_covered_and_no_byte_of_the_stream_stays(
    make: Make, tmp_path
) -> None:
    data = stream(frames(name_on=7), (*STREAMS[3][1], "-metadata", "title=OKONKWO4711"), tmp_path)
    assert b"OKONKWO4711" in data
    dataset = holding(make, data, H264)
    before = [frame.values for frame in Frames(dataset)]
    text = dicom_text(dataset, TextLocator(second_reader=False))
    lines = [(found.index, line) for found in text.frames for line in found.lines]
    assert [(index, line.text.replace(" ", "")) for index, line in lines] == [(7, "OKONKWOADAEZE")]
    settings = load_policy("basic").redact
    written = redact_pixels(dataset, [Mark(lines[0][1].polygon, 7)], settings)
    assert dataset.file_meta.TransferSyntaxUID == JPEGLSLossless
    assert "without sound" in str(written)
    assert b"OKONKWO4711" not in dataset.PixelData
    assert (dataset.PhotometricInterpretation, dataset.LossyImageCompression) == ("RGB", "01")
    assert dataset.LossyImageCompressionMethod == "ISO_14496_10"
    after = [frame.values for frame in Frames(dataset)]
    assert len(after) == COUNT
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        changed = (old != new).any(2)
        assert changed.any() == (index == 7)
        assert not changed[60:].any()
    assert after[7][15:55].max() < 60
