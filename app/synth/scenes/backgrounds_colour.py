"""Colour pictures without text: endoscopy, fundus, skin and other photographs, stained tissue, rendered surfaces."""

from __future__ import annotations

import cv2
import numpy as np

from deidra.app.synth.scenes.backgrounds_tables import colour_map
from deidra.app.synth.scenes.backgrounds_textures import (
    Colour,
    Family,
    Frame,
    Grey,
    Points,
    blurred,
    box,
    branches,
    chance,
    choose,
    coloured,
    disc,
    grain,
    noise,
    outline,
    paint,
    paint_tree,
    rgb,
    slope,
)

Size = tuple[int, int]


def _tone(rng: np.random.Generator, family: Family, colour: tuple[float, float, float]) -> Grey:
    """A colour near ``colour``; the spread leaves each split a hue of its own."""
    turn = np.array(family.of((0, 0, 0), (8, -4, 10), (-10, 8, -8)))
    return np.asarray(np.clip(np.array(colour) + turn + rng.normal(0, 10, 3), 0, 255), np.float32)


def _shaded(height: Grey, light: tuple[float, float], strength: float) -> Grey:
    """Light (H, W), about 1, on a relief ``height`` (H, W) from the direction ``light``, whatever the resolution."""
    strength *= height.shape[0] / 640
    across = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3)
    return np.asarray(1 + strength * (light[0] * np.asarray(across) + light[1] * np.asarray(down)), np.float32)


