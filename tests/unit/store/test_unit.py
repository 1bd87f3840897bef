"""The unit of work: all or nothing, and one transaction however deep the calls."""

import pytest
from flask import Flask
from psycopg.errors import DeadlockDetected, SerializationFailure
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from service.store.base import db
from service.store.unit import repeated, transaction

INSERT = text("INSERT INTO accounts (id, created_at) VALUES (:id, now())")


def ids(app: Flask) -> list[str]:
    with app.app_context():
        return list(db.session.scalars(text("SELECT id FROM accounts ORDER BY id")))


def test_a_block_commits_at_its_end(app: Flask) -> None:
    with app.app_context(), transaction() as session:
        session.execute(INSERT, {"id": "a"})
        assert ids(app) == []
    assert ids(app) == ["a"]


def test_an_exception_undoes_all_and_the_next_block_is_whole(app: Flask) -> None:
    with app.app_context():
        with pytest.raises(RuntimeError), transaction() as session:
            session.execute(INSERT, {"id": "a"})
            raise RuntimeError
        with transaction() as session:
            session.execute(INSERT, {"id": "b"})
    assert ids(app) == ["b"]


def test_an_inner_block_is_part_of_the_outer_one(app: Flask) -> None:
    with app.app_context():
        with pytest.raises(RuntimeError), transaction() as outer:
            with transaction() as inner:
                assert inner is outer
                inner.execute(INSERT, {"id": "a"})
            raise RuntimeError
        with transaction() as outer:
            with transaction() as inner:
                inner.execute(INSERT, {"id": "b"})
            assert ids(app) == []
    assert ids(app) == ["b"]


def test_an_inner_exception_undoes_what_was_done_before_at_once(app: Flask) -> None:
    with app.app_context(), transaction() as outer:
        outer.execute(INSERT, {"id": "a"})
        with pytest.raises(RuntimeError), transaction() as inner:
            inner.execute(INSERT, {"id": "b"})
            raise RuntimeError
        outer.execute(INSERT, {"id": "c"})
    assert ids(app) == ["c"]


def test_work_that_a_deadlock_broke_is_done_again(app: Flask) -> None:
    tries = iter([DeadlockDetected(), OperationalError("INSERT", None, SerializationFailure()), None])

    def work() -> str:
        with transaction() as session:
            session.execute(INSERT, {"id": "a"})
            if error := next(tries):
                raise error
        return "done"

    with app.app_context():
        assert repeated(work) == "done"
    assert ids(app) == ["a"]


def test_work_that_has_committed_is_not_done_again(app: Flask) -> None:
    def work() -> None:
        with transaction() as session:
            session.execute(INSERT, {"id": "a"})
        raise DeadlockDetected

    with app.app_context(), pytest.raises(DeadlockDetected):
        repeated(work)
    assert ids(app) == ["a"]


def test_a_session_that_was_broken_outside_a_block_is_usable_again(app: Flask) -> None:
    tries = iter(["40P01", None])

    def work() -> object:
        code = next(tries)
        if code is not None:
            db.session.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '{code}'; END $$"))
        return db.session.scalar(text("SELECT 'read'"))

    with app.app_context():
        assert repeated(work) == "read"
