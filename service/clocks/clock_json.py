"""The JSON form of a game's clock as it is stored beside the game, with instants and durations in milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from engine.clock.terms import Terms
from service.clocks.game_clock import IN_TIME, GameClock, Late, Segment, Stretch, Word
from service.clocks.quiet_times import Interval, Schedule, Window

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_QUARTER = 15

Object = dict[str, Any]
"""A JSON object."""


def to_json(clock: GameClock) -> Object:
    """Return a clock's JSON object without the terms; parts that have not changed since the start are left out."""
    data: Object = {
        "seats": clock.seats,
        "bots": sorted(clock.bots),
        "banks": [time // _MILLISECOND for time in clock.banks],
        "last": _number(clock.last_at),
        "idle": _number(clock.idle_since),
        "left": sorted(clock.left_seats),
        "autopilot": sorted(clock.autopilot),
        "graced": sorted(clock.graced),
        "words": [[word.seat, word.duration // _MILLISECOND, _number(word.at)] for word in clock.words],
        "pauses": _intervals(clock.pauses),
        "outages": _intervals(clock.outages),
        "not_before": _number(clock.not_before),
        "stretch": None if clock.stretch is None else _stretch_to_json(clock.stretch),
    }
    return {name: value for name, value in data.items() if value not in ([], None)}


def from_json(data: Object, terms: Terms | None, abandoned_after: timedelta) -> GameClock:
    """Return the clock that a JSON object and the terms of its game stand for."""
    stretch = data.get("stretch")
    return GameClock(
        terms=terms,
        abandoned_after=abandoned_after,
        seats=data["seats"],
        bots=frozenset(data.get("bots", ())),
        banks=tuple(map(_duration, data.get("banks", ()))),
        stretch=None if stretch is None else _stretch_from_json(stretch),
        last_at=_instant(data["last"]),
        idle_since=_instant(data["idle"]),
        left_seats=frozenset(data.get("left", ())),
        autopilot=frozenset(data.get("autopilot", ())),
        graced=frozenset(data.get("graced", ())),
        words=tuple(Word(seat, _duration(time), _instant(at)) for seat, time, at in data.get("words", ())),
        pauses=_from_intervals(data.get("pauses", ())),
        outages=_from_intervals(data.get("outages", ())),
        not_before=_optional(data.get("not_before")),
    )


def _stretch_to_json(stretch: Stretch) -> Object:
    data: Object = {
        "seat": stretch.seat,
        "wait": stretch.wait,
        "began": _number(stretch.began_at),
        "since": _number(stretch.since) if stretch.since != stretch.began_at else None,
        "schedule": None if stretch.schedule is None else _schedule_to_json(stretch.schedule),
        "stage": None if stretch.stage == IN_TIME else stretch.stage,
        "allowance": stretch.allowance // _MILLISECOND or None,
        "left": stretch.left // _MILLISECOND if stretch.left != stretch.allowance else None,
        "added": stretch.added // _MILLISECOND or None,
        "by_table": stretch.by_table // _MILLISECOND or None,
        "late": [[_number(begins), _number(ends)] for begins, ends in stretch.late] or None,
        "ran_out": _number(stretch.ran_out_at),
        "before": [_segment_to_json(one) for one in stretch.before] or None,
    }
    return {name: value for name, value in data.items() if value is not None}


def _stretch_from_json(data: Object) -> Stretch:
    began_at = _instant(data["began"])
    allowance = _duration(data.get("allowance", 0))
    schedule = data.get("schedule")
    return Stretch(
        seat=data["seat"],
        wait=data["wait"],
        began_at=began_at,
        since=_optional(data.get("since")) or began_at,
        schedule=None if schedule is None else _schedule_from_json(schedule),
        stage=data.get("stage", IN_TIME),
        left=_duration(data["left"]) if "left" in data else allowance,
        allowance=allowance,
        added=_duration(data.get("added", 0)),
        by_table=_duration(data.get("by_table", 0)),
        late=tuple(Late(_instant(begins), _optional(ends)) for begins, ends in data.get("late", ())),
        ran_out_at=_optional(data.get("ran_out")),
        before=tuple(map(_segment_from_json, data.get("before", ()))),
    )


def _segment_to_json(segment: Segment) -> list[int | None]:
    return [_number(segment.since), segment.left // _MILLISECOND, segment.added // _MILLISECOND]


def _segment_from_json(data: list[int]) -> Segment:
    since, left, added = data
    return Segment(_instant(since), _duration(left), _duration(added))


def _schedule_to_json(schedule: Schedule) -> list[Any]:
    """Return the zone and, for each window, its days as bits and its bounds in quarters of an hour."""
    windows = [
        [sum(1 << day for day in window.days), _quarters(window.begins), _quarters(window.ends)]
        for window in schedule.windows
    ]
    return [schedule.zone, windows]


def _schedule_from_json(data: list[Any]) -> Schedule:
    zone, windows = data
    return Schedule(
        zone,
        tuple(
            Window(frozenset(day for day in range(7) if days >> day & 1), _time(begins), _time(ends))
            for days, begins, ends in windows
        ),
    )


def _intervals(intervals: Sequence[Interval]) -> list[list[int | None]]:
    return [[_number(begin), _number(end)] for begin, end in intervals]


def _from_intervals(data: Iterable[list[int]]) -> tuple[Interval, ...]:
    return tuple((_instant(begin), _instant(end)) for begin, end in data)


def _quarters(at: time) -> int:
    return (at.hour * 60 + at.minute) // _QUARTER


def _time(quarters: int) -> time:
    return time(*divmod(quarters * _QUARTER, 60))


def _number(at: datetime | None) -> int | None:
    return None if at is None else (at - _EPOCH) // _MILLISECOND


def _instant(number: int) -> datetime:
    return _EPOCH + number * _MILLISECOND


def _duration(number: int) -> timedelta:
    return number * _MILLISECOND


def _optional(number: int | None) -> datetime | None:
    return None if number is None else _instant(number)
