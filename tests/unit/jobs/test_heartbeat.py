"""When a worker counts as dead, and when it kills itself: by ticks that a test makes, not by time that passes."""

import os
import time
from types import SimpleNamespace

import pytest

from service.jobs import heartbeat
from service.jobs.heartbeat import INTERVAL, SILENCE, STALLED, Heartbeat, Watchdog


class Ticks:
    """The ticks of a watchdog in place of its event: at some of them the worker has a heartbeat."""

    def __init__(self, beating: Heartbeat, signs: tuple[int, ...], most: int) -> None:
        self.number, self.seconds = 0, 0.0
        self._beating, self._signs, self._most = beating, signs, most

    def wait(self, seconds: float) -> bool:
        self.number += 1
        self.seconds += seconds
        if self.number in self._signs:
            self._beating.sign(time.monotonic())
        return self.number > self._most


class Ended(BaseException):
    """The end of the process."""


def ends_after(monkeypatch: pytest.MonkeyPatch, *signs: int, most: int = 100) -> float | None:
    """Return after how many seconds a worker kills itself that has a heartbeat at these ticks; None: it does not."""

    def end(code: int) -> None:
        assert code == 1
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    beating = Heartbeat()
    watchdog, ticks = Watchdog(beating), Ticks(beating, signs, most)
    monkeypatch.setattr(watchdog, "_over", ticks)
    try:
        watchdog._watch()
    except Ended:
        return ticks.seconds
    return None


def test_a_worker_without_a_heartbeat_kills_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends_after(monkeypatch) == SILENCE
    assert ends_after(monkeypatch, most=29) is None


def test_each_heartbeat_gives_a_worker_the_whole_time_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ends_after(monkeypatch, 20) == 20 + SILENCE
    assert ends_after(monkeypatch, 20, 40, 69) == 69 + SILENCE
    assert ends_after(monkeypatch, *range(29, 100, 29)) is None


def test_a_worker_counts_as_dead_before_others_take_over_and_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: now))
    beating = Heartbeat()
    beating.begin(now)
    now += 2 * INTERVAL
    assert not beating.counts_as_dead
    beating.sign(now - 1)
    now += STALLED - 3  # the last one was sent two seconds before others may take its jobs
    assert not beating.counts_as_dead
    now += 0.5
    assert beating.counts_as_dead
    beating.sign(now)
    assert beating.counts_as_dead and beating.signs == 2


def test_a_heartbeat_in_time_keeps_a_worker_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(heartbeat, "time", SimpleNamespace(monotonic=lambda: now))
    beating = Heartbeat(pace=0.5)
    assert (beating.interval, beating.stalled, beating.silence) == (INTERVAL / 2, STALLED / 2, SILENCE / 2)
    for _ in range(100):
        now += beating.interval
        beating.sign(now)
    assert not beating.counts_as_dead
    now += beating.stalled
    assert beating.counts_as_dead
