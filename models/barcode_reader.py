"""Barcodes and QR codes: where they are on a picture and what they hold, by zxing-cpp.

Whole pictures are searched for the common symbologies, places where a detector sees a barcode for all that the library
knows. What it decodes has passed the symbology's own checks (error correction, check digits, start and stop patterns).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray

from deidra.app.domain.geometry import Polygon, as_polygon
from deidra.models.text_reader import crop

Image = NDArray[np.uint8]
Points = NDArray[np.float64]
MOST_PIXELS = 8_000_000
"""Larger pictures and crops are shrunk to so many: an A4 sheet at 290 dpi, on which every printed barcode shows."""
_Format = zxingcpp.BarcodeFormat
_LINEAR = frozenset(zxingcpp.barcode_formats_list(zxingcpp.BarcodeFormats(_Format.AllLinear)))
_BARS = (
    *(_Format.Code128, _Format.Code39, _Format.Code93, _Format.ITF, _Format.EANUPC, _Format.Codabar),
    _Format.PDF417,
)
"""Symbologies of which the library does not look for light ones on dark ground by itself."""
_COMMON = (
    *_BARS,
    *(_Format.QRCode, _Format.MicroQRCode, _Format.RMQRCode, _Format.DataMatrix, _Format.Aztec, _Format.MicroPDF417),
)
"""Symbologies in use in hospitals. The others take as long as these together, on pictures that show none."""
_EVERY = (_Format.AllReadable,)
_CONTROLS = re.compile(
    "<(?:NUL|SOH|STX|ETX|EOT|ENQ|ACK|BEL|BS|HT|LF|VT|FF|CR|SO|SI|DLE|DC[1-4]|NAK|SYN|ETB|CAN|EM|SUB|ESC|[FGRU]S|DEL)>"
)
"""How zxing-cpp writes control characters, which separate the fields of a content."""
_OUTSETS = (0, 2)
"""Pixels by which a crop is larger than its place."""
_SCALES = (1, 2, 3)
"""Bars of one pixel are read better when they are enlarged."""
_RIMS = (90, 10)
"""Brightness put around a crop, as a percentile of its own: that of paper, and that of the ground of inverted codes."""
_LEAST_RIM = 12
"""Pixels put around a crop, beside half its shorter side: readers demand an empty zone around a barcode."""
_ALIKE = 0.5
"""Correlation with the bars from which a row of pixels beside them belongs to them."""
_LEAST_CONTRAST = 0.3
"""Contrast that such a row has at least, as a share of that of the bars."""
_GAP = 3
"""Rows unlike the bars (noise, a scratch) over which these go on."""
_LEAST_COSINE = math.cos(math.radians(60))
"""Bars slope by less than this against the direction in which they are scanned."""
_FOLLOW = 0.2
"""Weight of each further row in what bars look like: sloping ones move aside."""


@dataclass(frozen=True, slots=True)
class Barcode:
    """One decoded barcode.

    ``polygon`` are its four corners in image pixels (x, y), in its own reading direction: top left, top right, bottom
    right, bottom left. ``content`` is one line of text, empty where it holds none; ``symbology`` its kind ("QR Code",
    "Code 128").
    """

    polygon: Polygon
    content: str
    symbology: str


class BarcodeReader:
    """Finds and decodes barcodes of all kinds, in any direction, dark on light or light on dark."""

    name = "zxing-cpp"

    def find(self, image: Image) -> list[Barcode]:
        """All barcodes of common symbologies on a whole ``(H, W, 3)`` RGB picture, in no particular order."""
        grey, scale = _bounded(_grey(image))
        found = []
        for code in _codes(grey, _COMMON):
            corners, linear = _corners(code), code.symbology in _LINEAR
            if linear:
                corners = _whole_bars(grey, corners)
            # A pixel's number is its left edge; the corners lie in it somewhere.
            place = _rectangle(corners, 1.0) / scale
            limits = (image.shape[1], image.shape[0])
            found.append(_barcode(code, as_polygon(np.clip(place, 0, limits).tolist())))
        return found

    def read(self, image: Image, polygon: Polygon) -> list[Barcode]:
        """The barcodes in a place where a detector sees one; empty where none can be decoded.

        The place is cut out of the ``(H, W, 3)`` RGB picture, and an empty zone and larger scales are tried.

        Args:
            image: the picture.
            polygon: four corners of the place; those of the answers are the same.
        """
        cuts = [_grey(crop(image, as_polygon(_rectangle(np.array(polygon), outset).tolist()))) for outset in _OUTSETS]
        for percentile in _RIMS:
            for cut in cuts:
                rim = round(min(cut.shape) / 2) + _LEAST_RIM
                shade = float(np.percentile(cut, percentile))
                for scale in _SCALES:
                    if scale > 1 and cut.size * scale**2 > MOST_PIXELS:
                        break
                    larger = cv2.resize(cut, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
                    edges = (rim, rim, rim, rim)
                    framed = cv2.copyMakeBorder(larger, *edges, cv2.BORDER_CONSTANT, value=shade)
                    codes = _codes(_bounded(np.asarray(framed, np.uint8))[0], _EVERY)
                    if codes:
                        return [_barcode(code, polygon) for code in codes]
        return []


def _codes(grey: Image, symbologies: Sequence[zxingcpp.BarcodeFormat]) -> list[zxingcpp.Barcode]:
    """All barcodes of some symbologies that can be decoded on a grey picture."""
    # Sets that live as long as the module are reported as leaks when a process ends.
    dark = zxingcpp.read_barcodes(grey, zxingcpp.BarcodeFormats(symbologies))
    return [*dark, *zxingcpp.read_barcodes(255 - grey, zxingcpp.BarcodeFormats(_BARS))]


def _grey(image: Image) -> Image:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY), np.uint8)


def _bounded(grey: Image) -> tuple[Image, float]:
    """The picture, shrunk if it is larger than :data:`MOST_PIXELS`, and by what factor."""
    if grey.size <= MOST_PIXELS:
        return np.ascontiguousarray(grey), 1.0
    scale = math.sqrt(MOST_PIXELS / grey.size)
    return np.asarray(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8), scale


def _barcode(code: zxingcpp.Barcode, polygon: Polygon) -> Barcode:
    printable = "".join(char if char.isprintable() else " " for char in _CONTROLS.sub(" ", code.text))
    return Barcode(polygon, " ".join(printable.split()), str(code.format))


def _corners(code: zxingcpp.Barcode) -> Points:
    place = code.position
    corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
    return np.array([(corner.x, corner.y) for corner in corners], np.float64)


def _directions(corners: Points) -> Points:
    """Unit vectors ``(2, 2)`` along a quadrilateral and across it, as rows of (x, y)."""
    along = corners[1] - corners[0] + corners[2] - corners[3]
    length = float(np.hypot(*along))
    x, y = along / length if length > 0 else np.array([1.0, 0.0])
    return np.array([[x, y], [-y, x]])


def _rectangle(corners: Points, outset: float) -> Points:
    """Corners of the rectangle in the direction of a quadrilateral that holds it, ``outset`` pixels larger all around.

    Points are rows of (x, y).
    """
    axes = _directions(corners)
    (left, top), (right, bottom) = (corners @ axes.T).min(0) - outset, (corners @ axes.T).max(0) + outset
    return np.asarray(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) @ axes)


def _across_bars(grey: Image, corners: Points) -> Points:
    """Unit vectors as :func:`_directions` gives, the first of them across the bars.

    Few rows of sloping bars are told of as they were scanned, level or upright; the direction in which the brightness
    changes most is that across the bars.
    """
    axes = _directions(corners)
    left, top = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    right, bottom = np.ceil(corners.max(0)).astype(int) + 2
    part = grey[top:bottom, left:right].astype(np.float32)
    slopes = np.stack([cv2.Sobel(part, cv2.CV_32F, 1, 0), cv2.Sobel(part, cv2.CV_32F, 0, 1)]).reshape(2, -1)
    across = np.linalg.eigh((slopes @ slopes.T).astype(np.float64))[1][:, 1]
    towards = float(across @ axes[0])
    if abs(towards) < _LEAST_COSINE:
        return axes
    x, y = across * np.sign(towards)
    return np.array([[x, y], [-y, x]])


def _whole_bars(grey: Image, corners: Points) -> Points:
    """Corners of a barcode of parallel bars in their whole length: it is decoded as soon as some rows are seen."""
    axes = _across_bars(grey, corners)
    (left, top), (right, bottom) = (corners @ axes.T).min(0), (corners @ axes.T).max(0)
    # Bars are hardly ever longer than the whole code.
    width = math.ceil(right - left) + 1
    reach, seen = width, math.ceil(bottom - top) + 1
    origin = np.array([left, top - reach]) @ axes
    matrix = np.column_stack([axes[0], axes[1], origin])
    size, flags = (width, seen + 2 * reach), cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    # Edges tell bars from what is lighter on one side.
    rows = np.diff(cv2.warpAffine(grey, matrix, size, flags=flags).astype(np.float64), axis=1)
    above = _rows_alike(rows[:reach][::-1], rows[reach])
    below = _rows_alike(rows[reach + seen :], rows[reach + seen - 1])
    longer = np.array([[left, top - above], [right, top - above], [right, bottom + below], [left, bottom + below]])
    return np.asarray(longer @ axes)


def _rows_alike(rows: Points, bars: Points) -> int:
    """How many of the rows, from the first on, look like bars; of each pixel the change to the next is given."""
    least = _LEAST_CONTRAST * float(np.linalg.norm(bars))
    last = 0
    for number, row in enumerate(rows, 1):
        contrast = float(np.linalg.norm(row))
        if contrast >= least and float(row @ bars) >= _ALIKE * contrast * float(np.linalg.norm(bars)):
            last = number
            bars = (1 - _FOLLOW) * bars + _FOLLOW * row
        elif number - last > _GAP:
            break
    return last
