"""Private text that stands in one layer alone: none of it is left in any released file."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydicom import Dataset
from pydicom import uid as uids
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, generate_frames

from deidra.app.load.dicom import is_encapsulated, read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.codec import Codec
from deidra.app.synth import headers, images
from deidra.app.synth.encode import add_pixels, to_levels, write
from deidra.app.synth.exams import make_exams
from deidra.app.synth.headers import Series, item
from deidra.app.synth.images import Line, burn, draw_lines
from deidra.app.synth.people import make_cast
from deidra.app.workflow import Project

SHAPE = (96, 256)
FRAMES, MARKED_FRAME = 87, 37
SLICES, MARKED_SLICE = 12, 7
STRANGER = "Featherstonehaugh"
"""A name that stands in no header."""
QUICK = "deidra-det"
"""Which layers are searched is under test, not the detectors; the other one takes minutes for these files."""
STUDY = make_exams(make_cast(7)).ct
NAME = STUDY.person.caret
Values = NDArray[np.generic]


@dataclass
class Made:
    """Input files by name, and where their private text stands in the pixels: frame to ink."""

    folder: Path
    ink: dict[str, dict[int, NDArray[np.bool_]]] = field(default_factory=dict)

    def add(self, name: str, dataset: FileDataset, ink: dict[int, NDArray[np.bool_]] | None = None) -> None:
        (self.folder / f"{name}.dcm").write_bytes(write(dataset))
        self.ink[name] = ink or {}


@dataclass
class Released:
    """Datasets before and after by name, and what the release says of the pixels."""

    made: Made
    out: Path
    before: dict[str, FileDataset]
    after: dict[str, FileDataset]


def ink_of(text: str, x: int = 8, y: int = 38, size: int = 20) -> NDArray[np.float64]:
    return draw_lines(SHAPE, [Line((text,), x, y, size)])[0]


def slice_of(number: int) -> NDArray[np.float64]:
    return images.ct_slice(np.random.default_rng(number), SHAPE) * 0.5


def ct(series_number: int, number: int, values: Values, bits: int = 12) -> FileDataset:
    series = Series(STUDY, series_number, "CT", "AXIAL", "ABDOMEN", ("Acme Medical", "Tomograph 64"))
    dataset = headers.base_dataset(series, number, uids.CTImageStorage)
    headers.add_geometry(dataset, series, number, 0.78)
    dataset.RescaleIntercept, dataset.RescaleSlope = "-1024", "1"
    add_pixels(dataset, values, "MONOCHROME2", bits)
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    return dataset


def compress(dataset: FileDataset, syntax: str) -> None:
    """Compress with all 16 bits of the words, whatever the samples have."""
    values = np.frombuffer(dataset.PixelData, "<u2").reshape(SHAPE)
    full = copy.deepcopy(dataset)
    full.BitsStored, full.HighBit = 16, 15
    dataset.PixelData = encapsulate([Codec(full, syntax).encode(values, syntax, "MONOCHROME2")])
    dataset["PixelData"].VR = "OB"
    dataset["PixelData"].is_undefined_length = True
    dataset.file_meta.TransferSyntaxUID = uids.UID(syntax)


HIGH = {
    "native": None,
    "rle": uids.RLELossless,
    "jpeg": uids.JPEGLosslessSV1,
    "jpeg_ls": uids.JPEGLSLossless,
    "j2k": uids.JPEG2000Lossless,
    "htj2k": uids.HTJ2KLossless,
}


def add_high_bits(made: Made) -> None:
    """An overlay that is embedded above the samples (retired), found by its bit position."""
    for number, (name, syntax) in enumerate(HIGH.items(), 1):
        values = to_levels(slice_of(number), 12)
        values[ink_of(NAME) > 0.4] |= 1 << 13
        dataset = ct(3, number, values)
        headers.add_overlay(dataset, ink_of(NAME))
        del dataset[0x60003000]
        dataset[0x60000100].value, dataset[0x60000102].value = 16, 13
        if syntax:
            compress(dataset, syntax)
        made.add(f"high_{name}", dataset)


def add_both(made: Made) -> None:
    """A name in the samples under another one above them, which fills the range of the words."""
    ink = ink_of(NAME, y=8)
    values = to_levels(burn(slice_of(1), ink, 0.9), 12)
    values[ink_of(STRANGER, y=60) > 0.4] |= 1 << 15
    dataset = ct(4, 1, values)
    compress(dataset, uids.JPEGLSLossless)
    made.add("both", dataset, {0: ink > 0.4})


def add_cine(made: Made) -> None:
    ink = ink_of(NAME)
    planes = [images.ultrasound(np.random.default_rng(phase), SHAPE, phase) for phase in range(6)]
    frames = np.stack([to_levels(planes[number % 6], 8) for number in range(FRAMES)])
    frames[MARKED_FRAME] = to_levels(burn(planes[MARKED_FRAME % 6], ink), 8)
    series = Series(STUDY, 5, "US", "LIVER", "ABDOMEN", ("Sonic Works", "Echo 9"))
    dataset = headers.base_dataset(series, 1, uids.UltrasoundMultiFrameImageStorage)
    add_pixels(dataset, frames, "MONOCHROME2", 8, FRAMES)
    dataset.FrameTime = "33"
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    made.add("cine", dataset, {MARKED_FRAME: ink > 0.4})


def add_layers(made: Made) -> None:
    """Overlay plane, curve and icon, each in a file of its own whose image shows nothing."""
    overlay = ct(6, 1, to_levels(slice_of(1), 12))
    headers.add_overlay(overlay, ink_of(NAME))
    overlay.add_new(0x60001500, "LO", STRANGER)
    made.add("overlay", overlay)
    curve = ct(6, 2, to_levels(slice_of(2), 12))
    for tag, vr, value in ((0x0005, "US", 2), (0x0010, "US", 2), (0x0020, "CS", "TAC"), (0x0103, "US", 0)):
        curve.add_new(0x50000000 + tag, vr, value)
    curve.add_new(0x50002500, "LO", STRANGER)
    curve.add_new(0x50003000, "OW", STRANGER.encode() + b"\0")
    made.add("curve", curve)
    icon = ct(6, 3, to_levels(slice_of(3), 12))
    small = Dataset()
    add_pixels(small, to_levels(ink_of(NAME), 8), "MONOCHROME2", 8)
    icon.IconImageSequence = [small]
    made.add("icon", icon)


def add_presentation(made: Made) -> None:
    series = Series(STUDY, 7, "PR", "PRESENTATION", "ABDOMEN", ("Acme Medical", "Viewer"))
    dataset = headers.base_dataset(series, 1, uids.GrayscaleSoftcopyPresentationStateStorage)
    text = item(
        UnformattedTextValue=f"{STRANGER} seen with {STUDY.person.full}",
        AnchorPoint=[10.0, 10.0],
        AnchorPointVisibility="N",
        AnchorPointAnnotationUnits="PIXEL",
    )
    dataset.GraphicAnnotationSequence = [item(GraphicLayer="LAYER1", TextObjectSequence=[text])]
    dataset.GraphicLayerSequence = [
        item(GraphicLayer="LAYER1", GraphicLayerOrder=1, GraphicLayerDescription=STUDY.person.full)
    ]
    dataset.ContentLabel, dataset.ContentDescription = "MARKS", f"of {STUDY.person.full}"
    dataset.ContentCreatorName = f"{STRANGER}^A"
    dataset.PresentationCreationDate, dataset.PresentationCreationTime = "20230914", "101530"
    dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
    made.add("presentation", dataset)


def add_series(made: Made) -> None:
    ink = ink_of(NAME)
    for number in range(SLICES):
        marked = number == MARKED_SLICE
        plane = burn(slice_of(number), ink) if marked else slice_of(number)
        made.add(f"slice_{number}", ct(8, number + 1, to_levels(plane, 12)), {0: ink > 0.4} if marked else {})


def add_slide(made: Made) -> None:
    """The label and the macro image of a whole slide (PS3.3 C.8.12.4)."""
    for number, flavour in enumerate(("LABEL", "OVERVIEW"), 1):
        ink = ink_of(NAME)
        plane = np.full((*SHAPE, 3), 0.93)
        plane[:, 200:] = (0.85, 0.6, 0.75)
        series = Series(STUDY, 9, "SM", "SLIDE", "LIVER", ("Acme Medical", "Scanner"))
        dataset = headers.base_dataset(series, number, uids.VLWholeSlideMicroscopyImageStorage)
        dataset.ImageType = ["ORIGINAL", "PRIMARY", flavour, "NONE"]
        dataset.SpecimenLabelInImage = "YES"
        add_pixels(dataset, to_levels(burn(plane, ink, (0.1, 0.1, 0.1)), 8), "RGB", 8, frames=None)
        dataset.NumberOfFrames = 1
        dataset.TotalPixelMatrixRows, dataset.TotalPixelMatrixColumns = SHAPE
        dataset.LabelText = f"{STUDY.person.full} {STRANGER}"
        dataset.BarcodeValue = STUDY.person.mrn
        dataset.file_meta.TransferSyntaxUID = uids.ExplicitVRLittleEndian
        made.add(f"slide_{flavour.lower()}", dataset, {0: ink > 0.4})


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Released]:
    made = Made(tmp_path_factory.mktemp("layers"))
    makers: tuple[Callable[[Made], Any], ...] = (
        *(add_high_bits, add_both, add_cine, add_layers),
        *(add_presentation, add_series, add_slide),
    )
    for make in makers:
        make(made)
    project = Project.open(tmp_path_factory.mktemp("project") / "p")
    try:
        policy = made.folder.parent / "quick.toml"
        policy.write_text(f'extends = "basic"\n[detect]\nagents = ["{QUICK}"]\n', "utf-8")
        project.run([made.folder], policy=str(policy))
        out = tmp_path_factory.mktemp("release") / "out"
        summary = project.release(out, pending="accept")
        assert summary.quarantined == []
        outputs = project.store.assets.outputs()
        paths = {Path(a.path).stem: out / outputs[a.id].output for a in project.store.assets.all()}
        before = {name: read_dataset((made.folder / f"{name}.dcm").read_bytes()) for name in made.ink}
        yield Released(made, out, before, {name: read_dataset(paths[name].read_bytes()) for name in made.ink})
    finally:
        project.close()


def words(dataset: FileDataset) -> Values:
    """All bits of the first frame's words."""
    if is_encapsulated(dataset):
        (stream,) = generate_frames(dataset.PixelData, number_of_frames=1)
        return Codec(dataset, str(dataset.file_meta.TransferSyntaxUID)).words(stream)
    return np.frombuffer(dataset.PixelData, "<u2").reshape(SHAPE)


