"""Durations in days, hours and minutes (CLOCKS.md 1.2)."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock.durations import parse, render
from engine.clock.errors import ClockError


@pytest.mark.parametrize(
    ("text", "duration", "shortest"),
    [
        ("P5D", timedelta(days=5), "P5D"),
        ("PT36H", timedelta(hours=36), "P1DT12H"),
        ("P1DT12H", timedelta(hours=36), "P1DT12H"),
        ("PT90M", timedelta(minutes=90), "PT1H30M"),
        ("PT23H30M", timedelta(hours=23, minutes=30), "PT23H30M"),
        ("P1DT1M", timedelta(days=1, minutes=1), "P1DT1M"),
        ("PT0M", timedelta(0), "PT0M"),
        ("P0D", timedelta(0), "PT0M"),
        ("PT0H", timedelta(0), "PT0M"),
        ("P007D", timedelta(days=7), "P7D"),
    ],
)
def test_clocks_1_2_days_hours_and_minutes_in_the_shortest_form(text: str, duration: timedelta, shortest: str) -> None:
    assert parse(text) == duration
    assert render(duration) == shortest


@pytest.mark.parametrize(
    "text",
    [
        *("", "P", "PT", "P1DT", "P1W", "P1M", "P1Y", "PT1S", "-P1D", "+P1D", "P-1D", "P1.5D", "P1,5D", "p1d", "P1D "),
        *("P1DT12", "PT5M3H", "P1H", "P1D\n", "P１D", "P1234567D", None, 3, True, ["P1D"], {"P1D": 1}),
    ],
)
def test_clocks_1_2_other_spellings_are_refused_by_name(text: object) -> None:
    with pytest.raises(ClockError) as refused:
        parse(text, "clock.per_wait")
    assert (refused.value.code, refused.value.field) == ("bad_duration", "clock.per_wait")


@given(st.integers(0, 10**8))
def test_clocks_1_2_each_duration_is_read_as_it_is_written(minutes: int) -> None:
    duration = timedelta(minutes=minutes)
    assert parse(render(duration)) == duration


@given(st.integers(0, 10**8), st.integers(0, 59_999))
def test_clocks_10_3_a_duration_is_cut_to_minutes_never_rounded_up(minutes: int, milliseconds: int) -> None:
    assert render(timedelta(minutes=minutes, milliseconds=milliseconds)) == render(timedelta(minutes=minutes))


def test_a_negative_duration_is_written_as_zero() -> None:
    assert render(timedelta(milliseconds=-1)) == render(timedelta(days=-3)) == "PT0M"
