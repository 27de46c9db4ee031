"""Put pixel arrays into data sets and write them in a transfer syntax (PS3.5 Annex A)."""

from __future__ import annotations

import io
from typing import Any

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydicom import dcmwrite
from pydicom import uid as uids
from pydicom.dataset import Dataset, FileDataset
from pydicom.encaps import encapsulate

Pixels = NDArray[Any]

_BY_PYDICOM = (uids.RLELossless, uids.JPEG2000Lossless, uids.JPEGLSLossless)


def to_levels(plane: NDArray[np.float64], bits: int) -> Pixels:
    """Brightness 0 to 1 as unsigned integers of ``bits`` bits."""
    dtype = np.uint8 if bits <= 8 else np.uint16
    levels: Pixels = np.round(np.clip(plane, 0, 1) * (2**bits - 1)).astype(dtype)
    return levels


def add_pixels(dataset: Dataset, pixels: Pixels, photometric: str, bits: int, frames: int | None = None) -> None:
    """Fill the Image Pixel module (PS3.3 C.7.6.3) from ``pixels``, native and little endian.

    Axes are ``[frame,] row, column [, sample]``; ``frames`` is given for multi-frame images only.
    """
    colour = photometric in ("RGB", "YBR_FULL", "YBR_FULL_422")
    rows, columns = pixels.shape[int(frames is not None) :][:2]
    dataset.SamplesPerPixel = 3 if colour else 1
    dataset.PhotometricInterpretation = photometric
    if colour:
        dataset.PlanarConfiguration = 0
    if frames is not None:
        dataset.NumberOfFrames = frames
    dataset.Rows, dataset.Columns = rows, columns
    dataset.BitsAllocated = 16 if pixels.dtype.itemsize == 2 else 8
    dataset.BitsStored = bits
    dataset.HighBit = bits - 1
    dataset.PixelRepresentation = 0
    data = pixels.tobytes()
    dataset.PixelData = data + b"\0" * (len(data) % 2)
    dataset["PixelData"].VR = "OW" if pixels.dtype.itemsize == 2 else "OB"


def add_palette(dataset: Dataset, palette: Pixels) -> None:
    """Palette Color Lookup Table module for 256 entries of 8-bit RGB, written as 16 bit (PS3.3 C.7.9)."""
    for channel, name in enumerate(("Red", "Green", "Blue")):
        setattr(dataset, f"{name}PaletteColorLookupTableDescriptor", [256, 0, 16])
        table = (palette[:, channel].astype("<u2") * 257).tobytes()
        setattr(dataset, f"{name}PaletteColorLookupTableData", table)


def rgb_to_ybr(pixels: Pixels) -> Pixels:
    """RGB as full-range YCbCr (PS3.3 C.7.6.3.1.2); axes ``..., sample``."""
    matrix = np.array([[0.299, 0.587, 0.114], [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]])
    ybr = pixels.astype(np.float64) @ matrix.T + np.array([0, 128, 128])
    rounded: Pixels = np.clip(np.round(ybr), 0, 255).astype(np.uint8)
    return rounded


def encode(dataset: FileDataset, pixels: Pixels, syntax: str) -> None:
    """Set the transfer syntax and encode the pixel data that :func:`add_pixels` put in place."""
    dataset.file_meta.TransferSyntaxUID = uids.UID(syntax)
    if syntax in _BY_PYDICOM:
        dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
        dataset.compress(syntax, generate_instance_uid=False)
    elif syntax == uids.ExplicitVRBigEndian and dataset.BitsAllocated == 16:
        dataset.PixelData = pixels.astype(">u2").tobytes()
    elif syntax == uids.JPEGLosslessSV1:
        code = imagecodecs.jpeg8_encode(pixels, lossless=True, predictor=1, bitspersample=int(dataset.BitsStored))
        _encapsulate(dataset, [bytes(code)])
    elif syntax == uids.JPEGBaseline8Bit:
        codes = [_baseline(frame) for frame in pixels]
        _encapsulate(dataset, codes)
        dataset.PhotometricInterpretation = "YBR_FULL_422"
        dataset.LossyImageCompression = "01"
        dataset.LossyImageCompressionMethod = "ISO_10918_1"
        dataset.LossyImageCompressionRatio = f"{pixels.nbytes / sum(map(len, codes)):.1f}"


def write(dataset: FileDataset) -> bytes:
    """The DICOM file with preamble and file meta information."""
    buffer = io.BytesIO()
    dcmwrite(buffer, dataset, enforce_file_format=True)
    return buffer.getvalue()


def write_bare(dataset: FileDataset) -> bytes:
    """The data set alone, Implicit VR Little Endian: no preamble and no file meta information."""
    bare = Dataset()
    bare.update(dataset)
    buffer = io.BytesIO()
    dcmwrite(buffer, bare, enforce_file_format=False, implicit_vr=True, little_endian=True)
    return buffer.getvalue()


def _baseline(frame: Pixels) -> bytes:
    """One RGB frame as baseline JPEG with 4:2:2 chroma, quality 92."""
    buffer = io.BytesIO()
    Image.fromarray(frame).save(buffer, "JPEG", quality=92, subsampling="4:2:2")
    return buffer.getvalue()


def _encapsulate(dataset: Dataset, codes: list[bytes]) -> None:
    dataset.PixelData = encapsulate(codes)
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