def test_no_released_file_holds_a_name_in_its_bytes(released: Released) -> None:
    person = STUDY.person
    private = [person.family, person.given, STRANGER, person.mrn]
    for path in (p for p in released.out.rglob("*") if p.is_file()):
        data = path.read_bytes().lower()
        assert not [text for text in private if text.lower().encode() in data], path.suffix


def test_no_layer_beside_the_pixels_is_released(released: Released) -> None:
    for dataset in released.after.values():
        assert "IconImageSequence" not in dataset
        for element in dataset.iterall():
            assert element.tag.group not in range(0x5000, 0x5100)
            assert element.tag.group not in range(0x6000, 0x6100)


@pytest.mark.parametrize("name", HIGH)
def test_nothing_is_left_in_bits_above_the_samples_and_the_picture_stays(released: Released, name: str) -> None:
    before, after = words(released.before[f"high_{name}"]), words(released.after[f"high_{name}"])
    assert int(before.max()) >> 13 == 1
    assert int(after.max()) >> 12 == 0
    rows = np.nonzero(before >> np.uint16(13))[0]
    # What was found in the overlay is covered in the picture as well: a curator may not see which bits it stands in.
    away = np.r_[: rows.min() - 12, rows.max() + 12 : SHAPE[0]]
    assert np.array_equal(after[away], before[away])
    assert (
        released.after[f"high_{name}"].file_meta.TransferSyntaxUID
        == released.before[f"high_{name}"].file_meta.TransferSyntaxUID
    )


