"""Which pages are the same page again."""

from __future__ import annotations

import pytest

from deidra.app.detect.copies import copies
from deidra.app.domain.geometry import box_polygon
from deidra.app.domain.model import FrameText, TextLine

_FORM = (
    "Patient registration form of the clinic",
    "Name: Ada Byron",
    "Date of birth: 12/10/1815",
    "Home phone: 555-123-4567",
    "Please write clearly and with black ink",
)


def page(*lines: str) -> FrameText:
    return FrameText(0, 100, 100, tuple(TextLine(box_polygon(0, 0, 9, 9), line, (), ()) for line in lines))


def test_a_page_that_was_scanned_again_is_a_copy_though_a_word_is_read_otherwise() -> None:
    again = (*_FORM[:-1], "Please write clearly and with black lnk")
    assert copies([page(*_FORM), page("x"), page(*again), page(*reversed(_FORM))]) == [0, 1, 0, 0]


@pytest.mark.parametrize(("line", "value"), [(2, "Date of birth: 12/10/1915"), (3, "Home phone: 555-123-4568")])
def test_the_same_form_with_another_number_is_another_page(line: int, value: str) -> None:
    other = [value if number == line else text for number, text in enumerate(_FORM)]
    assert copies([page(*_FORM), page(*other)]) == [0, 1]


def test_the_same_form_of_somebody_else_is_another_page() -> None:
    other = [text.replace("Ada Byron", "Bob Quux") for text in _FORM]
    assert copies([page(*_FORM), page(*other)]) == [0, 1]


def test_pages_with_hardly_any_text_are_not_compared() -> None:
    assert copies([page("Page 1"), page("Page 1"), page()]) == [0, 1, 2]


def test_words_that_were_read_a_little_otherwise_are_the_same_words_and_other_words_are_not() -> None:
    misread = ("Patlent registratian form of the clinic", *_FORM[1:4], "Please wrlte clearly with black ink")
    assert copies([page(*_FORM), page(*misread)]) == [0, 0]
    other = ("Patient registration form of the clinic", "Name: Eve Byrd", *_FORM[2:4], "Please write it all in red ink")
    assert copies([page(*_FORM), page(*other)]) == [0, 1]


def test_a_poor_copy_of_which_a_line_could_not_be_read_is_a_copy_and_a_page_with_much_more_is_none() -> None:
    fuller = (*_FORM, "Signed for the clinic", "Continue overleaf")
    assert copies([page(*fuller), page(*fuller[:-1])]) == [0, 0]
    assert copies([page(*fuller), page(*fuller[:4])]) == [0, 1]
