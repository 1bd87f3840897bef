"""The paragraph about a game's clock: its line, and who is away or will be (CLOCKS.md 4.5, 10.2)."""

from __future__ import annotations

from service.language.clock_words import Away, ClockShown, clock_line
from service.language.durations import instant
from service.language.languages import Reader
from service.language.people import People


def clock_text(clock: ClockShown, people: People, zone: str, *, stays: bool = False) -> str:
    """Return sentences about the clock for its reader, and about the players' absences, with times in a zone.

    `stays` is as in `clock_line`.
    """
    reader = Reader(people.language, zone)
    away = [_away(each, clock, people, reader) for each in clock.away if not _is_told(each, clock)]
    return " ".join(filter(None, [clock_line(clock, people, zone, stays=stays), *away]))


def _is_told(away: Away, clock: ClockShown) -> bool:
    """Return whether the line of the clock says that it stands still because of this absence."""
    return away.seat == clock.seat and "absent" in (clock.stands_still_because, *clock.then_because)


def _away(away: Away, clock: ClockShown, people: People, reader: Reader) -> str:
    say, mine = people.language.say, away.seat == people.reader
    name, ends = people.called(away.seat), instant(away.ends, clock.at, reader)
    if away.begins <= clock.at:
        return (
            say("You are away until %(ends)s.", ends=ends)
            if mine
            else say("%(name)s is away until %(ends)s.", name=name, ends=ends)
        )
    begins = instant(away.begins, clock.at, reader)
    if mine:
        return say("You are away from %(begins)s until %(ends)s.", begins=begins, ends=ends)
    return say("%(name)s is away from %(begins)s until %(ends)s.", name=name, begins=begins, ends=ends)
