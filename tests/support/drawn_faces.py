"""A drawn face that a face detector takes for one: fixtures hold no photograph of anybody."""

import cv2
import numpy as np


def drawn_face(side: int = 200, skin: tuple[int, int, int] = (224, 182, 150)) -> np.ndarray:
    """A portrait ``(side, side, 3)``, RGB: shaded head, hair, eyes, nose and mouth on a plain ground."""
    k = side / 200
    picture = np.full((200, 200, 3), (150, 165, 180), np.uint8)

    def ellipse(x: int, y: int, a: int, b: int, colour: tuple[int, int, int], first: int = 0, last: int = 360) -> None:
        cv2.ellipse(picture, (x, y), (a, b), 0, first, last, colour, -1, cv2.LINE_AA)

    dark = tuple(int(c * 0.75) for c in skin)
    ellipse(100, 205, 85, 45, (60, 70, 110))
    cv2.rectangle(picture, (80, 140), (120, 180), dark, -1)
    ellipse(100, 82, 58, 66, (62, 44, 34))
    ellipse(100, 100, 46, 60, skin)
    ellipse(100, 52, 46, 22, (62, 44, 34))
    for x in (80, 120):
        ellipse(x, 92, 14, 8, dark)
        ellipse(x, 94, 11, 5, (245, 245, 245))
        ellipse(x, 94, 5, 5, (60, 40, 30))
        cv2.line(picture, (x - 13, 81), (x + 13, 79), (62, 44, 34), 4, cv2.LINE_AA)
    ellipse(100, 118, 9, 6, dark)
    cv2.line(picture, (97, 95), (94, 116), dark, 3, cv2.LINE_AA)
    ellipse(100, 138, 18, 6, (160, 80, 80))
    cv2.line(picture, (83, 138), (117, 138), (110, 50, 50), 2, cv2.LINE_AA)
    picture = cv2.GaussianBlur(picture, (0, 0), 1.5)
    light = np.linspace(1.08, 0.85, 200)[None, :, None]
    picture = np.clip(picture * light, 0, 255).astype(np.uint8)
    return cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA if k < 1 else cv2.INTER_CUBIC)
