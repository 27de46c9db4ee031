"""Times of day in texts, and who counts them as private."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidra.app.decide.policy import load_policy
from deidra.app.decide.tagging import tagger_of
from deidra.app.detect.dates import written_times


def found(text: str) -> list[tuple[str, bool]]:
    return [(text[one.start : one.end], one.certain) for one in written_times(text)]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("13:13:56", "13:13:56"),
        ("09;25;00_", "09;25;00"),
        ("+2:09:04", "2:09:04"),
        ("2:56:22 PM", "2:56:22 PM"),
        ("11.34 a.m.", "11.34 a.m."),
        ("03/04/2020 14:35", "14:35"),
        ("2024-01-02 08:15:00.123", "08:15:00.123"),
        ("Fri Apr 30 06:27:24 1993 3D", "06:27:24"),
        ("Time 14:35", "14:35"),
        ("Uhrzeit: 08:15", "08:15"),
        ("08.15 Uhr", "08.15"),
        ("StudyTime=10:15", "10:15"),
    ],
)
def test_a_time_of_day_is_found_with_its_half_of_the_day(text: str, time: str) -> None:
    assert found(text) == [(time, True)]


@pytest.mark.parametrize(("text", "time"), [("14:35", "14:35"), ("seen at 9 am", "9 am")])
def test_hours_alone_are_doubtful(text: str, time: str) -> None:
    assert found(text) == [(time, False)]


@pytest.mark.parametrize(
    "text",
    [
        *("131:131", "4:26", "ratio 1:2", "L4:5", "10:20:30:40", "1.2.3", "Time: 12", "ES 0:12 s", "Fluoro time 3.45"),
        *("Echo time 12.50 ms", "10 pm/ml", "12 AMP", "0.5 am", "TE 25:61:00", "1:100000", "FOV 256:256"),
    ],
)
def test_ratios_durations_and_versions_are_no_times(text: str) -> None:
    assert found(text) == []


@given(st.times(), st.sampled_from(["{:%H:%M:%S}", "{:%I:%M:%S %p}", "{:%I:%M%p}", "12/31/2020 {:%H:%M}"]))
def test_every_time_in_every_form_is_found_whole(time: object, form: str) -> None:
    text = form.format(time)
    assert found(text) == [(text.removeprefix("12/31/2020 "), True)]


def _private(policy: str, text: str) -> list[str]:
    tagger = tagger_of(load_policy(policy), [])
    return [text[tag.start : tag.end] for tag in tagger.tags(text)]


def test_times_are_private_where_the_policy_keeps_none() -> None:
    line = "AX T2 08/24/2024 20:55:30"
    assert _private("safe-harbor", line) == ["08/24/2024", "20:55:30"]
    assert _private("gdpr", line) == ["08/24/2024", "20:55:30"]


def test_times_stay_where_the_policy_keeps_them() -> None:
    assert _private("basic", "AX T2 08/24/2024 20:55:30") == ["08/24/2024"]
