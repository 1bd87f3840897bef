"""What a sentence about a clock is made of: until when, and why, it stands still, for each reader."""

from datetime import datetime

import pytest
from sqlalchemy.orm import Session

from service.clocks.absences import Period
from service.commands import absences, host, quiet_times
from service.language.clock_words import clock_line
from service.language.languages import ENGLISH
from service.language.people import People
from service.queries import clock_shown, game_clock
from tests.support import clocked, world
from tests.support.clocked import DAY, HOUR, START

NIGHTS = [{"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "22:00", "to": "07:00"}]


@pytest.fixture
def people(session: Session) -> list[str]:
    return [world.account(session, name) for name in ("Ann", "Ben")]


@pytest.fixture
def game(session: Session, people: list[str]) -> str:
    return clocked.match(session, *people)


def until(session: Session, game: str, now: datetime) -> dict[str, tuple[datetime | None, str | None, tuple[str, ...]]]:
    """Return until when and why the clock stands still, for its player, another one, and who is not at the table."""
    table = world.loaded(session, game)
    seat = table.state.turn
    assert seat is not None
    told = {}
    for reader, viewer in (("own", seat), ("other", 1 - seat), ("none", None)):
        clock = clock_shown.shown(table, viewer, now)
        assert clock is not None
        told[reader] = (clock.stands_still_until, clock.stands_still_because, clock.then_because)
    return told


def test_clocks_4_3_others_are_told_the_end_of_a_prolonged_absence(session: Session, game: str) -> None:
    mover = clocked.mover(session, game)
    absences.announce(session, mover, Period(None, START + 5 * DAY), START)
    absences.announce(session, mover, Period(None, START + 9 * DAY), START, may_prolong=True)
    told = until(session, game, START + 2 * DAY)
    assert told["own"] == told["other"] == (START + 9 * DAY, "absent", ())
    assert told["none"] == (None, None, ())


def test_clocks_4_5_the_table_is_told_who_will_be_away(session: Session, game: str, people: list[str]) -> None:
    waiting = next(each for each in people if each != clocked.mover(session, game))
    for ends in (5, 9):
        absences.announce(session, waiting, Period(None, START + ends * DAY), START, may_prolong=True)
    absences.announce(session, waiting, Period(START + 12 * DAY, START + 14 * DAY), START)
    table = world.loaded(session, game)
    for viewer, told in ((0, 1), (1, 1), (None, 0)):
        clock = clock_shown.shown(table, viewer, START)
        assert clock is not None and len(clock.away) == told
        assert all(each[1:] == (START + DAY / 2, START + 9 * DAY) for each in clock.away)


def test_clocks_7_2_a_pause_and_an_absence_after_it_are_one_standstill(session: Session, game: str) -> None:
    absences.announce(session, clocked.mover(session, game), Period(None, START + 9 * DAY), START)
    host.pause(session, game, START + 3 * DAY, "maintenance", START + DAY)
    told = until(session, game, START + 2 * DAY)
    assert told["own"] == told["other"] == (START + 9 * DAY, "paused", ("absent",))
    assert told["none"] == (START + 3 * DAY, "paused", ())


def test_clocks_11_2_others_are_told_nothing_of_quiet_times(session: Session, people: list[str]) -> None:
    for person in people:
        quiet_times.change(session, person, "UTC", NIGHTS, START)
    game = clocked.match(session, *people)
    host.pause(session, game, START + 4 * HOUR, "maintenance", START + HOUR)  # until 00:56
    told = until(session, game, START + 3 * HOUR)
    assert told["own"] == (START.replace(day=28, hour=7, minute=0, second=0, microsecond=0), "paused", ("quiet",))
    assert told["other"] == told["none"] == (START + 4 * HOUR, "paused", ())


def test_clocks_7_2_a_pause_after_the_time_was_up_holds_the_step_back(session: Session, game: str) -> None:
    host.pause(session, game, START + 6 * DAY, "maintenance", START + DAY + HOUR / 12)
    now = START + 2 * DAY
    table = world.loaded(session, game)
    seat = table.state.turn
    shown = game_clock.view(table, now, seat)
    assert shown["next"] == {"step": "nudge", "at": "2026-12-03T20:56:00.123Z"}
    for reader, told in ((seat, "Your time is up."), (1 - (seat or 0), "is up.")):
        clock = clock_shown.shown(table, reader, now)
        assert clock is not None
        line = clock_line(clock, People(("Ann", "Ben"), reader, ENGLISH), "UTC")
        assert told in line and "left" not in line
        assert "The next step comes at the end of the pause: Thursday 2" in line
    assert clocked.kinds(clocked.settle(session, game, START + 6 * DAY))[-1] == "clock.nudge"
