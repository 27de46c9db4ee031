"""Real files from public test collections: a region is covered in each, and everything outside stays as it was."""

from __future__ import annotations

import io
import os
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from dicom_files import to_bytes
from jpeg_files import coefficients
from numpy.typing import NDArray
from PIL import Image
from pydicom.dataset import FileDataset
from pydicom.encaps import generate_frames
from pydicom.uid import HTJ2KLossless, JPEG2000Lossless, JPEGLossless, JPEGLosslessSV1, JPEGLSLossless

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.errors import InputError
from deidra.app.domain.geometry import Box, box_polygon
from deidra.app.evaluate.syntaxes import EXACT, box_of, first_frames, outside_mask
from deidra.app.load.dicom import frame_count, is_encapsulated, is_mask, read_dataset, transfer_syntax
from deidra.app.redact.codec import JPEG2000_FAMILY, LOSSLESS
from deidra.app.redact.description import LOSSY_JPEG
from deidra.app.redact.jpeg_blocks import is_available
from deidra.app.redact.jpeg_fill import unit_mask
from deidra.app.redact.jpeg_header import JpegHeader
from deidra.app.redact.paint import Region
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.written import Way

DATA = Path(os.environ.get("DEIDRA_REAL_FILES", Path(__file__).parents[3] / "shared" / "data")) / "dicom"
FILES = sorted(DATA.glob("[0-9]*")) if DATA.is_dir() else []
NOT_WRITABLE = {"223", "230"}
"""RLE with 32 bits, for which no encoder is here: stored native, with a warning."""

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not FILES, reason=f"the real test files are not at {DATA} (set DEIDRA_REAL_FILES)"),
]


def opened(path: Path) -> tuple[FileDataset, list[NDArray[np.generic]]]:
    """A file with its first frames, colour as RGB; skips what has no pixels or cannot be decoded."""
    try:
        dataset = read_dataset(path.read_bytes())
        if not dataset.get("PixelData") or not frame_count(dataset) or is_mask(dataset):
            pytest.skip("no pixels that are searched for text")
        return dataset, first_frames(dataset)
    except InputError as error:
        pytest.skip(f"not readable: {error}")


def streams_of(dataset: FileDataset) -> list[bytes]:
    return list(generate_frames(dataset.PixelData, number_of_frames=frame_count(dataset)))


def expected_way(dataset: FileDataset, number: str) -> set[Way]:
    syntax = transfer_syntax(dataset)
    if not is_encapsulated(dataset):
        return {Way.NATIVE}
    if syntax in LOSSLESS:
        return {Way.DECOMPRESSED} if number in NOT_WRITABLE else {Way.REENCODED}
    deep = syntax in LOSSY_JPEG and JpegHeader.of(streams_of(dataset)[0]).precision > 8
    return {Way.BLOCKS} if syntax in LOSSY_JPEG and not deep and is_available() else {Way.CONVERTED}


