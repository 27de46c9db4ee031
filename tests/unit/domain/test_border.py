from __future__ import annotations

import pytest
import structlog

from deidra.app.border import guarded, place
from deidra.app.domain.errors import Cancelled, InputError, KnownError

SECRET = "OKONKWO"


def failing(error: BaseException) -> object:
    raise error


def test_work_that_ends_well_gives_its_result_and_no_reason() -> None:
    assert guarded("load", "a1", lambda: 5) == (5, "")
    assert guarded("load", "a1", lambda: None) == (None, "")


def test_a_bad_input_gives_its_own_reason() -> None:
    result, reason = guarded("load", "a1", lambda: failing(InputError("The file is damaged.", "Export it again.")))
    assert result is None
    assert "The file is damaged." in reason


@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        RuntimeError(SECRET),
        MemoryError(SECRET),
        RecursionError(SECRET),
        KeyError(SECRET),
        OSError(5, SECRET, SECRET),
    ],
)
def test_a_fault_holds_the_file_back_and_its_message_is_written_nowhere(error: Exception) -> None:
    with structlog.testing.capture_logs() as lines:
        result, reason = guarded("load", "a1", lambda: failing(error))
    assert result is None
    assert type(error).__name__ in reason
    assert SECRET not in reason
    (line,) = lines
    assert (line["stage"], line["asset"], line["error"]) == ("load", "a1", type(error).__name__)
    assert line["where"].startswith("test_border.py:")
    assert SECRET not in str(line)
    assert "exc_info" not in line


@pytest.mark.parametrize(
    "error", [KnownError("The disk is full.", "Free some space."), Cancelled(), KeyboardInterrupt()]
)
def test_what_concerns_the_whole_batch_ends_it(error: BaseException) -> None:
    with pytest.raises(type(error)):
        guarded("load", "a1", lambda: failing(error))


def test_a_place_is_told_by_file_and_line_alone() -> None:
    assert place(None) == ""
    try:
        failing(ValueError(SECRET))
    except ValueError as error:
        name, line = place(error.__traceback__).split(":")
    assert (name, line.isdigit()) == ("test_border.py", True)
