"""The detectors on real images whose texts somebody has marked.

Annotations are a JSON object: name to ``{"size": [w, h], "frame": n, "frames": n, "group"?: str, "items": [{"box":
[l, t, r, b], "text": str, "legible": bool, "phi": kind or "none"}]}``. Images of a ``group`` show the same texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from deidra.app.decide.policy import DetectSection
from deidra.app.detect.boxes import together
from deidra.app.detect.locate import TextLocator
from deidra.app.domain.errors import InputError, KnownError
from deidra.app.domain.model import AssetKind
from deidra.app.evaluate.detector_cases import DETECTOR, PPOCR, UNION, bounds
from deidra.app.evaluate.detector_paint import painted_mask
from deidra.app.load.bits import own_samples
from deidra.app.load.dicom import read_dataset
from deidra.app.load.frames import Frames
from deidra.app.load.pages import Pages
from deidra.app.load.pictures import renderings
from deidra.app.load.sources import recognise
from deidra.app.progress import Meter, ProgressSink
from deidra.models.candidates import distinct
from deidra.models.text_detector import DetectedBox, Look, ScreeningDetector, TextDetector

Figures = dict[str, Any]
Picture = NDArray[np.uint8]
SHARES = (0.5, 0.8, 0.9)
"""Shares of an item's area that must lie in boxes for it to count as covered."""
COVERED = 0.8
FALSE = 0.2
"""A box of which less than this share lies on any item is false."""
LENGTHS = ((1, 2), (3, 6), (7, 10_000))


@dataclass(frozen=True, slots=True)
class Item:
    """One marked text: its ``box``, how many characters it has, and its kind of private data ("none")."""

    box: tuple[int, int, int, int]
    length: int
    legible: bool
    phi: str


@dataclass(frozen=True, slots=True)
class Marked:
    """One annotated image."""

    name: str
    size: tuple[int, int]
    frame: int
    group: str
    items: tuple[Item, ...]


@dataclass(slots=True)
class Seen:
    """What an agent did on one image: share of each item in its boxes, ``bare`` and ``padded``; ``false`` boxes."""

    bare: NDArray[np.float64]
    padded: NDArray[np.float64]
    boxes: int
    false: int


@dataclass(slots=True)
class Shown:
    """One image with what each agent did."""

    marked: Marked
    seen: dict[str, Seen] = field(default_factory=dict)


