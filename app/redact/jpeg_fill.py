"""Covering regions in lossy JPEG frames without decoding what lies outside them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from deidra.app.decide.policy import Fill
from deidra.app.redact.codec import Codec, Samples
from deidra.app.redact.codestream import jpeg_segments
from deidra.app.redact.jpeg_blocks import Blocks, CannotTransform, transform
from deidra.app.redact.jpeg_header import Component, JpegHeader, NotReadable
from deidra.app.redact.paint import Region, text_mask

Painted = Sequence[tuple[Region, str | None]]
_Rows = dict[tuple[int, int], tuple[NDArray[np.intp], NDArray[np.int16]]]
"""Component and row of blocks, to the numbers of the changed blocks and their coefficients ``(n, 64)``."""
_COMMENT = 0xFE
_FRINGE = 2
"""Pixels around changed blocks, for each step of subsampling, that decoders mix with the colours of the blocks."""
_OFF = 48
"""A colour further from the wanted one than this was meant in another colour space; quantisation makes less."""


class CannotFill(Exception):
    """The stream is not of the kind that can be changed in its blocks, or did not come back as it was."""


def cover_blocks(stream: bytes, regions: Painted, fill: Fill, codec: Codec, interpretation: str) -> bytes:
    """A JPEG stream with regions covered: each grows to whole coded units and gets one colour.

    All coefficients outside are the original's. Surrogate text is written as coefficients.

    Args:
        stream: the frame.
        regions: what is covered, with text to write or None; not empty.
        fill: how; what needs a picture around it is the mean colour there.
        codec: decodes the frame, to take colours from and to compare.
        interpretation: the file's photometric interpretation.

    Raises:
        CannotFill: the frame has to be stored in another way.
        InputError: the frame cannot be decoded.
    """
    try:
        header = JpegHeader.of(stream)
    except NotReadable as error:
        raise CannotFill from error
    before = codec.rgb(stream)
    if not _is_fit(header, before, interpretation):
        raise CannotFill
    covers = [unit_mask(header, region) for region, _ in regions]
    everything = _grown(header, np.logical_or.reduce(covers))
    first = _is_rgb(header, interpretation)
    best: tuple[float, bytes] | None = None
    for rgb in (first, not first) if before.ndim == 3 else (first,):
        edits = _edits(header, before, regions, covers, fill, interpretation, rgb)
        new = _written(stream, edits, header.process == 2)
        after = codec.rgb(new)
        if not _same_outside(header, before, after, everything):
            raise CannotFill
        off = _distance(header, before, after, regions, covers, fill, interpretation)
        if best is None or off < best[0]:
            best = off, new
        if off <= _OFF:
            break
    assert best is not None
    return best[1]


def unit_mask(header: JpegHeader, region: Region) -> NDArray[np.bool_]:
    """Which coded units a region touches, ``(rows of units, units in a row)``."""
    width, height = header.unit
    rows, columns = -(-header.height // height), -(-header.width // width)
    pixels = np.zeros((rows * height, columns * width), np.bool_)
    pixels[region.rows, region.columns] = region.mask
    return np.asarray(pixels.reshape(rows, height, columns, width).any(axis=(1, 3)))


def _is_fit(header: JpegHeader, values: Samples, interpretation: str) -> bool:
    return (
        header.process in (0, 1, 2)
        and header.precision == 8
        and interpretation != "PALETTE COLOR"
        and len(header.components) == (1 if values.ndim == 2 else 3)
        and values.shape[:2] == (header.height, header.width)
        and values.dtype.itemsize <= 2
        and all(c.across <= 4 and c.down <= 4 for c in header.components)
    )


def _is_rgb(header: JpegHeader, interpretation: str) -> bool:
    """Whether the components are red, green and blue, as far as markers, identifiers and header tell."""
    if header.adobe is not None:
        return header.adobe == 0
    if [c.identifier for c in header.components] == [ord(c) for c in "RGB"]:
        return True
    return interpretation == "RGB" and not header.jfif


def _grown(header: JpegHeader, units: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A mask of units as one of pixels, cut to the image."""
    width, height = header.unit
    return np.asarray(units.repeat(height, 0).repeat(width, 1)[: header.height, : header.width])