def test_the_manifest_tells_that_bits_were_cleared(released: Released) -> None:
    manifest = "".join(p.read_text("utf-8") for p in released.out.iterdir() if p.suffix in (".json", ".jsonl"))
    assert "bits around the samples cleared in 1 of 1 frames" in manifest


@pytest.mark.parametrize("name", ["both", "cine", f"slice_{MARKED_SLICE}", "slide_label", "slide_overview"])
def test_text_that_only_one_image_shows_is_covered(released: Released, name: str) -> None:
    before, after = (Frames(d[name]) for d in (released.before, released.after))
    ((index, ink),) = released.made.ink[name].items()
    rows, columns = np.nonzero(ink)
    old, new = before.frame(index).values, after.frame(index).values
    box = new[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    # One colour over all of the text.
    assert len(np.unique(box.reshape(-1, *box.shape[2:]), axis=0)) == 1
    assert not np.array_equal(old, new)


def test_frames_and_slices_without_text_stay_as_they_are(released: Released) -> None:
    before, after = (Frames(d["cine"]) for d in (released.before, released.after))
    for index in set(range(FRAMES)) - {MARKED_FRAME}:
        assert np.array_equal(before.frame(index).values, after.frame(index).values)
    for number in set(range(SLICES)) - {MARKED_SLICE}:
        assert released.before[f"slice_{number}"].PixelData == released.after[f"slice_{number}"].PixelData


def test_nothing_private_is_left_in_a_presentation_state(released: Released) -> None:
    after = released.after["presentation"]
    private = [w.lower() for w in (STUDY.person.family, STUDY.person.given, STRANGER)]
    for element in after.iterall():
        assert not [word for word in private if word in str(element.value).lower()], element.keyword
