"""Real anatomy behind training scenes: which files are taken, and what is cut out of them."""

from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="needs torch and torchvision: pip install deidra[train]")
pytest.importorskip("torchvision", reason="needs torch and torchvision: pip install deidra[train]")

from deidra.app.domain.errors import InputError
from deidra.models.training.anatomy import Anatomy
from deidra.models.training.data import Mix, View, Views
from deidra.models.training.train import main


def write(path: Path, depth: type = np.uint16, size: tuple[int, int] = (90, 70)) -> None:
    """A bright disc on dark noise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows, columns = np.mgrid[: size[0], : size[1]]
    disc = np.hypot(rows - size[0] / 2, columns - size[1] / 2) < min(size) / 3
    grey = np.random.default_rng(len(path.name)).integers(0, 12, size) + disc * 200
    cv2.imwrite(str(path), (grey * (10 if depth is np.uint16 else 1)).astype(depth))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        write(tmp_path / "ct" / f"{number}.png")
    write(tmp_path / "mr" / "0.png", np.uint8, (60, 110))
    (tmp_path / "notes.txt").write_text("no picture")
    return tmp_path


def views(folder: Path | None, count: int, **shares: float) -> list[View]:
    return list(islice(Views(192, 700, mix=Mix(**shares), anatomy=folder), count))


def test_a_folder_that_does_not_exist_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Anatomy(tmp_path / "none")
    assert str(caught.value) == "The folder with anatomy does not exist."
    assert "PNG" in caught.value.advice


def test_a_folder_without_pictures_is_told_with_advice(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Anatomy(tmp_path)
    assert str(caught.value) == "The folder with anatomy holds no picture."
    assert "PNG" in caught.value.advice


def test_files_that_cannot_be_read_are_counted_and_not_named(tmp_path: Path) -> None:
    for name in ("smith.png", "jones.png"):
        (tmp_path / name).write_bytes(b"no picture")
    with pytest.raises(InputError) as caught:
        Anatomy(tmp_path)
    assert str(caught.value) == "The folder with anatomy holds no picture. 2 files cannot be read."


def test_pictures_that_cannot_be_used_are_left_out_and_counted(folder: Path) -> None:
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "empty.png").write_bytes(b"")
    write(folder / "tiny.png", size=(9, 40))
    cv2.imwrite(str(folder / "even.png"), np.full((40, 40), 7, np.uint8))
    found = Anatomy(folder)
    assert len(found) == 4
    assert found.unreadable == 4


def test_the_command_line_tells_what_is_wrong_without_a_traceback(tmp_path: Path, monkeypatch) -> None:
    given = ["train", "--out", str(tmp_path / "run"), "--workers", "0", "--anatomy", str(tmp_path / "none")]
    monkeypatch.setattr("sys.argv", given)
    with pytest.raises(SystemExit, match="The folder with anatomy does not exist"):
        main()


def test_cuts_are_grey_pictures_of_at_most_the_wanted_size_and_the_same_for_the_same_seed(folder: Path) -> None:
    found = Anatomy(folder)
    for seed in range(60):
        most = (40 + 7 * seed, 300 - 4 * seed)
        first, again = (found.draw(np.random.default_rng(seed), most) for _ in range(2))
        assert np.array_equal(first, again)
        assert first.dtype == np.uint8
        assert 16 <= first.shape[1] <= most[0]
        assert 16 <= first.shape[0] <= most[1]
        assert (first == first[:, :, :1]).all()


def test_a_source_of_many_pictures_does_not_hide_the_others(folder: Path) -> None:
    for number in range(3, 9):
        write(folder / "ct" / f"{number}.png")
    found = Anatomy(folder)
    assert found._shares.sum() == pytest.approx(1)
    # Nine pictures of one folder beside one of another: three times as often, not nine times.
    assert sorted(found._shares)[-1] == pytest.approx(0.25)


def test_views_of_anatomy_without_text_claim_none(folder: Path) -> None:
    for drawn in views(folder, 16, anatomy=1.0, empty=1.0):
        assert drawn.boxes.shape == (0, 4)
        assert drawn.labels.shape == (0,)


def test_views_of_anatomy_with_text_have_their_boxes_inside(folder: Path) -> None:
    drawn = views(folder, 24, anatomy=1.0, empty=0.0)
    assert sum(len(v.boxes) > 0 for v in drawn) > 12
    for made in drawn:
        assert (made.boxes >= 0).all()
        assert (made.boxes <= 192).all()


def test_views_are_the_same_for_the_same_seed_and_files(folder: Path) -> None:
    for first, again in zip(views(folder, 10, anatomy=0.5), views(folder, 10, anatomy=0.5), strict=True):
        assert np.array_equal(first.image, again.image)
        assert np.array_equal(first.boxes, again.boxes)


def test_without_a_folder_the_share_of_anatomy_means_nothing() -> None:
    for first, second in zip(views(None, 6, anatomy=0.0), views(None, 6, anatomy=1.0), strict=True):
        assert np.array_equal(first.image, second.image)