def _colours(
    before: Samples,
    box: tuple[int, int],
    hidden: NDArray[np.bool_],
    around: NDArray[np.bool_],
    fill: Fill,
    turned: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Paper and ink of one region, as decoded values ``(S,)``."""
    samples = before.shape[2] if before.ndim == 3 else 1
    black, white = np.full(samples, 255.0 if turned else 0.0), np.full(samples, 0.0 if turned else 255.0)
    if fill is Fill.WHITE:
        paper = white
    elif fill is Fill.CORNER:
        paper = before[box].reshape(samples).astype(np.float64)
    elif fill is not Fill.BLACK and (around & ~hidden).any():
        paper = before[around & ~hidden].reshape(-1, samples).mean(0)
    else:
        paper = black
    dark = np.abs(paper - black).sum() <= np.abs(paper - white).sum()
    return paper, white if dark else black


def _looks(
    header: JpegHeader, before: Samples, regions: Painted, covers: Sequence[NDArray[np.bool_]], fill: Fill, turned: bool
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    hidden = _grown(header, np.logical_or.reduce(covers))
    found = []
    for (region, _), units in zip(regions, covers, strict=True):
        grown = _grown(header, units)
        around = cv2.dilate(grown.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool) & ~grown
        found.append(_colours(before, (region.box[1], region.box[0]), hidden, around, region.fill or fill, turned))
    return found


def _edits(
    header: JpegHeader,
    before: Samples,
    regions: Painted,
    covers: Sequence[NDArray[np.bool_]],
    fill: Fill,
    interpretation: str,
    rgb: bool,
) -> _Rows:
    """New coefficients of all covered blocks: of two regions over one block the last counts, but text stays."""
    looks = _looks(header, before, regions, covers, fill, interpretation == "MONOCHROME1")
    canvases: dict[int, Blocks] = {}
    masks: dict[int, NDArray[np.bool_]] = {}
    for number, component in enumerate(header.components):
        columns, rows = header.blocks(number)
        canvases[number] = np.zeros((rows, columns, 64), np.int16)
        masks[number] = np.zeros((rows, columns), np.bool_)
        across, down = header.blocks_in_unit(number)
        written = []
        for (region, text), units, look in zip(regions, covers, looks, strict=True):
            paper, ink = (_as_component(colour, number, rgb) for colour in look)
            blocks = units.repeat(down, 0).repeat(across, 1)[:rows, :columns]
            masks[number] |= blocks
            constant = np.zeros(64, np.int16)
            constant[0] = _level(paper, component)
            canvases[number][blocks] = constant
            if text:
                plane = _written_plane(header, region, text, paper, ink)
                written.append((blocks, constant, _coefficients(header, number, plane)[:rows, :columns]))
        for blocks, constant, coefficients in written:
            # Neighbours may share blocks: none loses its text to another one's empty blocks.
            inked = blocks & (coefficients != constant).any(2)
            canvases[number][inked] = coefficients[inked]
    edits: _Rows = {}
    for number, mask in masks.items():
        for row in np.flatnonzero(mask.any(1)):
            places = np.flatnonzero(mask[row])
            edits[number, int(row)] = places, canvases[number][row][places]
    return edits


def _as_component(colour: NDArray[np.float64], number: int, rgb: bool) -> float:
    """One component's value of a decoded colour (JFIF's conversion)."""
    if len(colour) == 1 or rgb:
        return float(colour[number])
    weights = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))[number]
    return float(np.dot(colour, weights)) + (128 if number else 0)


def _level(value: float, component: Component) -> int:
    """The DC coefficient of an even block; what is black or white stays so, whatever the quantisation."""
    exact = (value - 128) * 8 / component.steps[0]
    if value <= 0:
        return int(np.floor(exact))
    return int(np.ceil(exact)) if value >= 255 else round(exact)


def _written_plane(header: JpegHeader, region: Region, text: str, paper: float, ink: float) -> NDArray[np.float64]:
    """One component's values, in full resolution and whole units, with text in a region."""
    width, height = header.unit
    shape = -(-header.height // height) * height, -(-header.width // width) * width
    plane = np.full(shape, paper)
    left, top, right, bottom = region.box
    plane[region.rows, region.columns][text_mask(text, right - left, bottom - top)] = ink
    return plane


def _coefficients(header: JpegHeader, number: int, plane: NDArray[np.float64]) -> NDArray[np.int16]:
    """Quantised coefficients ``(rows, columns, 64)`` of a plane in full resolution and whole units (A.3.3, A.3.4)."""
    component = header.components[number]
    across, down = header.blocks_in_unit(number)
    width, height = header.unit
    x, y = width // (8 * across), height // (8 * down)
    small = plane.reshape(plane.shape[0] // y, y, plane.shape[1] // x, x).mean((1, 3)) - 128
    blocks = small.reshape(small.shape[0] // 8, 8, small.shape[1] // 8, 8)
    k = np.arange(8)
    cosines = np.cos((2 * k[None] + 1) * k[:, None] * np.pi / 16) / 2
    cosines[0] /= np.sqrt(2)
    spectrum = np.einsum("ua,racb,vb->rcuv", cosines, blocks, cosines).reshape(blocks.shape[0], blocks.shape[2], 64)
    return np.asarray(np.clip(np.round(spectrum / component.steps), -1023, 1023), np.int16)


def _written(stream: bytes, edits: _Rows, progressive: bool) -> bytes:
    done = set()

    def visit(component: int, row: int, blocks: Blocks) -> None:
        if (component, row) in edits:
            places, coefficients = edits[component, row]
            if places[-1] < len(blocks):
                blocks[places] = coefficients
                done.add((component, row))

    try:
        new = transform(stream, visit, progressive)
    except CannotTransform as error:
        raise CannotFill from error
    if done != set(edits):
        raise CannotFill
    # Decoders tell colours by markers: those of the original, and none that the library adds.
    try:
        kept = [part for part in jpeg_segments(stream) if 0xE0 <= part[1] <= 0xEF]
        first, *rest = [part for part in jpeg_segments(new) if not 0xE0 <= part[1] <= 0xEF and part[1] != _COMMENT]
    except (IndexError, ValueError, struct.error) as error:
        raise CannotFill from error
    return b"".join([first, *kept, *rest])


def _same_outside(header: JpegHeader, before: Samples, after: Samples, covered: NDArray[np.bool_]) -> bool:
    """Whether decoded pixels outside the covered units and their fringe are the same."""
    width, height = header.unit
    reach = (2 * _FRINGE * (height // 8 - 1) + 1, 2 * _FRINGE * (width // 8 - 1) + 1)
    outside = cv2.dilate(covered.astype(np.uint8), np.ones(reach, np.uint8)) == 0
    if before.shape != after.shape:
        return False
    return not (np.asarray(before != after) & (outside[:, :, None] if before.ndim == 3 else outside)).any()


def _distance(
    header: JpegHeader,
    before: Samples,
    after: Samples,
    regions: Painted,
    covers: Sequence[NDArray[np.bool_]],
    fill: Fill,
    interpretation: str,
) -> float:
    """By how much the colour of the last region, which nothing covers again, differs from the wanted one."""
    paper, _ = _looks(header, before, regions, covers, fill, interpretation == "MONOCHROME1")[-1]
    inside = after[_grown(header, covers[-1])].reshape(-1, len(paper)).astype(np.float64)
    return float(np.abs(np.median(inside, axis=0) - paper).max())
