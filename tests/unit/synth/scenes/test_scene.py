from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from deidra.app.domain.taxonomy import EntityType
from deidra.app.synth.scenes import papers, words
from deidra.app.synth.scenes import scene as scenes
from deidra.app.synth.scenes.canvas import Canvas
from deidra.app.synth.scenes.damage import Warped
from deidra.app.synth.scenes.fonts import BUILT_IN, families, paper_faces, table
from deidra.app.synth.scenes.scene import SPLITS, SUITES, Scene, SceneText, scene

VIEW = (320, 320)


def _scenes(suite: str, split: str, count: int) -> list[Scene]:
    return [scene(suite, split, seed, VIEW) for seed in range(count)]


@pytest.fixture(scope="module")
def machines() -> list[Scene]:
    return _scenes("machines", "train", 120)


@pytest.fixture
def undamaged(monkeypatch) -> None:
    def leave(rng: np.random.Generator, image, ink, split: str = "", finest: float = 6.5) -> Warped:
        return Warped(image, ink, np.eye(3))

    monkeypatch.setattr(scenes, "machine_damage", leave)
    monkeypatch.setattr(scenes, "paper_augment", leave)


def _in_reading_frame(
    text: SceneText, ink: np.ndarray, number: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Places of the ink along and down the line from its top left corner, in pixels, and the line's size."""
    ys, xs = np.nonzero(ink == number)
    a, b, _, d = np.array(text.polygon)
    along, down = (b - a) / np.linalg.norm(b - a), (d - a) / np.linalg.norm(d - a)
    middles = np.stack([xs + 0.5, ys + 0.5], axis=1) - a
    return middles @ along, middles @ down, np.linalg.norm(b - a), float(np.linalg.norm(d - a))


def _lines(made: Scene) -> Iterator[tuple[int, SceneText]]:
    yield from enumerate(made.texts, start=1)


@pytest.mark.parametrize("suite", SUITES)
def test_the_same_seed_gives_the_same_scene_and_another_another(suite: str) -> None:
    first, again, other = (scene(suite, "test", seed, VIEW) for seed in (5, 5, 6))
    assert np.array_equal(first.image, again.image)
    assert np.array_equal(first.ink, again.ink)
    assert first.texts == again.texts
    assert first.image.shape != other.image.shape or not np.array_equal(first.image, other.image)
    assert not np.array_equal(first.image[:50, :50], scene(suite, "train", 5, VIEW).image[:50, :50])


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("suite", SUITES)
def test_a_scene_is_a_picture_within_the_view_with_one_number_of_ink_for_each_text(suite: str, split: str) -> None:
    for made in _scenes(suite, split, 8):
        rows, columns = made.ink.shape
        assert made.image.shape == (rows, columns, 3)
        assert made.image.dtype == np.uint8
        assert made.ink.dtype == np.uint16
        assert columns <= VIEW[0]
        assert rows <= VIEW[1]
        assert set(np.unique(made.ink)) - {0} == set(range(1, len(made.texts) + 1))


@pytest.mark.usefixtures("undamaged")
@pytest.mark.parametrize("suite", SUITES)
def test_polygons_hold_their_ink_tightly(suite: str) -> None:
    checked = 0
    for made in _scenes(suite, "train", 25):
        for number, text in _lines(made):
            x, y, wide, high = _in_reading_frame(text, made.ink, number)
            inside = (x > -0.01) & (x < wide + 0.01) & (y > -0.01) & (y < high + 0.01)
            assert inside.mean() >= 0.99, text
            slack = (x.min(), wide - x.max(), y.min(), high - y.max())
            assert max(slack) - 0.5 <= 1.5, (text, slack)
            checked += 1
    assert checked > 100


def test_polygons_follow_the_ink_through_damage() -> None:
    covered = []
    for made in [*_scenes("papers", "train", 24), *_scenes("machines", "train", 24)]:
        for number, text in _lines(made):
            x, y, wide, high = _in_reading_frame(text, made.ink, number)
            covered.append(np.mean((x > -1) & (x < wide + 1) & (y > -1) & (y < high + 1)))
    assert np.mean(covered) > 0.99
    assert np.percentile(covered, 1) > 0.8
    assert min(covered) > 0.5


def test_corners_are_clockwise_inside_the_picture_and_agree_with_box_and_height(machines: list[Scene]) -> None:
    for made in machines:
        for text in made.texts:
            corners = np.array(text.polygon)
            if np.abs(corners[1] - corners[0]).min() < 0.3:
                assert corners.min() >= 0
                assert (corners <= [made.ink.shape[1], made.ink.shape[0]]).all()
            a, b, _, d = corners
            along, down = b - a, d - a
            assert along[0] * down[1] - along[1] * down[0] > 0
            assert text.box == (*corners.min(axis=0), *corners.max(axis=0))
            assert text.height == pytest.approx(np.linalg.norm(down), abs=1.5, rel=0.2)


def test_texts_can_be_seen(machines: list[Scene]) -> None:
    seen = []
    for made in machines:
        for number, text in _lines(made):
            left, top, right, bottom = (round(v) for v in text.box)
            part = (slice(max(0, top - 2), bottom + 2), slice(max(0, left - 2), right + 2))
            own, image = made.ink[part] == number, made.image[part].astype(float)
            seen.append(np.abs(image[own].mean(axis=0) - image[~own].mean(axis=0)).max() > 10)
    assert np.mean(seen) > 0.99


def test_private_texts_have_a_type_and_harmless_ones_have_none(machines: list[Scene]) -> None:
    texts = [text for made in machines for text in made.texts]
    assert all(text.phi == (text.type is not None) for text in texts)
    types = {text.type for text in texts}
    assert types >= {None, EntityType.PATIENT, EntityType.ID_MRN, EntityType.DATE_OTHER, EntityType.DATE_BIRTH}
    assert {text.kind for text in texts} == {"printed", "handwriting", "barcode"}
    assert all(text.text for text in texts if text.kind != "handwriting")


def test_about_an_eighth_of_the_images_of_machines_have_no_text(machines: list[Scene]) -> None:
    assert 0.05 <= np.mean([not made.texts for made in machines]) <= 0.2


def test_short_texts_and_long_ones_small_and_large_are_among_them(machines: list[Scene]) -> None:
    texts = [text for made in machines for text in made.texts if text.kind == "printed"]
    assert np.mean([len(text.text) <= 3 for text in texts]) > 0.1
    assert np.mean([len(text.text) > 12 for text in texts]) > 0.1
    heights = [text.height for text in texts]
    assert np.percentile(heights, 10) < 9
    assert np.percentile(heights, 99) > 25


@pytest.mark.parametrize("split", SPLITS)
def test_machines_use_the_families_of_their_split_only(split: str) -> None:
    mine = {name for name, _, its, _ in table()["family"] if its == split} | {BUILT_IN}
    others = {name for name, _, its, _ in table()["family"]} - mine
    used = {part for made in _scenes("machines", split, 40) for text in made.texts for part in text.style.split("/")}
    assert used & others == set()
    assert used & mine


def test_words_of_the_test_are_not_in_the_training() -> None:
    train, calibrate, test = (words.pool(split) for split in SPLITS)
    for part in ("given", "family", "city", "street", "foreign"):
        sets = [{word.casefold() for word in getattr(pool, part)} for pool in (train, calibrate, test)]
        assert all(sets), part
        assert sets[0] & sets[1] == sets[0] & sets[2] == sets[1] & sets[2] == set(), part
    shared = {"letters", "tokens", "scale", "units", "values", "headings"}
    for kind in set(train.phrases) - shared:
        assert train.phrases[kind]
        assert test.phrases[kind]
        assert set(train.phrases[kind]) & set(test.phrases[kind]) == set(), kind


def test_templates_are_filled() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        text = words.fill(rng, "MRN~#### @ {time} {number}")
        assert text[:3] == "MRN"
        assert text[3] in "123456789"
        assert not set("#~@{}") & set(text)


def test_a_paper_000_image_has_four_to_ten_texts_of_its_sizes_colours_and_types(monkeypatch) -> None:
    assert papers.ITEMS == (4, 10)
    assert papers.SIZES == (0.03, 0.09)
    assert len(papers.TYPES) == 8
    assert set(papers.COLOURS) == {
        "white", "black", "yellow", "cyan", "orange", "pink", "lightgreen", "red", "blue",
    }  # fmt: skip
    place, shares = papers._place, []

    def recording(c: Canvas, word, look, colours, style: str) -> None:
        shares.append((look.size / c.height, c.height))
        place(c, word, look, colours, style)

    monkeypatch.setattr(papers, "_place", recording)
    plain = [scene("papers", "train", seed) for seed in range(36) if seed // 3 % 2 == 0]
    fonts = {name for name, _ in paper_faces()}
    for made in plain:
        assert 4 <= len(made.texts) <= 10
        for text in made.texts:
            paper, font, colour, _ = text.style.split("/")
            assert (paper, font in fonts, colour in papers.COLOURS) == ("paper000", True, True)
            assert text.type in papers.TYPES
    assert all(0.03 - 0.5 / rows <= share <= 0.09 + 0.5 / rows for share, rows in shares)
    assert max(share for share, _ in shares) > 0.07


def test_papers_take_their_backgrounds_by_turns_and_003_has_harmless_texts() -> None:
    made = _scenes("papers", "test", 12)
    assert [item.background for item in made] == ["ct", "mr", "xray"] * 4
    third = [text for item in made if item.seed // 3 % 2 for text in item.texts]
    assert {text.phi for text in third} == {True, False}
    assert {text.style.split("/")[0] for text in third} == {"paper003"}


def test_medical_numbers_of_the_papers_look_like_mrn93987011() -> None:
    rng = np.random.default_rng(2)
    texts = [papers.value(rng, "train", EntityType.ID_MRN).text for _ in range(20)]
    assert all(text.removeprefix("MRN").isdigit() and len(text.removeprefix("MRN")) == 8 for text in texts)


def test_texts_of_the_papers_do_not_overlap() -> None:
    for made in [scene("papers", "train", seed, VIEW) for seed in (0, 1, 2, 6, 7, 8)]:
        boxes = [text.box for text in made.texts]
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_whole_images_have_their_natural_size() -> None:
    sizes = [max(scene("machines", "test", seed).ink.shape) for seed in range(12)]
    assert min(sizes) >= 200
    assert max(sizes) > 900


@pytest.mark.parametrize("suite", SUITES)
def test_scenes_are_made_without_any_installed_font(suite: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("DEIDRA_FONTS", str(tmp_path))
    assert families("sans", "train") == ()
    assert any(made.texts for made in _scenes(suite, "train", 6))


def test_an_unknown_suite_or_split_is_refused() -> None:
    with pytest.raises(ValueError, match="posters"):
        scene("posters", "train", 1)
    with pytest.raises(ValueError, match="all"):
        scene("papers", "all", 1)
