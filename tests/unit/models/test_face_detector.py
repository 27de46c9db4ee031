"""Faces are found on photographs and pages; text, noise and drawings are none."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_faces import drawn_face
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from deidra.app.domain.geometry import area, intersection_area
from deidra.models import face_detector
from deidra.models.face_detector import FaceDetector, _parts


def page(side: int, left: int, top: int, height: int = 1100, width: int = 850) -> np.ndarray:
    sheet = np.full((height, width, 3), 255, np.uint8)
    sheet[top : top + side, left : left + side] = drawn_face(side)
    return sheet


@pytest.mark.parametrize(("side", "left", "top"), [(120, 60, 100), (200, 600, 40), (300, 300, 700), (200, 640, 890)])
def test_a_face_on_a_page_is_found_where_it_is(side: int, left: int, top: int) -> None:
    (face,) = FaceDetector().faces(page(side, left, top))
    eyes_to_mouth = (left + 0.3 * side, top + 0.42 * side, left + 0.7 * side, top + 0.72 * side)
    inner = tuple(round(v) for v in eyes_to_mouth)
    assert intersection_area(face.box, inner) > 0.8 * area(inner)
    assert area(face.box) < 0.8 * side * side
    assert 0.75 <= face.score <= 1


@pytest.mark.parametrize("skin", [(236, 200, 175), (198, 150, 115), (120, 82, 60)])
def test_faces_of_other_complexions_are_found(skin: tuple[int, int, int]) -> None:
    assert FaceDetector().faces(drawn_face(256, skin))


@pytest.mark.parametrize("side", [80, 120])
def test_a_passport_photograph_on_a_scanned_page_is_found(side: int) -> None:
    assert FaceDetector().faces(page(side, 1100, 90, 1988, 1405))


def test_a_page_of_print_costs_the_network_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Image.new("L", (1405, 1988), 246)
    draw = ImageDraw.Draw(sheet)
    for row in range(60):
        draw.text(
            (90, 60 + 31 * row), "The quick brown fox jumps over the lazy dog. " * 2, 20, ImageFont.load_default(24)
        )
    worn = np.asarray(sheet.filter(ImageFilter.GaussianBlur(1)), np.int16)
    worn = np.clip(worn + np.random.default_rng(2).normal(0, 6, worn.shape), 0, 255).astype(np.uint8)
    monkeypatch.setattr(face_detector, "session", lambda name: pytest.fail(f"{name} was asked"))
    assert FaceDetector().faces(np.repeat(worn[:, :, None], 3, axis=2)) == []


def test_two_faces_are_two() -> None:
    sheet = np.concatenate([page(240, 20, 40, 320, 320), page(240, 20, 40, 320, 320)], axis=1)
    first, second = sorted(face.box for face in FaceDetector().faces(sheet))
    assert first[2] < 320 < second[0]


@pytest.mark.parametrize("shape", [(1, 1), (3, 2000), (2000, 3), (64, 64), (1100, 850)])
@pytest.mark.parametrize("kind", ["white", "black", "noise", "ramp"])
def test_where_nobody_is_nobody_is_found(shape: tuple[int, int], kind: str) -> None:
    picture = {
        "white": np.full((*shape, 3), 255, np.uint8),
        "black": np.zeros((*shape, 3), np.uint8),
        "noise": np.random.default_rng(1).integers(0, 256, (*shape, 3), np.uint8),
        "ramp": np.broadcast_to(np.linspace(0, 255, shape[1])[None, :, None], (*shape, 3)).astype(np.uint8),
    }[kind]
    assert FaceDetector().faces(picture) == []


@pytest.mark.parametrize("shape", [(1, 1), (255, 400), (1100, 850), (300, 5000)])
def test_the_parts_cover_the_picture_and_stay_on_it(shape: tuple[int, int]) -> None:
    height, width = shape
    sides: dict[int, np.ndarray] = {}
    for left, top, side in _parts(height, width):
        assert 0 <= left < width
        assert 0 <= top < height
        sides.setdefault(side, np.zeros(shape, bool))[top : top + side, left : left + side] = True
    assert all(seen.all() for seen in sides.values())
