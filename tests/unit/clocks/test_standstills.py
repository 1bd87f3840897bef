"""Charged time (CLOCKS.md 1.4, 1.5, 2.2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from service.clocks.quiet_times import Interval, Schedule, quiet
from service.clocks.standstills import charged, reached
from tests.unit.clocks.test_quiet_times import INSTANTS, schedules

BEGIN = datetime(2026, 5, 4, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@st.composite
def intervals(draw: st.DrawFn) -> list[Interval]:
    """Draw times in which a clock stands still, in the order of their beginnings; they overlap, touch, or are empty."""
    found = []
    for _ in range(draw(st.integers(0, 6))):
        begin = BEGIN + draw(st.integers(-50, 300)) * MINUTE
        found.append((begin, begin + draw(st.integers(0, 90)) * MINUTE))
    return sorted(found)


def minute_by_minute(still: list[Interval], since: datetime, until: datetime) -> timedelta:
    running, at = timedelta(0), since
    while at < until:
        running += timedelta(0) if any(begin <= at < end for begin, end in still) else MINUTE
        at += MINUTE
    return running


@given(intervals(), st.integers(0, 300))
def test_clocks_2_2_two_reasons_at_once_are_one_standstill(still: list[Interval], minutes: int) -> None:
    until = BEGIN + minutes * MINUTE
    assert charged(still, BEGIN, until) == minute_by_minute(still, BEGIN, until)


@given(intervals(), st.lists(st.integers(0, 300), min_size=1))
def test_clocks_1_5_charged_time_is_the_sum_of_its_parts(still: list[Interval], cuts: list[int]) -> None:
    instants = [BEGIN, *sorted(BEGIN + cut * MINUTE for cut in cuts)]
    parts = [charged(still, since, until) for since, until in pairwise(instants)]
    assert sum(parts, timedelta()) == charged(still, BEGIN, instants[-1])


@given(intervals(), st.integers(0, 300))
def test_clocks_6_2_reached_is_the_first_instant_with_so_much_charged(still: list[Interval], minutes: int) -> None:
    amount = minutes * MINUTE
    at = reached(still, BEGIN, amount)
    assert charged(still, BEGIN, at) == amount
    if amount:
        assert charged(still, BEGIN, at - timedelta(milliseconds=1)) < amount


@given(schedules(), INSTANTS, st.integers(0, 90 * 24 * 60))
def test_clocks_3_2_time_is_charged_outside_quiet_times_alone(
    schedule: Schedule, since: datetime, minutes: int
) -> None:
    at = reached(quiet(schedule, since), since, minutes * MINUTE)
    quiet_time = sum((end - begin for begin, end in quiet(schedule, since, at)), timedelta())
    assert at - since - quiet_time == minutes * MINUTE
    assert charged(quiet(schedule, since), since, at) == minutes * MINUTE


def test_nothing_is_charged_backwards() -> None:
    assert charged([], BEGIN, BEGIN - MINUTE) == timedelta(0)
    assert reached([(BEGIN, BEGIN + MINUTE)], BEGIN, timedelta(0)) == BEGIN
