"""How many slots somebody has at a time is limited for all processes together, whatever becomes of one of them."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine, text

from service.store import slots
from service.store.autocommit_pool import AutocommitPool
from service.store.prepared_statements import Arguments, Rows
from service.store.slots import DOWNLOADS, STREAMS, Slots
from tests.support.running import eventually
from tests.support.web import KEYS

Process = Callable[[], Slots]


@pytest.fixture
def pool(database_url: str) -> Iterator[AutocommitPool]:
    pool = AutocommitPool(lambda: psycopg.connect(database_url, autocommit=True), 4)
    yield pool
    pool.close()


class LosingAnswers:
    """Statements of a pool of which the first that gives slots back is carried out, but its answer is lost.

    `left` has the number of open streams after each statement that gives slots back.
    """

    def __init__(self, pool: AutocommitPool) -> None:
        self._pool = pool
        self.left: list[int] = []

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        return self._pool.rows(statement, arguments)

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        return self._pool.read(statement, arguments)

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        row = self._pool.write(statement, arguments, wakes=wakes)
        if statement == slots._GIVE_BACK:
            self.left.append(open_streams(self._pool))
            if len(self.left) == 1:
                raise psycopg.OperationalError("lost")
        return row


@pytest.fixture
def process(pool: AutocommitPool) -> Iterator[Process]:
    """Yield a function that returns the slots of a new process."""
    made: list[Slots] = []

    def make() -> Slots:
        made.append(Slots(pool, KEYS[0]))
        return made[-1]

    yield make
    for each in made:
        each.close()
    eventually(lambda: pool.read("SELECT count(*) FROM slot_processes WHERE seen_at > clock_timestamp()", {})[0] == 0)


def open_streams(pool: AutocommitPool) -> int:
    return int(pool.read(slots.COUNT, {})[0])


def test_all_processes_together_have_as_many_as_one(process: Process, pool: AutocommitPool) -> None:
    one, other = process(), process()
    assert [each.take(STREAMS, "ann", 3) for each in (one, other, one, other, one)] == [True] * 3 + [False] * 2
    assert other.take(STREAMS, "ben", 3)
    assert other.take(DOWNLOADS, "ann", 1)
    assert open_streams(pool) == 4
    one.give_back(STREAMS, "ann")
    eventually(lambda: other.take(STREAMS, "ann", 3))
    assert not one.take(STREAMS, "ann", 3)


def test_what_is_given_back_can_be_taken_at_once_again(process: Process) -> None:
    one = process()
    assert one.take(STREAMS, "ann", 1)
    for _ in range(20):
        assert not one.take(STREAMS, "ann", 1)
        one.give_back(STREAMS, "ann")
        assert one.take(STREAMS, "ann", 1)


def test_zero_is_no_limit_and_is_counted(process: Process, pool: AutocommitPool) -> None:
    one = process()
    assert all(one.take(STREAMS, "ann", 0) for _ in range(5))
    assert open_streams(pool) == 5
    for _ in range(5):
        one.give_back(STREAMS, "ann")
    eventually(lambda: open_streams(pool) == 0)
    assert pool.read("SELECT count(*) FROM slots", {}) == (0,)


def test_a_process_that_was_not_seen_counts_for_nothing(
    process: Process, pool: AutocommitPool, owner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "_BEATS_EVERY", 3600.0)
    one, other = process(), process()
    assert one.take(STREAMS, "ann", 1)
    assert not other.take(STREAMS, "ann", 1)

    def is_forgotten() -> bool:
        with owner.begin() as connection:
            connection.execute(text("UPDATE slot_processes SET seen_at = seen_at - interval '6 seconds'"))
        return open_streams(pool) == 0

    eventually(is_forgotten)  # the first beat of either may come late
    assert other.take(STREAMS, "ann", 1)


@pytest.mark.parametrize("beats", [3600.0, 0.1])
def test_after_a_crash_of_the_database_all_is_written_down_again(
    process: Process, pool: AutocommitPool, owner: Engine, monkeypatch: pytest.MonkeyPatch, beats: float
) -> None:
    monkeypatch.setattr(slots, "_BEATS_EVERY", beats)
    one = process()
    assert one.take(STREAMS, "ann", 3)
    assert one.take(STREAMS, "ben", 3)
    with owner.begin() as connection:
        connection.execute(text("TRUNCATE slots, slot_processes"))
    if beats > 1:
        assert one.take(STREAMS, "ann", 3)
    eventually(lambda: open_streams(pool) == (3 if beats > 1 else 2))


def test_nothing_is_given_back_twice_if_an_answer_is_lost(pool: AutocommitPool) -> None:
    losing = LosingAnswers(pool)
    one = Slots(losing, KEYS[0])
    assert [one.take(STREAMS, "ann", 3) for _ in range(3)] == [True] * 3
    one.give_back(STREAMS, "ann")
    eventually(lambda: len(losing.left) == 1)
    one.give_back(STREAMS, "ann")
    eventually(lambda: len(losing.left) == 2)
    one.close()
    assert losing.left == [2, 1]


def test_a_process_that_ends_gives_everything_back(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_ENDS_WITHIN", 30.0)
    one, other = process(), process()
    before = set(threading.enumerate())
    assert one.take(STREAMS, "ann", 1)
    assert not before.issuperset(threading.enumerate())
    one.close()
    assert before.issuperset(threading.enumerate()), "the process waits until all is written down"
    assert other.take(STREAMS, "ann", 1)
    assert one.take(STREAMS, "ann", 1), "a process that ends refuses nobody"


def test_a_process_without_slots_is_forgotten_and_comes_back(
    process: Process, pool: AutocommitPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "_BEATS_EVERY", 0.01)
    monkeypatch.setattr(slots, "_LINGERS", 1)
    one, other = process(), process()
    for _ in range(3):
        assert one.take(STREAMS, "ann", 1)
        assert not other.take(STREAMS, "ann", 1)
        one.give_back(STREAMS, "ann")
        eventually(lambda: pool.read("SELECT count(*) FROM slot_processes", {}) == (0,))


def test_at_a_replica_a_process_limits_its_own(database_url: str) -> None:
    only_reads = "-c default_transaction_read_only=on"
    pool = AutocommitPool(lambda: psycopg.connect(database_url, autocommit=True, options=only_reads), 1)
    one = Slots(pool, KEYS[0])
    assert [one.take(STREAMS, "ann", 2) for _ in range(3)] == [True, True, False]
    one.give_back(STREAMS, "ann")
    assert one.take(STREAMS, "ann", 2)
    pool.close()


def test_whose_slots_they_are_is_not_stored(process: Process, pool: AutocommitPool) -> None:
    assert process().take(STREAMS, "192.0.2.1", 1)
    [key] = pool.read("SELECT key FROM slots", {})
    assert key.startswith("streams/")
    assert "192.0.2.1" not in key
