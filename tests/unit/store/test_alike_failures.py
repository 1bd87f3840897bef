"""Failures of several parts are one failure if they begin and end within a minute of one another."""

from datetime import timedelta

import pytest

from service.store.signs import RELAY, WEB, Failure
from tests.support.clock import NOW

MINUTE, HOUR, TICK = timedelta(minutes=1), timedelta(hours=1), timedelta(milliseconds=1)
FAILURE = Failure((7,), (WEB,), NOW, NOW + HOUR)


@pytest.mark.parametrize("begins", [-MINUTE, MINUTE])
@pytest.mark.parametrize("ends", [-MINUTE, MINUTE])
def test_failures_within_a_minute_are_one(begins: timedelta, ends: timedelta) -> None:
    other = Failure((3,), (RELAY,), NOW + begins, NOW + HOUR + ends)
    together = FAILURE.with_alike(other)
    assert together == ((7, 3), (RELAY, WEB), min(NOW, NOW + begins), max(NOW + HOUR, NOW + HOUR + ends))


@pytest.mark.parametrize(("begins", "ends"), [(-MINUTE - TICK, 0 * TICK), (0 * TICK, MINUTE + TICK)])
def test_failures_further_apart_are_two(begins: timedelta, ends: timedelta) -> None:
    assert FAILURE.with_alike(Failure((3,), (RELAY,), NOW + begins, NOW + HOUR + ends)) is None
