"""Window and level, by keys and by dragging, on a CT image whose values are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydicom import Dataset
from pydicom.dataset import FileMetaDataset
from pydicom.uid import ExplicitVRLittleEndian
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from deidra.app.load.contrast import Window, through
from deidra.app.load.pictures import frame_view

from .conftest import PDF, US

SHAPE = (480, 640)


def deep_file(photometric: str = "MONOCHROME2", modality: str = "CT") -> Dataset:
    """Columns rise from -1000 to 3000 Hounsfield units; stored values are 1024 above them."""
    dataset = Dataset()
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian
    dataset.Rows, dataset.Columns = SHAPE
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = 1, photometric
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit, dataset.PixelRepresentation = 16, 16, 15, 0
    dataset.RescaleSlope, dataset.RescaleIntercept = 1, -1024
    dataset.Modality = modality
    dataset.WindowWidth, dataset.WindowCenter = [350, 2000], [50, 500]
    stored = np.repeat((np.linspace(-1000, 3000, SHAPE[1]) + 1024).round()[None, :], SHAPE[0], 0).astype(np.uint16)
    dataset.NumberOfFrames = 3
    dataset.PixelData = np.stack([stored] * 3).tobytes()
    return dataset


def units(dataset: Dataset) -> np.ndarray:
    return dataset.pixel_array[0].astype(float) - 1024


def shades(window) -> np.ndarray:
    """The grey values on the canvas, as an array."""
    image = window.page.canvas.image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].astype(int)


def by_formula(values: np.ndarray, width: float, centre: float) -> np.ndarray:
    """PS3.3 C.11.2.1.2.1, written out."""
    low, high = centre - 0.5 - (width - 1) / 2, centre - 0.5 + (width - 1) / 2
    middle = ((values - (centre - 0.5)) / (width - 1) + 0.5) * 255
    return np.where(values <= low, 0, np.where(values > high, 255, middle))


@pytest.fixture
def ct(driver, project, monkeypatch):
    project.deep["us"] = deep_file()
    asset = replace(US, modality="CT", series_uid="1.2")
    monkeypatch.setattr(project.store.assets, "get", lambda asset_id: asset if asset_id == "us" else PDF)
    return driver.open(project)


@pytest.mark.parametrize(("width", "centre"), [(400.0, 40.0), (4000.0, 1000.0), (2.0, 100.0)])
def test_a_window_is_the_linear_function_of_the_standard(width: float, centre: float) -> None:
    dataset = deep_file()
    frame = frame_view(dataset, dataset.pixel_array[0]).grey
    assert frame is not None
    picture = through(frame, Window(width, centre))
    assert np.abs(picture - by_formula(units(dataset), width, centre)).max() <= 1
    assert (picture[0, 0], picture[0, -1]) == (0, 255)


def test_the_narrowest_window_is_a_step() -> None:
    dataset = deep_file()
    frame = frame_view(dataset, dataset.pixel_array[0]).grey
    assert frame is not None
    # PS3.3: with a width of 1, values to centre - 0.5 are black and all others white.
    assert (through(frame, Window(1, 40)) == np.where(units(dataset) <= 39.5, 0, 255)).all()


def test_monochrome1_is_turned() -> None:
    dataset = deep_file("MONOCHROME1")
    frame = frame_view(dataset, dataset.pixel_array[0]).grey
    assert frame is not None
    assert through(frame, Window(400, 40))[0, 0] == 255
    assert through(frame, Window(400, 40))[0, -1] == 0


@pytest.mark.parametrize("values", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3), np.uint16)])
def test_eight_bits_and_colours_have_no_window(values: np.ndarray) -> None:
    assert frame_view(Dataset(), values).grey is None


def test_the_bar_tells_the_window_of_the_file(driver, ct):
    assert ct.page.bar.contrast_label.text() == "W 350 L 50"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (Qt.Key.Key_2, "W 4000 L 1000"),
        (Qt.Key.Key_4, "W 80 L 40"),
        (Qt.Key.Key_5, "W 1500 L -600"),
        (Qt.Key.Key_6, "W 1800 L 400"),
        (Qt.Key.Key_7, "W 400 L 40"),
        (Qt.Key.Key_8, "W 2000 L 500"),
    ],
)
def test_a_key_shows_the_image_through_its_window(driver, project, ct, key, text):
    driver.press(ct, key)
    assert ct.page.bar.contrast_label.text() == text
    width, centre = (float(part) for part in text.replace("W ", "").split(" L "))
    assert np.abs(shades(ct) - by_formula(units(project.deep["us"]), width, centre)).max() <= 1


def test_the_first_key_goes_back_to_what_the_file_says(driver, ct):
    before = shades(ct)
    driver.press(ct, Qt.Key.Key_5)
    assert (shades(ct) != before).any()
    driver.press(ct, Qt.Key.Key_1)
    assert (shades(ct) == before).all()
    assert ct.page.bar.contrast_label.text() == "W 350 L 50"


def test_a_window_that_the_file_has_not_is_told_and_changes_nothing(driver, ct):
    before = shades(ct)
    driver.press(ct, Qt.Key.Key_9)
    assert ct.status.message.text() == "The file has no window number 3."
    assert (shades(ct) == before).all()


def drag(driver, window, button, step, modifier=Qt.KeyboardModifier.NoModifier):
    view = window.page.canvas.viewport()
    start = view.rect().center()
    driver.qtbot.mousePress(view, button, modifier, start)
    driver.qtbot.mouseMove(view, start + step / 2)
    driver.qtbot.mouseMove(view, start + step)
    driver.qtbot.mouseRelease(view, button, modifier, start + step)
    driver.settle(window)


def test_dragging_with_the_right_button_widens_and_darkens(driver, project, ct):
    drag(driver, ct, Qt.MouseButton.RightButton, QPoint(100, 0))
    first = ct.page.viewer.contrast.window_of("1.2")
    assert first.width > 350
    assert first.centre == 50
    assert np.abs(shades(ct) - by_formula(units(project.deep["us"]), first.width, first.centre)).max() <= 1
    darker = shades(ct).sum()
    drag(driver, ct, Qt.MouseButton.RightButton, QPoint(0, 100))
    assert ct.page.viewer.contrast.window_of("1.2").centre > 50
    assert shades(ct).sum() < darker
    assert ct.page.current.id == "name"


def test_dragging_with_control_does_the_same_and_moves_nothing(driver, ct):
    canvas = ct.page.canvas
    canvas.zoom_by(4)
    place = canvas.horizontalScrollBar().value()
    drag(driver, ct, Qt.MouseButton.LeftButton, QPoint(-80, 0), Qt.KeyboardModifier.ControlModifier)
    assert ct.page.viewer.contrast.window_of("1.2").width < 350
    assert canvas.horizontalScrollBar().value() == place


def test_other_frames_keep_the_window_and_nothing_is_stored(driver, project, ct):
    stored = project.store.value("policy"), len(list(project.store.audit_rows()))
    driver.press(ct, Qt.Key.Key_7)
    driver.press(ct, Qt.Key.Key_BracketRight)
    assert ct.page.viewer.frame == 1
    assert ct.page.bar.contrast_label.text() == "W 400 L 40"
    assert np.abs(shades(ct) - by_formula(units(project.deep["us"]), 400, 40)).max() <= 1
    assert (project.store.value("policy"), len(list(project.store.audit_rows()))) == stored


def test_images_of_eight_bits_say_that_they_have_no_window(driver, project):
    window = driver.open(project)
    assert not window.page.bar.contrast_label.isVisible()
    driver.press(window, Qt.Key.Key_7)
    assert window.status.message.text().startswith("This image has no more contrast than it shows")


def test_windows_of_ct_are_refused_on_other_images(driver, project):
    project.deep["us"] = deep_file(modality="US")
    window = driver.open(project)
    driver.press(window, Qt.Key.Key_4)
    assert window.status.message.text() == "This window is for CT images only."
