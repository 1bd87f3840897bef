"""The time that all machines share: the database's, which each carries on by itself."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection, Engine, event
from sqlalchemy.orm import sessionmaker

from service.store.clock import DatabaseClock, by_sessions

NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)


@dataclass
class Machine:
    """A machine whose own clock is an hour behind the database's."""

    ticks: float = 100.0
    wall: float = NOON.timestamp() - 3600
    database: datetime = NOON
    is_away: bool = False
    asked: int = 0

    def ask(self) -> datetime:
        self.asked += 1
        if self.is_away:
            raise psycopg.OperationalError("away")
        return self.database

    def wait(self, seconds: float) -> None:
        self.ticks += seconds
        self.wall += seconds
        self.database += timedelta(seconds=seconds)

    def clock(self) -> DatabaseClock:
        return DatabaseClock(self.ask, lambda: self.ticks, lambda: self.wall)


def test_the_time_is_the_database_s_and_is_asked_for_now_and_then() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock() == NOON and clock.skew() == timedelta(hours=1)
    machine.wait(29)
    assert clock() == NOON + timedelta(seconds=29) and machine.asked == 1
    machine.wait(2)
    assert clock() == machine.database and machine.asked == 2


def test_the_time_is_cut_to_the_milliseconds_that_are_stored() -> None:
    machine = Machine(database=NOON + timedelta(microseconds=1999))
    assert machine.clock()() == NOON + timedelta(milliseconds=1)
    machine.is_away = True
    machine.wall += 0.0019
    assert machine.clock()() == NOON + timedelta(hours=-1, milliseconds=1)


def test_a_clock_that_is_set_here_changes_nothing() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock() == NOON
    for step in (86_400, -172_800):
        machine.wall += step
        machine.wait(1)
        assert clock() == machine.database


def test_a_suspended_machine_asks_at_once() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock() == NOON
    machine.wall += 3600
    machine.database += timedelta(hours=1)  # while its ticks stood still
    assert clock() == machine.database


def test_a_database_that_is_away_is_reckoned_for() -> None:
    machine = Machine(is_away=True)
    clock = machine.clock()
    assert clock() == NOON - timedelta(hours=1), "its own, as nothing is known yet"
    for _ in range(9):
        clock()
    assert machine.asked == 1
    machine.is_away = False
    machine.wait(6)
    assert clock() == machine.database
    machine.is_away = True
    machine.wall += 500
    machine.wait(40)
    for _ in range(9):
        assert clock() == machine.database
    assert machine.asked == 3


def test_a_real_database_tells_its_time(engine: Engine) -> None:
    states: list[TransactionStatus] = []

    @event.listens_for(engine, "after_cursor_execute")
    def note(connection: Connection, *_: object) -> None:
        driven = connection.connection.driver_connection
        assert isinstance(driven, psycopg.Connection)
        states.append(driven.info.transaction_status)

    clock = by_sessions(sessionmaker(engine))
    assert abs(clock() - datetime.now(UTC)) < timedelta(seconds=30) and clock().tzinfo is UTC
    assert states == [TransactionStatus.IDLE], "nothing else is sent beside the question"
