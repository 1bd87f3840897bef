"""Commands that are refused because of who asks or how the table stands: each has its code, and changes nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands import calendars, host, keep, talk
from service.commands.accounts import delete_account
from service.commands.play import play
from service.errors import Refusal
from tests.support import clocked, world
from tests.support.clock import NOW
from tests.support.clocked import AUTOPILOT, DAY, HOUR, START
from tests.support.world import KEYS

_COUNT = text("SELECT (SELECT count(*) FROM log), (SELECT count(*) FROM messages), (SELECT count(*) FROM notes)")


@contextmanager
def refused(session: Session, code: str) -> Iterator[None]:
    before = session.execute(_COUNT).one()
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code and session.execute(_COUNT).one() == before


@pytest.fixture
def people(session: Session) -> list[str]:
    return [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]


@pytest.mark.parametrize("write", [talk.say, talk.note])
def test_only_players_write_at_a_table(session: Session, people: list[str], write: Callable[..., object]) -> None:
    table = world.match(session, *people[:2])
    with refused(session, "not_found"):
        write(session, "NoSuchTabLe2", people[0], "Hello", NOW)
    with refused(session, "not_at_the_table"):
        write(session, table, people[2], "Hello", NOW)
    for unfit in ("", " ", "a" * 501, "\u2800"):
        with refused(session, "text_unfit"):
            write(session, table, people[0], unfit, NOW)
    write(session, table, people[0], "Hello", NOW)


def test_nobody_hears_what_is_said_alone(session: Session, people: list[str]) -> None:
    solo = world.solo(session, people[0])
    with refused(session, "alone"):
        talk.say(session, solo, people[0], "Hello", NOW)
    assert talk.note(session, solo, people[0], "Hello", NOW).text == "Hello"


def test_the_host_gives_time_only_where_a_persons_clock_runs(session: Session, people: list[str]) -> None:
    without = world.match(session, *people[:2])
    seat = world.loaded(session, without).state.turn or 0
    with refused(session, "no_clock"):
        host.give_time(session, without, seat, DAY, "ill", START)
    game = clocked.match(session, *people, terms=AUTOPILOT)
    seat = world.loaded(session, game).state.turn or 0
    clocked.settle(session, game, START + DAY)
    clocked.settle(session, game, START + DAY + HOUR)
    with refused(session, "on_autopilot"):
        host.give_time(session, game, seat, DAY, "ill", START + DAY + HOUR)


def test_the_host_puts_out_only_who_is_there(session: Session, people: list[str]) -> None:
    game = clocked.match(session, *people)
    play(session, world.loaded(session, game), 1, RESIGN, None, START)
    for seat in (-1, 1, 3):
        with refused(session, "has_left"):
            host.put_out(session, game, seat, "rude", START)
    assert clocked.kinds(host.put_out(session, game, 2, "rude", START))[-2:] == ["host.out", "timeout"]


def test_only_who_still_plays_keeps_a_running_game(session: Session, people: list[str]) -> None:
    game = world.match(session, *people)
    play(session, world.loaded(session, game), 1, RESIGN, None, START)
    with refused(session, "has_left"):
        keep.keep(session, world.loaded(session, game), 1, START)
    host.end(session, game, "asked for", START)
    with refused(session, "not_running"):
        keep.keep(session, world.loaded(session, game), 0, START)


def test_a_game_is_kept_five_times_a_day(session: Session, people: list[str]) -> None:
    game = world.match(session, *people)
    for hour in range(5):
        keep.keep(session, world.loaded(session, game), 0, START + hour * HOUR)
    with refused(session, "too_often"):
        keep.keep(session, world.loaded(session, game), 0, START + DAY - HOUR / 3600)
    keep.keep(session, world.loaded(session, game), 1, START + DAY - HOUR / 3600)
    keep.keep(session, world.loaded(session, game), 0, START + DAY)


def test_a_deleted_account_has_no_calendar(session: Session, people: list[str]) -> None:
    assert [calendars.renew(session, people[0]) for _ in range(2)] == [1, 2]
    delete_account(session, KEYS, people[0], NOW)
    with refused(session, "account_gone"):
        calendars.renew(session, people[0])
