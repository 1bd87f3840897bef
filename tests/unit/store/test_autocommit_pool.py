"""The pool of autocommit connections, when the server has closed some of them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import psycopg
import pytest

from service.store.autocommit_pool import AutocommitPool

_PID = "SELECT pg_backend_pid()"

_BREAKING = """
CREATE SEQUENCE tries;
CREATE FUNCTION third_time() RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
    IF nextval('tries') < 3 THEN
        RAISE EXCEPTION 'broken' USING ERRCODE = 'deadlock_detected';
    END IF;
    RETURN currval('tries');
END $$
"""


@pytest.fixture
def pool(database_url: str) -> Iterator[AutocommitPool]:
    connect: partial[psycopg.Connection[Any]] = partial(psycopg.connect, database_url, autocommit=True)
    pool = AutocommitPool(connect, 3)
    yield pool
    pool.close()


@pytest.fixture
def ended(pool: AutocommitPool, owner_url: str) -> set[int]:
    """Return the server processes of three free connections, which all have ended."""
    taken = [pool._taken() for _ in range(3)]
    for each in taken:
        pool._give_back(each)
    pids = {each.connection.info.backend_pid for each in taken}
    with psycopg.connect(owner_url, autocommit=True) as owner:
        for pid in pids:
            owner.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
    return pids


def test_a_read_is_run_again_on_a_new_connection(pool: AutocommitPool, ended: set[int]) -> None:
    [pid] = pool.read(_PID, {})
    assert pid not in ended
    assert pool.read(_PID, {}) == (pid,), "the others that had ended were closed"


def test_a_write_is_not_sent_on_a_connection_that_has_ended(pool: AutocommitPool, ended: set[int]) -> None:
    [pid] = pool.write(_PID, {}, wakes=False)
    assert pid not in ended and pool.read(_PID, {}) == (pid,)


def test_a_statement_that_fails_leaves_its_connection_usable(pool: AutocommitPool) -> None:
    [pid] = pool.read(_PID, {})
    with pytest.raises(psycopg.errors.DivisionByZero):
        pool.read("SELECT 1 / 0", {})
    assert pool.read(_PID, {}) == (pid,)


def test_no_more_connections_are_kept_than_it_says(pool: AutocommitPool) -> None:
    taken = [pool._taken() for _ in range(4)]
    for each in taken:
        pool._give_back(each)
    assert [each.connection.closed for each in taken] == [False, False, False, True]


def test_a_write_that_a_deadlock_broke_is_run_again(pool: AutocommitPool, owner_url: str) -> None:
    with psycopg.connect(owner_url) as owner:
        owner.execute(_BREAKING)
    assert pool.write("SELECT third_time()", {}, wakes=False) == (3,)
