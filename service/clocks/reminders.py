"""Plan the reminders of the player to move, and combine those within an hour (CLOCKS.md 5). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from engine.clock.durations import parse as parse_duration
from engine.clock.durations import render
from engine.clock.errors import ClockError
from engine.phrases import phrase
from service.clocks.game_clock import IN_TIME, GameClock, Segment, Stretch
from service.clocks.quiet_times import Interval, Schedule, is_quiet, quiet
from service.clocks.reckoning import pause_end, runs_out_at, still
from service.clocks.seats import SeatFacts
from service.clocks.standstills import reached

HALF = "half"
DEFAULT = (HALF, "PT24H", "PT3H")
"""The points of a player who has chosen none (5.1)."""

MOST = 5
LEAST_LEFT, MOST_LEFT = timedelta(hours=1), timedelta(days=14)

SOON = timedelta(hours=1)
"""A reminder due sooner after the beginning is dropped (5.4); one due sooner after another goes into its mail (5.3)."""

BEFORE = timedelta(minutes=15)
"""How long before quiet times a reminder is sent that would fall into them (5.5)."""

_LONGEST_QUIET = timedelta(days=7)
_MILLISECOND = timedelta(milliseconds=1)


class Chosen(NamedTuple):
    """A point that a player chose, "half" or the time left, and when it was chosen (5.1, 5.6)."""

    which: str
    since: datetime


class Planned(NamedTuple):
    """A reminder that will be sent, if nothing changes.

    Attributes:
        seat: the seat of the player who gets it.
        which: the point as the player chose it.
        due: when the clock reaches that point.
        at: when it is to be sent.
    """

    seat: int
    which: str
    due: datetime
    at: datetime


def parse(points: object) -> tuple[str, ...]:
    """Return the points that a player chooses, in their shortest spelling (5.1).

    Raises:
        ClockError: there are more than five, one comes twice, or one does not exist; code `bad_reminders`,
            `bad_duration` or `out_of_bounds`.
    """
    if not isinstance(points, list) or len(points) > MOST:
        raise ClockError(
            "bad_reminders", phrase("Reminders are a list of up to %(most)s points.", most=MOST), "reminders"
        )
    known: set[object] = set()
    for number, point in enumerate(points):
        field = f"reminders.{number}"
        value = point if point == HALF else parse_duration(point, field)
        if isinstance(value, timedelta) and not LEAST_LEFT <= value <= MOST_LEFT:
            bounds = phrase(
                "The least here is %(least)s, the most %(most)s.", least=render(LEAST_LEFT), most=render(MOST_LEFT)
            )
            raise ClockError("out_of_bounds", bounds, field)
        if value in known:
            raise ClockError("bad_reminders", "This point is in the list already.", field)
        known.add(value)
    return tuple(points)


def reminders(
    clock: GameClock, facts: Sequence[SeatFacts], chosen: Iterable[Chosen], sent: Mapping[str, datetime], at: datetime
) -> list[Planned]:
    """Return the reminders of the player to move that are still to be sent in this stretch.

    Args:
        clock: the clock.
        facts: the facts of the seats.
        chosen: the points that this player has chosen.
        sent: the points that were sent in this stretch, with the time of the last mail.
        at: when the clock, the facts or the choice last changed: nothing could be foreseen before (5.5), and a reminder
            that was not sent before is sent then at the earliest.
    """
    stretch = clock.runs()
    ends = runs_out_at(clock, facts)
    if stretch is None or ends is None or stretch.stage != IN_TIME:
        return []
    planned = []
    for which, since in chosen:
        due = _due(clock, stretch, facts, which, sent.get(which))
        if due is None or due < since or due - stretch.began_at < SOON:
            continue
        known = max(at, stretch.since, since)
        sending = _sending(clock, stretch, facts[stretch.seat].schedule, due, known, at)
        if sending < ends:
            planned.append(Planned(stretch.seat, which, due, sending))
    return sorted(planned, key=lambda one: (one.at, one.due))


def _due(
    clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts], which: str, sent_at: datetime | None
) -> datetime | None:
    """Return when the clock reaches or last reached a point; None if it never does, or if that was sent (5.1, 5.6)."""
    for since, left, added in reversed((*stretch.before, Segment(stretch.since, stretch.left, stretch.added))):
        if which == HALF:
            rest, most = stretch.allowance // _MILLISECOND // 2 * _MILLISECOND + added, left
        else:
            rest = parse_duration(which)
            most = min(left, stretch.allowance)
        if rest < most:
            again = which != HALF and added and sent_at is not None and sent_at < since
            if sent_at is not None and not again:
                return None
            return reached(still(clock, stretch, facts, since), since, left - rest)
    return None


def _sending(
    clock: GameClock, stretch: Stretch, schedule: Schedule, due: datetime, known: datetime, at: datetime
) -> datetime:
    """Return when a reminder is sent, not before `at`: outside the current quiet times, and not in a pause (5.5).

    `known` is the time since which the clock has been expected to go on as it is.
    """
    sending = due
    if is_quiet(schedule, due):
        begins, sending = _quiet_around(schedule, due)
        stopped = stretch.schedule is not None and is_quiet(stretch.schedule, due)
        if begins - BEFORE >= known and not stopped:
            sending = begins - BEFORE
    sending = max(sending, at)
    while (end := pause_end(clock, sending)) is not None or is_quiet(schedule, sending):
        sending = end or _quiet_around(schedule, sending)[1]
    return sending


def _quiet_around(schedule: Schedule, at: datetime) -> Interval:
    """Return the whole quiet time that includes an instant."""
    around = quiet(schedule, at - _LONGEST_QUIET, at + _LONGEST_QUIET)
    return next((begin, end) for begin, end in around if begin <= at < end)


_Item = TypeVar("_Item")


def together(planned: Iterable[tuple[datetime, _Item]]) -> list[tuple[datetime, list[_Item]]]:
    """Return the mails of one player, each with all reminders due less than an hour after its first (5.3).

    Args:
        planned: the player's reminders at any table, each with its instant.
    """
    mails: list[tuple[datetime, list[_Item]]] = []
    for at, item in sorted(planned, key=lambda pair: pair[0]):
        if mails and at - mails[-1][0] < SOON:
            mails[-1][1].append(item)
        else:
            mails.append((at, [item]))
    return mails
