"""What is useful waits for what is asked for."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from deidra.app.load.contrast import FrameView
from deidra.ui.application import settle
from deidra.ui.operations import Operations
from deidra.ui.pictures import Pictures


def test_only_the_last_of_quick_wishes_for_a_rest_is_begun(qtbot):
    operations, begun = Operations(), []
    for number in range(5):
        operations.at_rest(lambda number=number: begun.append(number))
    assert not operations.is_idle
    assert begun == []
    settle(operations)
    assert begun == [4]
    assert operations.is_idle
    operations.shutdown()


def test_what_waits_for_a_rest_is_forgotten_with_the_rest(qtbot):
    operations, begun = Operations(), []
    operations.at_rest(lambda: begun.append(1))
    operations.shutdown()
    qtbot.wait(120)
    assert begun == []


class OneColour:
    """A project of large pictures that counts what is decoded."""

    def __init__(self) -> None:
        self.decoded: list[str] = []

    def frame_view(self, asset_id: str, _index: int) -> FrameView:
        self.decoded.append(asset_id)
        return FrameView(np.zeros((4000, 4000, 3), np.uint8))


def test_images_that_come_next_outlive_those_that_have_been(qtbot):
    operations, project = Operations(), OneColour()
    pictures = Pictures(project, operations)
    # 64 MB each: four are kept.
    for number in range(12):
        pictures.want(f"a{number}", 0, False)
        settle(operations)
        pictures.ahead([(f"a{number + n}", 0) for n in (1, 2, 3)])
        settle(operations)
    assert project.decoded == [f"a{number}" for number in range(15)]
    operations.shutdown()


def test_what_is_shown_has_the_format_of_the_screen(qtbot):
    operations = Operations()
    pictures, shown = Pictures(OneColour(), operations), []
    pictures.ready.connect(lambda *arrived: shown.append(arrived[3].image))
    pictures.want("a", 0, False)
    settle(operations)
    assert [image.format() for image in shown] == [QImage.Format.Format_RGB32]
    operations.shutdown()
