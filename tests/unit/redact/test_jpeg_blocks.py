"""JPEG is covered in its DCT blocks: every coefficient outside the coded units of the boxes stays as it was."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import imagecodecs
import numpy as np
import pytest
from dicom_files import to_bytes
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jpeg_files import coefficients, jpeg, needs_turbojpeg, rgb_jpeg, smooth
from numpy.typing import NDArray
from pydicom.dataset import FileDataset
from pydicom.encaps import encapsulate, generate_frames
from pydicom.uid import JPEGBaseline8Bit, JPEGExtended12Bit

from deidra.app.decide.policy import Fill, RedactSection
from deidra.app.domain.geometry import Box, as_polygon, box_polygon, padded_box
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.redact.jpeg_blocks import CannotTransform, transform
from deidra.app.redact.jpeg_fill import unit_mask
from deidra.app.redact.jpeg_header import ZIGZAG, JpegHeader, NotReadable
from deidra.app.redact.paint import Region
from deidra.app.redact.pixels import redact_pixels
from deidra.app.redact.plan import Mark
from deidra.app.redact.written import Way

Make = Callable[..., FileDataset]
EXACT = RedactSection(padding_share=0, padding_least=0)
PROGRESSIVE = "1.2.840.10008.1.2.4.55"
COLOURS = {0: "4:4:4", 1: "4:2:2", 2: "4:2:0"}
SECRET = b"OKONKWO^ADAEZE"

pytestmark = needs_turbojpeg


def file_of(make: Make, streams: list[bytes], photometric: str, syntax: str = JPEGBaseline8Bit) -> FileDataset:
    header = JpegHeader.of(streams[0])
    shape = (len(streams), header.height, header.width) + ((3,) if len(header.components) == 3 else ())
    dataset = make(np.zeros(shape, np.uint8), photometric, syntax)
    dataset.PixelData = encapsulate(streams)
    dataset["PixelData"].is_undefined_length = True
    return read_dataset(to_bytes(dataset))


def streams_of(dataset: FileDataset) -> list[bytes]:
    return list(generate_frames(dataset.PixelData, number_of_frames=int(dataset.NumberOfFrames)))


def section(fill: Fill) -> RedactSection:
    return RedactSection(fill=fill, padding_share=0, padding_least=0)


def covered_blocks(header: JpegHeader, units: NDArray[np.bool_], component: int) -> NDArray[np.bool_]:
    across, down = header.blocks_in_unit(component)
    columns, rows = header.blocks(component)
    return np.kron(units, np.ones((down, across), bool))[:rows, :columns]


def check_coefficients(before: bytes, after: bytes, units: NDArray[np.bool_]) -> None:
    """Outside equal, inside even."""
    header = JpegHeader.of(before)
    old, new = coefficients(before), coefficients(after)
    assert len(old) == len(new)
    for component, (a, b) in enumerate(zip(old, new, strict=True)):
        inside = covered_blocks(header, units, component)
        assert inside.any()
        np.testing.assert_array_equal(b[~inside], a[~inside])
        assert not b[inside][:, 1:].any()
        assert len(np.unique(b[inside][:, 0])) == 1


@settings(deadline=None, max_examples=60)
@given(
    width=st.integers(1, 90),
    height=st.integers(1, 70),
    subsampling=st.sampled_from([None, 0, 1, 2]),
    progressive=st.booleans(),
    place=st.tuples(st.floats(0, 0.999), st.floats(0, 0.999), st.integers(1, 60), st.integers(1, 40)),
    quality=st.sampled_from([30, 75, 100]),
    white=st.booleans(),
)
def test_coefficients_outside_the_coded_units_of_a_box_stay_and_inside_there_is_one_colour(
    make: Make,
    width: int,
    height: int,
    subsampling: int | None,
    progressive: bool,
    place: tuple[float, float, int, int],
    quality: int,
    white: bool,
) -> None:
    values = smooth((height, width) if subsampling is None else (height, width, 3))
    options = {} if subsampling is None else {"subsampling": subsampling}
    stream = jpeg(values, quality=quality, progressive=progressive, **options)
    dataset = file_of(
        make,
        [stream],
        "MONOCHROME2" if subsampling is None else "YBR_FULL_422",
        PROGRESSIVE if progressive else JPEGBaseline8Bit,
    )
    left, top = int(place[0] * width), int(place[1] * height)
    box = (left, top, min(width, left + place[2]), min(height, top + place[3]))
    fill = Fill.WHITE if white else Fill.BLACK
    assert redact_pixels(dataset, [Mark(box_polygon(*box), 0)], section(fill)).way is Way.BLOCKS
    again = read_dataset(to_bytes(dataset))
    (after,) = streams_of(again)
    assert JpegHeader.of(after).process == JpegHeader.of(stream).process
    header = JpegHeader.of(stream)
    units = unit_mask(header, Region(box))
    check_coefficients(stream, after, units)
    # Decoders mix chroma with that of the neighbours, across the edge of a unit.
    pixels = np.kron(units, np.ones(header.unit[::-1], bool))[:height, :width].astype(np.uint8)
    inner = cv2.erode(pixels, np.ones((5, 5), np.uint8), borderValue=1).astype(bool)
    assert (Frames(again).stored(0)[inner] == (255 if white else 0)).all()


@example(width=16, height=32, subsampling=2, place=(15, 31, 1, 1))
@example(width=8, height=8, subsampling=None, place=(0, 7, 8, 1))
@given(
    st.integers(1, 70), st.integers(1, 70), st.sampled_from([None, 0, 1, 2]),
    st.tuples(st.integers(0, 69), st.integers(0, 69), st.integers(1, 70), st.integers(1, 70)),
)  # fmt: skip
def test_a_box_grows_to_the_coded_units_that_it_touches_and_no_further(
    width: int, height: int, subsampling: int | None, place: tuple[int, int, int, int]
) -> None:
    options = {} if subsampling is None else {"subsampling": subsampling}
    header = JpegHeader.of(jpeg(smooth((height, width) if subsampling is None else (height, width, 3)), **options))
    assert header.unit == {None: (8, 8), 0: (8, 8), 1: (16, 8), 2: (16, 16)}[subsampling]
    across, down = header.unit
    left, top = place[0] % width, place[1] % height
    box: Box = (left, top, min(width, left + place[2]), min(height, top + place[3]))
    units = unit_mask(header, Region(box))
    rows, columns = np.nonzero(units)
    assert (columns.min() * across, rows.min() * down) == (left // across * across, top // down * down)
    assert (columns.max() + 1) * across - box[2] in range(across)
    assert (rows.max() + 1) * down - box[3] in range(down)
    assert units.sum() == (columns.max() + 1 - columns.min()) * (rows.max() + 1 - rows.min())


def test_zigzag_is_that_of_the_standard() -> None:
    assert ZIGZAG[:10].tolist() == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24]
    assert sorted(ZIGZAG.tolist()) == list(range(64))
    diagonals = ZIGZAG // 8 + ZIGZAG % 8
    assert (np.diff(diagonals) >= 0).all()


def test_text_stays_whole_where_the_box_below_overlaps_its_own(make: Make) -> None:
    values = np.full((96, 256), 90, np.uint8)
    upper, lower = Mark(box_polygon(8, 8, 240, 48), 0, "Hippolyta"), Mark(box_polygon(8, 40, 240, 88), 0)

    def written(marks: list[Mark]) -> NDArray[np.bool_]:
        dataset = file_of(make, [jpeg(values)], "MONOCHROME2", JPEGBaseline8Bit)
        assert redact_pixels(dataset, marks, section(Fill.BLACK)).way is Way.BLOCKS
        return np.asarray(Frames(read_dataset(to_bytes(dataset))).stored(0) > 128)

    alone, both = written([upper]), written([upper, lower])
    assert alone[36:48].any()
    assert np.array_equal(both[:48], alone[:48])
    assert not both[56:88, 8:240].any()


@pytest.mark.parametrize("subsampling", COLOURS)
def test_sloping_text_is_covered_by_the_units_that_its_rectangle_touches(make: Make, subsampling: int) -> None:
    stream = jpeg(smooth((160, 200, 3)), subsampling=subsampling)
    dataset = file_of(make, [stream], "YBR_FULL_422")
    polygon = as_polygon([(20, 20), (170, 110), (160, 127), (10, 37)])
    redact_pixels(dataset, [Mark(polygon, 0)], EXACT)
    units = unit_mask(JpegHeader.of(stream), Region.of(polygon, 200, 160, EXACT))
    assert 0 < units.sum() < 0.5 * units.size
    check_coefficients(stream, streams_of(dataset)[0], units)


@pytest.mark.parametrize("photometric", ["RGB", "YBR_FULL_422"])
@pytest.mark.parametrize("fill", [Fill.BLACK, Fill.WHITE])
def test_a_stream_of_true_rgb_is_covered_in_all_components(make: Make, photometric: str, fill: Fill) -> None:
    stream = rgb_jpeg(smooth((64, 80, 3)))
    dataset = file_of(make, [stream], photometric)
    redact_pixels(dataset, [Mark(box_polygon(16, 16, 40, 32), 0)], section(fill))
    (after,) = streams_of(dataset)
    check_coefficients(stream, after, unit_mask(JpegHeader.of(stream), Region((16, 16, 40, 32))))
    assert (Frames(dataset).stored(0)[16:32, 16:40] == (0 if fill is Fill.BLACK else 255)).all()
    for component in coefficients(after):
        assert (component[2:4, 2:5, 0] < 0).all() == (fill is Fill.BLACK)


def test_in_ycbcr_only_luma_is_set_and_chroma_is_zero(make: Make) -> None:
    dataset = file_of(make, [jpeg(smooth((64, 80, 3)), subsampling=0)], "YBR_FULL")
    redact_pixels(dataset, [Mark(box_polygon(16, 16, 40, 32), 0)], EXACT)
    luma, *chroma = coefficients(streams_of(dataset)[0])
    step = JpegHeader.of(streams_of(dataset)[0]).components[0].steps[0]
    assert set(luma[2:4, 2:5, 0].ravel().tolist()) == {int(np.floor(-1024 / step))}
    assert not any(plane[2:4, 2:5].any() for plane in chroma)


def test_the_header_decides_what_a_stream_without_colour_markers_holds(make: Make) -> None:
    stream = jpeg(smooth((64, 80, 3)), subsampling=0)
    bare = stream[:2] + stream[4 + int.from_bytes(stream[4:6], "big") :]
    for photometric in ("RGB", "YBR_FULL"):
        dataset = file_of(make, [bare], photometric)
        redact_pixels(dataset, [Mark(box_polygon(16, 16, 40, 32), 0)], EXACT)
        assert not Frames(dataset).stored(0)[16:32, 16:40].any()
        assert b"JFIF" not in streams_of(dataset)[0]


def test_black_of_monochrome1_is_its_highest_value(make: Make) -> None:
    dataset = file_of(make, [jpeg(smooth((40, 40)))], "MONOCHROME1")
    redact_pixels(dataset, [Mark(box_polygon(8, 8, 24, 24), 0)], EXACT)
    assert set(Frames(dataset).stored(0)[8:24, 8:24].ravel().tolist()) == {255}


@pytest.mark.parametrize("fill", [Fill.BACKGROUND, Fill.INPAINT])
def test_fills_that_look_around_become_the_mean_colour_there(make: Make, fill: Fill) -> None:
    values = np.full((64, 64, 3), (200, 120, 40), np.uint8)
    values[24:40, 24:40] = 0
    dataset = file_of(make, [jpeg(values, subsampling=0, quality=95)], "YBR_FULL_422")
    redact_pixels(dataset, [Mark(box_polygon(24, 24, 40, 40), 0)], section(fill))
    assert np.abs(Frames(dataset).stored(0)[24:40, 24:40].astype(int) - (200, 120, 40)).max() <= 4


def test_the_corner_fill_takes_the_corner_of_the_box(make: Make) -> None:
    values = np.full((64, 64), 60, np.uint8)
    values[:, 20:] = 180
    dataset = file_of(make, [jpeg(values, quality=95)], "MONOCHROME2")
    redact_pixels(dataset, [Mark(box_polygon(30, 18, 50, 40), 0)], section(Fill.CORNER))
    assert np.abs(Frames(dataset).stored(0)[18:40, 30:50].astype(int) - 180).max() <= 2


def test_a_box_over_the_whole_frame_leaves_nothing(make: Make) -> None:
    dataset = file_of(make, [jpeg(smooth((37, 53, 3)))], "YBR_FULL_422")
    redact_pixels(dataset, [Mark(box_polygon(-9, -9, 99, 99), None)], section(Fill.INPAINT))
    assert not Frames(dataset).stored(0).any()


@pytest.mark.parametrize("subsampling", COLOURS)
def test_a_surrogate_is_written_as_coefficients_of_its_box_only(make: Make, subsampling: int) -> None:
    stream = jpeg(smooth((96, 160, 3)), subsampling=subsampling)
    dataset = file_of(make, [stream], "YBR_FULL_422")
    box = (16, 32, 144, 64)
    redact_pixels(dataset, [Mark(box_polygon(*box), 0, "DOE^JANE")], EXACT)
    picture = Frames(dataset).stored(0)[32:64, 16:144].astype(int).mean(2)
    assert 0.03 < (picture > 160).mean() < 0.6
    assert (picture < 60).mean() > 0.3
    header = JpegHeader.of(stream)
    inside = unit_mask(header, Region(box))
    for component, (a, b) in enumerate(zip(coefficients(stream), coefficients(streams_of(dataset)[0]), strict=True)):
        outside = ~covered_blocks(header, inside, component)
        np.testing.assert_array_equal(b[outside], a[outside])


def test_several_boxes_on_one_frame_are_all_covered(make: Make) -> None:
    stream = jpeg(smooth((120, 160, 3)), subsampling=2)
    dataset = file_of(make, [stream], "YBR_FULL_422")
    boxes = [(3, 3, 40, 12), (30, 8, 60, 30), (100, 90, 150, 118)]
    redact_pixels(dataset, [Mark(box_polygon(*box), 0) for box in boxes], EXACT)
    header = JpegHeader.of(stream)
    units = np.logical_or.reduce([unit_mask(header, Region(box)) for box in boxes])
    check_coefficients(stream, streams_of(dataset)[0], units)


def test_frames_without_marks_keep_their_bytes(make: Make) -> None:
    streams = [jpeg(smooth((48, 64, 3), seed)) for seed in range(5)]
    dataset = file_of(make, streams, "YBR_FULL_422")
    redact_pixels(dataset, [Mark(box_polygon(0, 0, 20, 10), 3)], EXACT)
    after = streams_of(read_dataset(to_bytes(dataset)))
    even = [s + b"\0" * (len(s) % 2) for s in streams]
    assert [after[i] == even[i] for i in range(5)] == [True, True, True, False, True]


def test_application_data_and_comments_do_not_survive_in_covered_frames(make: Make) -> None:
    exif = b"\xff\xe1" + (len(SECRET) + 8).to_bytes(2, "big") + b"Exif\0\0" + SECRET
    comment = b"\xff\xfe" + (len(SECRET) + 2).to_bytes(2, "big") + SECRET
    stream = jpeg(smooth((48, 64, 3)))
    dataset = file_of(make, [stream[:2] + exif + comment + stream[2:] + SECRET], "YBR_FULL_422")
    assert redact_pixels(dataset, [Mark(box_polygon(0, 0, 20, 10), 0)], EXACT).way is Way.BLOCKS
    assert SECRET not in dataset.PixelData
    assert b"Exif" not in dataset.PixelData


def test_extended_jpeg_of_8_bits_keeps_its_syntax(make: Make) -> None:
    dataset = file_of(make, [jpeg(smooth((48, 64)))], "MONOCHROME2", JPEGExtended12Bit)
    assert redact_pixels(dataset, [Mark(box_polygon(0, 0, 20, 10), 0)], EXACT).way is Way.BLOCKS
    assert dataset.file_meta.TransferSyntaxUID == JPEGExtended12Bit


@pytest.mark.parametrize("subsampling", ["411", "440"])
def test_rare_subsamplings_are_covered_as_well(make: Make, subsampling: str) -> None:
    stream = bytes(imagecodecs.jpeg8_encode(smooth((64, 96, 3)), 85, subsampling=subsampling))
    dataset = file_of(make, [stream], "YBR_FULL")
    written = redact_pixels(dataset, [Mark(box_polygon(35, 20, 60, 30), 0)], EXACT)
    assert written.way is Way.BLOCKS
    check_coefficients(stream, streams_of(dataset)[0], unit_mask(JpegHeader.of(stream), Region((35, 20, 60, 30))))


def test_padding_counts_before_a_box_grows_to_units(make: Make) -> None:
    stream = jpeg(smooth((64, 64)))
    dataset = file_of(make, [stream], "MONOCHROME2")
    polygon = box_polygon(17, 17, 30, 22)
    redact_pixels(dataset, [Mark(polygon, 0)], RedactSection())
    box = padded_box(polygon, 64, 64)
    assert box[0] < 16
    check_coefficients(stream, streams_of(dataset)[0], unit_mask(JpegHeader.of(stream), Region(box)))


def test_a_damaged_stream_is_refused_by_the_library() -> None:
    stream = jpeg(smooth((64, 64)))
    with pytest.raises(CannotTransform):
        transform(stream[: len(stream) // 2], lambda *_: None)
    with pytest.raises(CannotTransform):
        transform(b"no picture", lambda *_: None)


@pytest.mark.parametrize("stream", [b"", b"\xff\xd8", b"\xff\xd8\xff\xd9", b"no picture", b"\xff\xd8\xff\xda\0\4\0\0"])
def test_headers_that_are_no_jpeg_are_told(stream: bytes) -> None:
    with pytest.raises(NotReadable):
        JpegHeader.of(stream)
