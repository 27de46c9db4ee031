from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import imagecodecs
import numpy as np
import pydicom
import pypdfium2
import pytest
from PIL import Image, ImageOps, ImageSequence
from pydicom.dataset import FileDataset
from pydicom.encaps import generate_frames
from pydicom.pixels import apply_color_lut

from deidra.app.synth.sample import SampleSet, make_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> SampleSet:
    return make_sample(tmp_path_factory.mktemp("sample"))


@pytest.fixture(scope="session")
def key(sample: SampleSet) -> dict[str, Any]:
    return json.loads(sample.key.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def read(sample: SampleSet) -> Callable[[str], bytes]:
    """Bytes of a file or archive member by its path in the key."""

    def by_path(path: str) -> bytes:
        outer, _, member = path.partition("!")
        data = (sample.folder / outer).read_bytes()
        return zipfile.ZipFile(io.BytesIO(data)).read(member) if member else data

    return by_path


@pytest.fixture(scope="session")
def dataset(read: Callable[[str], bytes]) -> Callable[[str], FileDataset]:
    """The data set of a DICOM file of the sample; what has no file meta is Implicit VR Little Endian."""

    def by_path(path: str) -> FileDataset:
        found = pydicom.dcmread(io.BytesIO(read(path)), force=True)
        if "TransferSyntaxUID" not in found.file_meta:
            found.file_meta.TransferSyntaxUID = pydicom.uid.ImplicitVRLittleEndian
        return found

    return by_path


def decode(dataset: FileDataset) -> list[np.ndarray]:
    """Frames ``[row, column(, sample)]``, palettes applied."""
    if dataset.file_meta.TransferSyntaxUID == pydicom.uid.JPEGLosslessSV1:
        # pydicom has no decoder of its own for this one.
        return [imagecodecs.jpeg8_decode(code) for code in generate_frames(dataset.PixelData, number_of_frames=1)]
    pixels = dataset.pixel_array
    if dataset.PhotometricInterpretation == "PALETTE COLOR":
        pixels = apply_color_lut(pixels, dataset)
    return list(pixels) if "NumberOfFrames" in dataset else [pixels]


@pytest.fixture(scope="session")
def planes(read: Callable[[str], bytes], dataset: Callable[[str], FileDataset]) -> Callable[[dict[str, Any]], list]:
    """All frames or upright pages of a file of the key, PDF pages at 200 dpi."""

    def of_entry(entry: dict[str, Any]) -> list[np.ndarray]:
        if entry["kind"] == "dicom":
            return decode(dataset(entry["path"]))
        data = read(entry["path"])
        if entry["kind"] == "pdf":
            document = pypdfium2.PdfDocument(data)
            return [np.asarray(page.render(scale=200 / 72).to_pil()) for page in document]
        with Image.open(io.BytesIO(data)) as image:
            return [np.asarray(ImageOps.exif_transpose(page.copy())) for page in ImageSequence.Iterator(image)]

    return of_entry