def endoscopy(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Pink folds that get dark in the depth, small vessels, highlights; a round or cut field on black."""
    w, h = size
    tone = _tone(rng, family, choose(rng, ((205, 105, 85), (220, 140, 110), (190, 80, 75), (215, 165, 120))))
    folds = noise(rng, size, float(rng.uniform(2, 6)), family, 2)
    light = _shaded(folds, (float(rng.normal()), float(rng.normal())), float(rng.uniform(1, 5)))
    deep = Frame(float(rng.uniform(0.3, 0.7) * w), float(rng.uniform(0.3, 0.7) * h), 0.25 * min(size))
    image = tone * (light * (0.6 + 0.5 * folds))[..., None]
    for ring in np.linspace(1.4, 0.4, int(rng.integers(2, 5))):
        r = ring * deep.radius * 1.2
        paint(
            image,
            outline(rng, family, (deep.x, deep.y), (r, r * 0.9), 0, 0.15),
            tone * ring * 0.55,
            0.55,
            0.08 * deep.radius,
        )
    for _ in range(int(rng.integers(2, 9))):
        start = (float(rng.uniform(0, w)), float(rng.uniform(0, h)))
        tree = branches(rng, start, float(rng.uniform(0, 6.3)), 0.12 * w, 3, 3)
        paint_tree(image, tree, tone * np.array((0.65, 0.4, 0.4), np.float32), 0.5, 0.8)
    gleam = noise(rng, size, float(rng.uniform(20, 45)), family, 2) * light
    threshold = float(np.quantile(gleam[::8, ::8], rng.uniform(0.97, 0.997)))
    image += (np.clip((gleam - threshold) * 30, 0, 1) * 200)[..., None]
    if chance(rng, 0.3):
        image[..., :2] *= np.float32(0.6)
    field = disc(size, w / 2, h / 2, min(w, h) * rng.uniform(0.44, 0.56), 2)
    if chance(rng, 0.4):
        mask = np.zeros((h, w), np.float32)
        cut, margin = rng.uniform(0.08, 0.22) * w, rng.uniform(0.02, 0.2) * w
        left, right = margin, w - margin
        upper = [(left, cut), (left + cut, 5), (right - cut, 5), (right, cut)]
        lower = [(right, h - cut), (right - cut, h - 5), (left + cut, h - 5), (left, h - cut)]
        paint(mask, np.array([*upper, *lower]), 1, soft=1)
        field = mask
    return rgb(image * field[..., None] + grain(rng, size, family, 1.5)[..., None] * 3 * field[..., None])


def fundus(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """The back of an eye: optic disc, fovea, vessels from the disc, lesions; in colour, red-free or dark."""
    w, h = size
    radius = min(size) * float(rng.uniform(0.42, 0.52))
    at = Frame(w / 2, h / 2, radius)
    tone = _tone(rng, family, choose(rng, ((200, 95, 40), (170, 70, 30), (215, 130, 70))))
    image = tone * (0.75 + 0.4 * noise(rng, size, 5, family))[..., None]
    side = float(rng.choice([-1, 1]))
    nerve = at([(side * 0.45, rng.normal(0, 0.05))])[0]
    paint(
        image,
        outline(rng, family, (nerve[0], nerve[1]), (0.13 * radius, 0.14 * radius), 0, 0.04),
        (250, 215, 150),
        0.9,
        0.02 * radius,
    )
    fovea = at([(-side * 0.1, 0.02)])[0]
    paint(
        image,
        outline(rng, family, (fovea[0], fovea[1]), (0.15 * radius, 0.15 * radius)),
        tone * 0.5,
        0.7,
        0.06 * radius,
    )
    for turn in (0.9, 2.2, -0.9, -2.2, 1.4, -1.5):
        heading = turn + float(rng.normal(0, 0.15))
        tree = branches(rng, (nerve[0], nerve[1]), heading, 0.42 * radius, 0.025 * radius, 4)
        paint_tree(image, tree, tone * np.array((0.6, 0.35, 0.35), np.float32), 0.75, 0.7)
    for _ in range(int(rng.integers(0, 40)) if chance(rng, 0.5) else 0):
        spot = at(rng.uniform(-0.7, 0.7, (1, 2)))[0]
        r = float(rng.uniform(0.005, 0.03)) * radius
        paint(
            image,
            outline(rng, family, (spot[0], spot[1]), (r, r), 0, 0.3),
            choose(rng, ((240, 220, 120), (110, 20, 10))),
            0.8,
            0.6,
        )
    image *= disc(size, w / 2, h / 2, radius, 3)[..., None]
    if chance(rng, 0.25):
        grey = image[..., 1]
        image = np.repeat((grey * np.float32(255 / max(float(grey.max()), 1)))[..., None], 3, 2)
    return rgb(image)


def skin(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Skin close up: creases, a mole or wound, hairs, sometimes the dark tube of a dermatoscope."""
    w, h = size
    tone = _tone(rng, family, choose(rng, ((225, 175, 150), (190, 130, 100), (120, 80, 60), (235, 195, 175))))
    relief = noise(rng, size, float(rng.uniform(25, 80)), family, 2)
    image = tone * (_shaded(relief, (1, 0.6), 0.35) * slope(rng, size, 0.75, 1.1))[..., None]
    for _ in range(int(rng.integers(1, 4))):
        centre = (float(rng.normal(0.5, 0.15) * w), float(rng.normal(0.5, 0.15) * h))
        r = float(rng.uniform(0.04, 0.24) * min(size))
        spot = tone * choose(rng, ((0.5, 0.4, 0.4), (0.9, 0.5, 0.5), (0.35, 0.3, 0.32)))
        place = outline(rng, family, centre, (r, r * rng.uniform(0.6, 1.2)), 0, 0.2)
        paint(image, place, spot, 0.85, r * 0.06, shade=np.float32(0.6) + np.float32(0.8) * relief)
    hairs: list[tuple[Points, float]] = []
    for _ in range(int(rng.integers(0, 70)) if chance(rng, 0.6) else 0):
        start = (float(rng.uniform(0, w)), float(rng.uniform(0, h)))
        length, width = float(rng.uniform(0.05, 0.4) * w), float(rng.uniform(1, 2.5))
        hairs += branches(rng, start, float(rng.normal(0.8, 0.6)), length, width, 0)
    paint_tree(image, hairs, tone * 0.25, 0.8, 0.4)
    if chance(rng, 0.3):
        image *= disc(size, w / 2, h / 2, min(size) * rng.uniform(0.48, 0.62), 12)[..., None]
    return rgb(image + grain(rng, size, family, 1.3)[..., None] * 3)


def photograph(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A photograph of a room or specimen: planes, round things, shadows, drapes, out of focus in parts."""
    w, h = size
    image = np.empty((h, w, 3), np.float32)
    image[:] = _muted(rng)
    image *= slope(rng, size, 0.6, 1.15)[..., None]
    texture = 0.75 + 0.5 * noise(rng, size, float(rng.uniform(20, 90)), family, 3, float(rng.uniform(1, 6)))
    for _ in range(int(rng.integers(5, 22))):
        x, y = rng.uniform(-0.1, 1.1) * w, rng.uniform(-0.1, 1.1) * h
        r, ratio = float(rng.gamma(2, 0.06) * w), float(rng.uniform(0.3, 2.5))
        if chance(rng, 0.5):
            shape = outline(rng, family, (x, y), (r, r * ratio), float(rng.uniform(0, 180)), 0.08)
        else:
            shape = box(x - r, y - r * ratio, x + r, y + r * ratio) + rng.normal(0, 0.1 * r, (4, 2))
        tone = _muted(rng)
        blur = float(rng.choice([0.5, 1, 3, 8]))
        paint(image, shape + np.array([2, 3]) * blur, (10, 10, 15), 0.35, blur * 2 + 1)
        paint(image, shape, tone, 1, blur, shade=texture)
    folds = noise(rng, size, float(rng.uniform(3, 9)), family, 2, float(rng.uniform(1, 8)))
    image *= _shaded(folds, (1, 1), float(rng.uniform(0, 3)))[..., None]
    return rgb(image + grain(rng, size, family, 1.4)[..., None] * np.float32(rng.gamma(2, 2)))


def _muted(rng: np.random.Generator) -> Grey:
    """A colour as things in a hospital have it: mostly grey, white, beige, green or blue cloth."""
    level = rng.uniform(20, 230)
    return np.clip(level + rng.normal(0, 1, 3) * choose(rng, (4, 15, 45)), 5, 245).astype(np.float32)


def pathology(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """Stained tissue: fibres, thousands of nuclei, glands, white gaps; pink and violet, or brown and blue."""
    w, h = size
    matrix = noise(rng, size, float(rng.uniform(10, 30)), family, 4, float(rng.uniform(1, 4)))
    eosin, other = ((235, 170, 200), (110, 60, 140)), ((225, 205, 190), (130, 80, 50))
    stain = choose(
        rng, family.of((eosin, other), (((225, 180, 160), (60, 80, 130)),), (((240, 190, 215), (70, 70, 150)),))
    )
    table = colour_map([(250, 245, 250), stain[0], (0.8 * stain[0][0], 0.8 * stain[0][1], 0.8 * stain[0][2])])
    image = coloured(matrix * 330 - 40, table).astype(np.float32)
    radius = float(rng.uniform(2, 7))
    for _ in range(int(rng.integers(3, 18)) if chance(rng, 0.6) else 0):
        centre = (float(rng.uniform(0, w)), float(rng.uniform(0, h)))
        r = float(rng.uniform(4, 14)) * radius
        paint(image, outline(rng, family, centre, (r, r * rng.uniform(0.5, 1))), (248, 244, 248), 1, 1)
    spots = np.zeros((h, w), np.uint8)
    places = (rng.random((int(min(1600, 0.06 * w * h / radius**2)), 5)) * (w, h, 180, 1, 1) * 16).astype(np.int64)
    for x, y, turn, a, b in places.tolist():
        axes = (int(radius * (10 + a * 0.6)), int(radius * (7 + b * 0.4)))
        cv2.ellipse(spots, (x, y), axes, turn // 16, 0, 360, (150 + a * 6,), -1, cv2.LINE_AA, 4)
    share = blurred(spots.astype(np.float32) * np.float32(1 / 255), 0.8)[..., None]
    image += share * (np.asarray(stain[1], np.float32) * (0.8 + 0.4 * matrix)[..., None] - image)
    return rgb(image)


def rendered(rng: np.random.Generator, size: Size, family: Family) -> Colour:
    """A surface or volume rendered in three dimensions: shaded bones, vessels or a face, on black or a gradient."""
    w, h = size
    low, high = rng.uniform(0, 60, 3), rng.uniform(0, 140, 3)
    image = np.asarray(slope(rng, size, 0, 1)[..., None] * (high - low) + low, np.float32)
    if chance(rng, 0.6):
        image[:] = 0
    height = np.zeros((h, w), np.float32)
    for _ in range(int(rng.integers(6, 26))):
        x, y = rng.normal(0.5, 0.16) * w, rng.normal(0.5, 0.18) * h
        r = float(rng.uniform(0.03, 0.2) * min(size))
        layer = outline(rng, family, (x, y), (r, r * rng.uniform(0.3, 2)), float(rng.uniform(0, 180)), 0.15)
        paint(height, layer, float(rng.uniform(0.2, 1)), 1, r * 0.22, add=True)
    for level in (1, 0.6):
        tree = branches(rng, (w / 2, h * 0.9), -1.57, 0.25 * h, 0.05 * w * level, 4)
        paint_tree(height, tree, 0.7, 1, 0.012 * w * level, add=True)
    relief = height + 0.05 * noise(rng, size, 30, family)
    light = np.clip(_shaded(relief, (0.7, 0.7), float(rng.uniform(3, 7))), 0.1, 1.7)
    mask = np.clip((height - 0.15) * 8, 0, 1)[..., None]
    tone = _tone(rng, family, choose(rng, ((225, 205, 170), (200, 90, 70), (230, 170, 140), (180, 180, 190))))
    return rgb(image * (1 - mask) + mask * tone * light[..., None])
