"""Handwriting: the same for the same seed, bent beyond what type does, and the key says where it stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deidra.app.synth.scenes import hands, handwriting, notes, strokes
from deidra.app.synth.scenes.canvas import Canvas, typed
from deidra.app.synth.scenes.fonts import built_in
from deidra.app.synth.scenes.glyphs import Patch, quad
from deidra.app.synth.scenes.marks import handwriting as by_hand

SPLITS = ("train", "calibrate", "test")
PEN = strokes.Pen("ball", 0.08)
DIGITS = "0123456789"


def _hand(split: str = "train", seed: int = 1) -> hands.Hand:
    return hands.any_hand(np.random.default_rng(seed), split)


def _page(split: str, seed: int, light: bool = False) -> Canvas:
    level = 20 if light else 235
    c = Canvas(np.full((420, 640, 3), level, np.uint8), split, np.random.default_rng(seed), 18)
    by_hand(c, light)
    return c


def _written(text: str, seed: int = 3, split: str = "train", size: float = 30) -> Patch:
    rng = np.random.default_rng(seed)
    patch = strokes.inked(rng, hands.written(rng, _hand(split, seed), text, size), PEN, size)
    assert patch is not None
    return patch


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("split", SPLITS)
def test_the_same_seed_writes_the_same_and_another_another(split: str, light: bool) -> None:
    for seed in range(4):
        first, again, other = _page(split, seed, light), _page(split, seed, light), _page(split, seed + 50, light)
        assert np.array_equal(first.image, again.image)
        assert np.array_equal(first.ink, again.ink)
        assert [draft.word for draft in first.drafts] == [draft.word for draft in again.drafts]
        assert not np.array_equal(first.image, other.image)


@pytest.mark.parametrize("split", SPLITS)
def test_every_line_by_hand_has_its_number_its_kind_and_its_style(split: str) -> None:
    seen: set[str] = set()
    for seed in range(40):
        c = _page(split, seed, light=seed % 2 == 1)
        assert set(np.unique(c.ink)) - {0} == set(range(1, len(c.drafts) + 1))
        for draft in c.drafts:
            if draft.kind == "printed":
                assert draft.style.startswith("field/")
                continue
            _, style, _ = draft.style.split("/")
            seen.add(style.split()[0])
            assert draft.kind == "handwriting"
            unread = style in ("signature", "scribble", "initials", "crossed out")
            assert unread == (draft.word.text == "")
            assert not unread or draft.word.phi
    assert {"signature", "scribble", "strokes"} <= seen


def test_ink_is_where_the_picture_changed_and_lines_lean_a_little_or_go_up_the_margin() -> None:
    checked = 0
    for seed in range(40):
        c = _page("train", seed)
        # Stickers and fields change the picture too.
        if any(draft.kind == "printed" for draft in c.drafts) or (c.image > 235).any():
            continue
        assert (c.image[c.ink > 0] != 235).any(axis=1).all()
        for number, draft in enumerate(c.drafts, 1):
            ys, xs = np.nonzero(c.ink == number)
            corners = quad(xs, ys, draft.angle)
            assert np.linalg.norm(corners[1] - corners[0]) > 1
            assert abs(draft.angle) <= 20 or draft.angle in (90, 270)
            checked += 1
    assert checked > 40


def test_the_line_of_a_sloping_note_is_followed_by_its_angle() -> None:
    rng = np.random.default_rng(5)
    writer = replace(handwriting.any_writer(rng, "train"), by_font=False, slope=11.0, hand=_hand())
    item = handwriting.note(rng, writer, typed("MILLER 1965"), 30)
    assert item is not None
    patch = handwriting.sloping(rng, writer, item[1])
    ys, xs = np.nonzero(patch.solid)
    level = quad(xs, ys, patch.angle)
    flat = quad(xs, ys, 0.0)
    assert 8 < patch.angle < 14
    assert np.linalg.norm(level[3] - level[0]) < 0.85 * np.linalg.norm(flat[3] - flat[0])


def test_signs_alone_are_no_text() -> None:
    changed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        c = Canvas(np.full((300, 400, 3), 235, np.uint8), "train", rng, 18)
        notes.signs(c, handwriting.any_writer(rng, "train"), False, None)
        assert not c.drafts
        assert not c.ink.any()
        changed += int((c.image != 235).any())
    assert changed >= 10


def test_a_writer_makes_a_letter_alike_but_never_the_same() -> None:
    rng, hand = np.random.default_rng(2), _hand()
    same = [hands.written(rng, hand, "7", 30)[0] for _ in range(8)]
    others = [hands.written(rng, _hand(seed=seed), "7", 30)[0] for seed in range(20, 28)]
    assert not np.array_equal(same[0], same[1])

    def spread(paths: list[strokes.Path]) -> float:
        ends = np.array([path[-1] - path[0] for path in paths])
        return float(ends.std(axis=0).sum())

    assert spread(same) < spread(others)


def test_tall_letters_are_about_as_high_as_asked_and_a_line_grows_with_its_text() -> None:
    for size in (14, 30, 70):
        heights = [_written("HLT8", seed, size=size).alpha.shape[0] for seed in range(8)]
        assert 0.8 * size < np.median(heights) < 1.6 * size
    assert _written("19651123").alpha.shape[1] > 1.5 * _written("1965").alpha.shape[1]


def test_letters_below_the_line_reach_below_it_and_digits_do_not() -> None:
    for seed in range(6):
        below = _written("ypg", seed)
        above = _written("123", seed)
        assert below.y + below.alpha.shape[0] > 0.2 * 30
        assert above.y + above.alpha.shape[0] < 0.35 * 30


@pytest.mark.parametrize("split", SPLITS)
def test_all_that_machines_and_forms_ask_for_can_be_written(split: str) -> None:
    letters = "".join(chr(place) for place in range(33, 127) if chr(place) not in '"$;[]`{|}~')
    for letter in letters:
        assert hands.writable(letter), letter
        assert _written(letter, split=split).alpha.any()
    assert not hands.writable("")
    assert not hands.writable("é")


def test_training_and_test_share_neither_forms_of_digits_nor_movements() -> None:
    def points(letters: tuple[hands.Strokes, ...]) -> set[bytes]:
        return {b"".join(stroke.tobytes() for _, stroke in form) for form in letters}

    (train, its_units), (test, other_units) = hands._table("train"), hands._table("test")
    for letter in DIGITS + "aegtAEMR":
        assert points(train[letter]) & points(test[letter]) == set(), letter
    assert points(its_units) & points(other_units) == set()


def test_no_gap_in_a_line_makes_two_texts_of_it() -> None:
    torn = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        writer = handwriting.any_writer(rng, SPLITS[seed % 3])
        item = handwriting.note(rng, writer, typed("Dr. Anna 12 no 3"), 24)
        assert item is not None
        gaps = np.diff(np.flatnonzero(item[1].solid.any(axis=0)))
        torn += int(gaps.max() > 1.3 * item[1].alpha.shape[0])
    assert torn <= 1


def test_letters_of_a_font_differ_where_type_repeats_itself() -> None:
    rng = np.random.default_rng(1)
    patch = handwriting.in_font(rng, "8888", built_in("script"), PEN, 40, 1.0)
    assert patch is not None
    solid = patch.solid
    edges = np.flatnonzero(np.diff(np.concatenate([[0], solid.any(axis=0).astype(int), [0]])))
    parts = [solid[:, a:b] for a, b in edges.reshape(-1, 2) if b - a > 8]
    assert len(parts) >= 3
    shapes = {part[part.any(axis=1)].tobytes() for part in parts}
    assert len(shapes) == len(parts)


def test_what_a_font_and_the_strokes_lack_is_left_out_of_the_text_too() -> None:
    rng = np.random.default_rng(1)
    writer = replace(handwriting.any_writer(rng, "train"), by_font=False)
    item = handwriting.note(rng, writer, typed("José ☃ 7"), 24)
    assert item is not None
    assert item[0].text == "Jose 7"
    machine = handwriting.note(rng, writer, typed("ROY^ANN^^"), 24)
    assert machine is not None
    assert machine[0].text == "ROY ANN"
    assert handwriting.note(rng, writer, typed("☃"), 24) is None


@pytest.mark.parametrize("size", [9, 20, 45, 90])
def test_every_pen_leaves_ink_in_every_size(size: float) -> None:
    names = set()
    for seed in range(24):
        rng = np.random.default_rng(seed)
        pen = strokes.any_pen(rng, light=seed % 2 == 0)
        names.add(pen.name)
        patch = strokes.inked(rng, hands.written(rng, _hand(seed=seed), "MRN 42", size), pen, size)
        assert patch is not None
        assert 0.03 < patch.solid.mean() < 0.9
    assert names == {"ball", "fountain", "marker", "pencil", "crayon"}


def test_a_struck_line_keeps_its_box_and_gains_ink() -> None:
    patch = _written("wrong")
    again = handwriting.struck(np.random.default_rng(1), patch, PEN, 30)
    assert again.alpha.shape == patch.alpha.shape
    assert int(again.solid.sum()) > int(patch.solid.sum())


def test_handwriting_is_drawn_without_any_installed_font(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DEIDRA_FONTS", str(tmp_path))
    assert any(_page("test", seed).drafts for seed in range(4))