def second_decoding(dataset: FileDataset, stream: bytes) -> NDArray[np.generic] | None:
    """The frame by another library than the product's, where one is here."""
    syntax = transfer_syntax(dataset)
    if dataset.get("PixelRepresentation") or dataset.SamplesPerPixel > 1:
        return None  # these decoders know of no sign and have their own ideas of colour
    if syntax == JPEGLSLossless:
        return np.asarray(imagecodecs.jpegls_decode(stream))
    if syntax in (JPEGLossless, JPEGLosslessSV1):
        return np.asarray(imagecodecs.jpegsof3_decode(stream))
    if syntax == HTJ2KLossless:
        return np.asarray(imagecodecs.htj2k_decode(stream))
    if syntax == JPEG2000Lossless and int(dataset.BitsStored) in (8, 16):
        with Image.open(io.BytesIO(stream)) as image:
            return np.asarray(image)
    if syntax in LOSSY_JPEG:
        return np.asarray(imagecodecs.jpeg8_decode(stream))
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name[:40])
def test_a_region_of_a_real_file_is_covered_and_nothing_else_changes(path: Path) -> None:
    dataset, before = opened(path)
    marked, box = len(before) // 2, box_of(before[0])
    ways = expected_way(dataset, path.name[:3])
    syntax, compressed = transfer_syntax(dataset), is_encapsulated(dataset)
    streams = streams_of(dataset) if compressed else []
    written = redact_pixels(dataset, [Mark(box_polygon(*box), marked)], EXACT)
    assert written.way in ways, written
    dataset.SOPInstanceUID = dataset.get("SOPInstanceUID") or "1.2.3.4"  # without one no file can be written
    again = read_dataset(to_bytes(dataset))
    after = first_frames(again)
    assert len(after) == len(before)
    assert frame_count(again) == frame_count(dataset)
    kept = written.way in (Way.NATIVE, Way.REENCODED, Way.BLOCKS)
    assert (transfer_syntax(again) == syntax) == kept
    stream = streams[marked] if compressed else b""
    outside = outside_mask(box, before[0].shape[:2], written.way, stream)
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        same = outside if index == marked else np.ones_like(outside)
        np.testing.assert_array_equal(new[same], old[same])
    inside = after[marked][box[1] : box[3], box[0] : box[2]]
    if written.way is Way.BLOCKS:
        # Subsampled chroma of the neighbours reaches into the units by one sample.
        middle = inside[2:-2, 2:-2].reshape(-1, 3 if inside.ndim == 3 else 1)
        assert middle.max(initial=0) <= 3
    else:
        assert len(np.unique(inside.reshape(inside.shape[0] * inside.shape[1], -1), axis=0)) == 1
    if compressed and kept:
        check_streams(streams, streams_of(again), marked)
    if written.way is Way.BLOCKS:
        check_blocks(stream, streams_of(again)[marked], box)
    if is_encapsulated(again):
        other = second_decoding(again, streams_of(again)[marked])
        if other is not None:
            np.testing.assert_array_equal(other, after[marked])


def check_streams(before: list[bytes], after: list[bytes], marked: int) -> None:
    """Frames without marks have the same bytes, but for one byte of padding."""
    assert len(before) == len(after)
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if index != marked:
            assert new[: len(old)] == old
            assert len(new) - len(old) in (0, 1)


def check_blocks(before: bytes, after: bytes, box: Box) -> None:
    header = JpegHeader.of(before)
    units = unit_mask(header, Region(box))
    for component, (old, new) in enumerate(zip(coefficients(before), coefficients(after), strict=True)):
        across, down = header.blocks_in_unit(component)
        columns, rows = header.blocks(component)
        inside = np.kron(units, np.ones((down, across), bool))[:rows, :columns]
        np.testing.assert_array_equal(new[~inside], old[~inside])
        assert not new[inside][:, 1:].any()


@pytest.mark.parametrize("fill", list(Fill))
@pytest.mark.parametrize("number", ["005", "062", "087", "156", "225", "045"])
def test_every_fill_keeps_what_is_outside_on_real_files(number: str, fill: Fill) -> None:
    found = [path for path in FILES if path.name.startswith(number)]
    if not found:
        pytest.skip(f"file {number} is not there")
    dataset, before = opened(found[0])
    box = box_of(before[0])
    syntax = transfer_syntax(dataset)
    stream = streams_of(dataset)[0] if is_encapsulated(dataset) else b""
    section = RedactSection(fill=fill, padding_share=0, padding_least=0)
    written = redact_pixels(dataset, [Mark(box_polygon(*box), 0)], section)
    outside = outside_mask(box, before[0].shape[:2], written.way, stream)
    after = first_frames(dataset)
    np.testing.assert_array_equal(after[0][outside], before[0][outside])
    assert written.way is Way.CONVERTED or transfer_syntax(dataset) == syntax
    assert syntax not in JPEG2000_FAMILY or transfer_syntax(dataset) == JPEG2000Lossless
