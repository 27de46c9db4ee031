from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from deidra.app.synth.scenes import fonts
from deidra.app.synth.scenes.canvas import Canvas, Paint, typed
from deidra.app.synth.scenes.fonts import BUILT_IN, built_in, covers, families, paper_faces, pick
from deidra.app.synth.scenes.glyphs import Look, Patch, line, mirrored, quad, turned
from deidra.app.synth.scenes.layouts import LETTERS, letters

LOOK = Look(built_in("sans"), 20)


def _line(text: str, look: Look = LOOK) -> Patch:
    patch = line(text, look)
    assert patch is not None
    return patch


def test_a_line_is_cropped_to_its_ink_and_stands_on_its_baseline() -> None:
    patch = _line("HIH")
    assert patch.alpha[0].any()
    assert patch.alpha[-1].any()
    assert patch.alpha[:, 0].any()
    assert patch.alpha[:, -1].any()
    assert patch.y + patch.alpha.shape[0] in (0, 1)
    below = _line("gpy")
    assert below.y + below.alpha.shape[0] > 2


def test_spaces_alone_draw_nothing() -> None:
    assert line("  ", LOOK) is None


def test_letter_spacing_and_stretch_make_a_line_wider_and_not_higher() -> None:
    plain = _line("MRN 12").alpha.shape
    spaced = _line("MRN 12", Look(LOOK.face, 20, spacing=0.2)).alpha.shape
    stretched = _line("MRN 12", Look(LOOK.face, 20, stretch=1.5)).alpha.shape
    assert spaced[0] == stretched[0] == plain[0]
    assert spaced[1] == pytest.approx(plain[1] + 5 * 4, abs=3)
    assert stretched[1] == pytest.approx(plain[1] * 1.5, abs=2)


def test_rough_letters_have_no_grey_rim() -> None:
    assert set(np.unique(_line("Rough", Look(LOOK.face, 14, smooth=False)).alpha)) == {0, 255}


def test_repeated_pixels_come_in_squares() -> None:
    alpha = _line("A", Look(LOOK.face, 10, smooth=False, times=3)).alpha
    assert alpha.shape[0] % 3 == 0
    assert (alpha[::3, ::3] == alpha[1::3, 1::3]).all()


def test_letters_of_dots_have_gaps_between_the_dots() -> None:
    solid = _line("H", Look(LOOK.face, 8, smooth=False, dots=5)).alpha
    assert not solid[::5, ::5].any()
    assert solid[2::5, 2::5].any()


def test_a_quarter_turn_swaps_the_sides_and_reads_downwards() -> None:
    patch = _line("R12")
    down = turned(patch, 90)
    assert down.alpha.shape == patch.alpha.shape[::-1]
    assert (np.rot90(down.alpha) == patch.alpha).all()
    ys, xs = np.nonzero(down.solid)
    corners = quad(xs, ys, down.angle)
    assert corners[0][0] > corners[3][0], "the top of text that reads downwards is at the right"
    assert corners[1][1] > corners[0][1]


def test_a_turned_line_keeps_its_length_and_height() -> None:
    patch = _line("MRN 1234567")
    rows, columns = np.nonzero(patch.solid)
    straight = quad(columns, rows, 0.0)
    sloping = turned(patch, 20)
    rows, columns = np.nonzero(sloping.solid)
    corners = quad(columns, rows, 20)
    assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(np.ptp(straight[:, 0]), abs=2.5)
    assert np.linalg.norm(corners[3] - corners[0]) == pytest.approx(np.ptp(straight[:, 1]), abs=2.5)


def test_the_quad_of_upright_text_is_the_box_with_exclusive_edges() -> None:
    assert quad(np.array([3, 7]), np.array([2, 4]), 0.0).tolist() == [[3, 2], [8, 2], [8, 5], [3, 5]]


def test_mirrored_text_is_seen_from_behind() -> None:
    patch = _line("R")
    assert (mirrored(patch).alpha[:, ::-1] == patch.alpha).all()


def _canvas(level: int = 0) -> Canvas:
    return Canvas(np.full((60, 200, 3), level, np.uint8), "train", np.random.default_rng(1))


@pytest.mark.parametrize("level", [0, 90, 160, 255])
def test_ink_can_be_seen_on_any_ground(level: int) -> None:
    canvas = _canvas(level)
    canvas.text(typed("120 kV"), LOOK, (10, 40), Paint((level, level, level)))
    inked = canvas.image[canvas.ink == 1].astype(int)
    assert abs(inked.mean() - level) > 40


def test_text_that_leaves_the_image_is_cut_and_text_outside_is_not_drawn() -> None:
    canvas = _canvas()
    assert canvas.text(typed("LEFT"), LOOK, (-15, 40)) is not None
    assert canvas.ink[:, 0].any()
    assert canvas.text(typed("LEFT"), LOOK, (300, 40)) is None
    assert len(canvas.drafts) == 1


def test_text_is_not_set_on_or_right_beside_other_text() -> None:
    canvas = _canvas()
    first = canvas.text(typed("MI 1.2"), LOOK, (10, 40))
    assert first is not None
    assert canvas.text(typed("TIs 0.4"), LOOK, (20, 44)) is None
    assert canvas.text(typed("TIs 0.4"), LOOK, (first[2] + 8, 40)) is None
    assert canvas.text(typed("TIs 0.4"), LOOK, (first[2] + 40, 40)) is not None


def test_a_font_without_an_accent_writes_the_plain_letter() -> None:
    bare = next((face for rows in families("console", "train") for face in rows if not covers(face, "é")), None)
    if bare is None:
        pytest.skip("every console font here has accents")
    canvas = _canvas()
    canvas.text(typed("José"), Look(bare, bare.sizes[0]), (5, 30))
    assert canvas.drafts[0].word.text == "Jose"


def test_a_family_and_a_file_belong_to_one_split() -> None:
    splits: dict[str, set[str]] = defaultdict(set)
    for name, _, split, files in fonts.table()["family"]:
        assert split in ("train", "calibrate", "test")
        for key in (name, *(file.partition("@")[0] for file in files)):
            splits[key].add(split)
    assert {key for key, its in splits.items() if len(its) > 1} == set()


def test_every_split_has_families_of_the_main_groups() -> None:
    there = {(group, split) for _, group, split, _ in fonts.table()["family"]}
    for group in ("sans", "serif", "mono", "console", "dot", "script", "condensed", "thin", "display", "segment"):
        assert {split for its, split in there if its == group} == {"train", "calibrate", "test"}, group


def test_the_six_fonts_of_the_paper_are_there_or_stood_in_for() -> None:
    assert [name for name, _ in paper_faces()] == [
        "Arial",
        "Times New Roman",
        "Verdana",
        "Courier bold italic",
        "DejaVu Sans",
        "Noto Sans Mono",
    ]


def test_without_fonts_the_one_of_pillow_stands_in(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DEIDRA_FONTS", str(tmp_path))
    assert pick(np.random.default_rng(1), "console", "test").family == BUILT_IN
    assert {face.family for _, face in paper_faces()} == {BUILT_IN}
    for kind in LETTERS:
        assert line("1 L 4.25 cm", letters(_canvas(), kind)) is not None