def read_annotations(path: Path) -> list[Marked]:
    """The annotated images of a file.

    Raises:
        KnownError: the file is not what it should be.
    """
    try:
        rows = json.loads(path.read_text("utf-8"))
        return [_marked(name, row) for name, row in rows.items()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise KnownError("The annotations cannot be read.", "See the help for their form.") from error


def _marked(name: str, row: dict[str, Any]) -> Marked:
    items = []
    for item in row["items"]:
        left, top, right, bottom = (int(v) for v in item["box"])
        text = "".join(str(item.get("text") or "").split())
        phi = str(item.get("phi") or "none")
        items.append(Item((left, top, right, bottom), len(text), bool(item.get("legible", True)), phi))
    width, height = (int(v) for v in row["size"])
    return Marked(name, (width, height), int(row.get("frame", 0)), str(row.get("group") or name), tuple(items))


def find_file(name: str, roots: Sequence[Path]) -> Path | None:
    """The file of that name in one of the folders, or the only one whose name begins with it."""
    for root in roots:
        if (root / name).is_file():
            return root / name
    longer = [path for root in roots for path in sorted(root.iterdir()) if path.name.startswith(name)]
    return longer[0] if len(longer) == 1 else None


def pictures(data: bytes, frame: int) -> list[Picture]:
    """The renderings ``(H, W, 3)`` of a frame or page that the product searches.

    Annotations tell of the frame's own pixels: old files keep overlays with text in the bits above them (PS3.5 8.1.1),
    which the product searches as well and which count as empty here.

    Raises:
        InputError: it cannot be decoded.
    """
    kind, reason = recognise(data)
    if kind is AssetKind.DICOM:
        dataset = read_dataset(data)
        frames = Frames(dataset)
        if frame >= frames.count:
            raise InputError("The image has fewer frames.")
        shown = renderings(dataset, own_samples(dataset, frames.frame(frame).values))
        palette = dataset.get("PhotometricInterpretation") == "PALETTE COLOR"
        return shown + (renderings(dataset, frames.stored(frame)) if palette else [])
    if kind is AssetKind.UNKNOWN:
        raise InputError(reason)
    return [Pages(data, kind).page(frame)]


def once(found: Sequence[Sequence[DetectedBox]]) -> list[DetectedBox]:
    """Boxes of one detector on any rendering, those of the same text once."""
    boxes = [box for on_view in found for box in on_view]
    if not boxes:
        return []
    kept = distinct(bounds(boxes), np.array([b.score for b in boxes], np.float32))
    return [boxes[int(index)] for index in kept]


class _Once:
    """A detector that looks at each picture once, however often it is asked."""

    def __init__(self, detector: TextDetector) -> None:
        self.name = detector.name
        self._detector = detector
        self._looks: dict[int, tuple[Picture, Look]] = {}
        """By the picture's identity; the picture is kept, so that no other one gets it."""

    def look(self, image: Picture) -> Look:
        """See :class:`ScreeningDetector`; a detector without screening sees signs everywhere."""
        if id(image) not in self._looks:
            detector = self._detector
            if isinstance(detector, ScreeningDetector):
                look = detector.look(image)
            else:
                look = Look(detector.detect(image), (((0, 0, image.shape[1], image.shape[0]), 1.0),))
            self._looks[id(image)] = image, look
        return self._looks[id(image)][1]

    def detect(self, image: Picture) -> list[DetectedBox]:
        """See :class:`TextDetector`."""
        return self.look(image).boxes


def united(agents: Sequence[TextDetector], views: Sequence[Picture], screen: float) -> list[DetectedBox]:
    """The lines that the product makes of the boxes of several detectors on all renderings.

    Args:
        agents: the detectors, in their order.
        views: the renderings.
        screen: as in the policy.
    """
    lines = together(TextLocator(second_reader=False, screen=screen, detectors=agents).sightings(views))
    return [DetectedBox(line.polygon, max(b.score for b in line.sightings.values()), 0.0, line.kind) for line in lines]


def measure_real(
    annotations: Path,
    roots: Sequence[Path],
    detector: TextDetector,
    ppocr: TextDetector | None,
    overlays: Path | None = None,
    progress: ProgressSink | None = None,
) -> Figures:
    """Figures on annotated images, each image counted once and each group counted once; see :func:`real_figures`.

    ``refused`` counts images that are not there, cannot be decoded or have another size. ``overlays`` is a folder for
    pictures of them: truth green, the detector red, PP-OCR blue.
    """
    marked = read_annotations(annotations)
    meter = Meter("real images", len(marked), progress, None)
    shown, refused = [], 0
    for one in marked:
        result = _look(one, roots, {DETECTOR: detector, **({PPOCR: ppocr} if ppocr else {})}, overlays)
        if result is None:
            refused += 1
        else:
            shown.append(result)
        meter.step()
    agents = [DETECTOR, *([PPOCR, UNION] if ppocr else [])]
    return {
        "images": len(shown),
        "refused": refused,
        "each_image": {a: real_figures(shown, a) for a in agents},
        "groups_once": {a: real_figures(shown, a, grouped=True) for a in agents},
    }


def _look(one: Marked, roots: Sequence[Path], agents: dict[str, TextDetector], overlays: Path | None) -> Shown | None:
    path = find_file(one.name, roots)
    if path is None:
        return None
    try:
        views = pictures(path.read_bytes(), one.frame)
    except InputError:
        return None
    if views[0].shape[1::-1] != one.size:
        return None
    seeing = {name: _Once(agent) for name, agent in agents.items()}
    boxes = {name: once([agent.detect(view) for view in views]) for name, agent in seeing.items()}
    if len(boxes) > 1:
        boxes[UNION] = united(list(seeing.values()), views, DetectSection().screen)
    if overlays is not None:
        overlays.mkdir(parents=True, exist_ok=True)
        overlay(views[0], one, boxes).save(overlays / f"{Path(one.name).name}.png")
    return Shown(one, {name: seen(one, found) for name, found in boxes.items()})


def seen(one: Marked, found: Sequence[DetectedBox]) -> Seen:
    """How much of each item lies in boxes, and which boxes lie on none."""
    width, height = one.size
    bare, items = (np.zeros((height, width), bool) for _ in range(2))
    for item in one.items:
        items[_part(item.box)] = True
    false = 0
    for left, top, right, bottom in bounds(list(found)):
        place = _part((round(float(left)), round(float(top)), round(float(right)), round(float(bottom))))
        bare[place] = True
        false += bool(items[place].size and items[place].mean() < FALSE)
    padded = painted_mask([box.polygon for box in found], height, width)
    shares = [np.array([_mean(mask[_part(i.box)]) for i in one.items]) for mask in (bare, padded)]
    return Seen(shares[0], shares[1], len(found), false)


def _part(box: tuple[int, int, int, int]) -> tuple[slice, slice]:
    left, top, right, bottom = (max(0, v) for v in box)
    return slice(top, bottom), slice(left, right)


def overlay(picture: Picture, one: Marked, boxes: dict[str, list[DetectedBox]]) -> Image.Image:
    """The picture with truth green, the detector's boxes red and PP-OCR's blue."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for item in one.items:
        draw.rectangle((item.box[0], item.box[1], item.box[2] - 1, item.box[3] - 1), outline=(0, 220, 0))
    for name, colour in ((PPOCR, (60, 120, 255)), (DETECTOR, (255, 40, 40))):
        for box in boxes.get(name, []):
            draw.polygon(list(box.polygon), outline=colour)
    return image


def real_figures(shown: Sequence[Shown], agent: str, grouped: bool = False) -> Figures:
    """Figures of one agent on legible items; boxes on illegible ones are not false.

    Args:
        shown: images.
        agent: whose boxes.
        grouped: each group of images counts as one image.
    """
    sizes: dict[str, int] = {}
    for one in shown:
        sizes[one.marked.group] = sizes.get(one.marked.group, 0) + 1
    weights = [1 / sizes[one.marked.group] if grouped else 1.0 for one in shown]
    rows = list(_rows(shown, agent, weights))
    bare, padded, weight = (np.array([r[n] for r in rows]) for n in range(3))
    phi = np.array([r[3].phi != "none" for r in rows], bool)
    length = np.array([r[3].length for r in rows])
    answer: Figures = {"items": _sum(weight), "phi_items": _sum(weight[phi])}
    for name, share in (("covered", bare), ("painted", padded)):
        answer[name] = {str(s): _mean(share >= s, weight) for s in SHARES}
        answer[f"phi_{name}"] = {str(s): _mean(share[phi] >= s, weight[phi]) for s in SHARES}
    answer["missed_by_length"] = {}
    for low, high in LENGTHS:
        own = (length >= low) & (length <= high)
        label = f"{low}-{high}" if high < LENGTHS[-1][1] else f"{low}+"
        missed = _sum(weight[own & (bare < COVERED)])
        answer["missed_by_length"][label] = {"items": _sum(weight[own]), "missed": missed}
    for name, empty in (("text_images", False), ("text_free_images", True)):
        chosen = [
            (one.seen[agent], w) for one, w in zip(shown, weights, strict=True) if empty is not bool(one.marked.items)
        ]
        false, counts = np.array([s.false for s, _ in chosen]), np.array([w for _, w in chosen])
        answer[name] = {"images": _sum(counts), "false_boxes_per_image": _mean(false, counts)}
    return answer


def _rows(shown: Sequence[Shown], agent: str, weights: Sequence[float]) -> Iterator[tuple[float, float, float, Item]]:
    """Share covered bare and padded, weight and item, of each legible item."""
    for one, weight in zip(shown, weights, strict=True):
        did = one.seen[agent]
        for index, item in enumerate(one.marked.items):
            if item.legible:
                yield float(did.bare[index]), float(did.padded[index]), weight, item


def _sum(values: NDArray[Any]) -> float:
    return round(float(values.sum()), 2)


def _mean(values: NDArray[Any], weights: NDArray[Any] | None = None) -> float:
    """Mean, 0 of nothing."""
    if not values.size:
        return 0.0
    return float(np.average(values.astype(np.float64), weights=weights))
