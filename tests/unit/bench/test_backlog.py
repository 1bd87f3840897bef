"""The queue that `bench backlog` fills is emptied to its end."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import backlog, emptied, seed, served

JOBS, CLAIMERS = 60, 3
LIMITED = (backlog.BIG, backlog.SMALL, backlog.CLOSED)

MOVE_OUT = text("UPDATE accounts SET email = :email WHERE id = (SELECT min(turn_account) FROM progress)")
"""Whose turn it is depends on the draw, so at least one of the few who live there waits for a mail."""


@pytest.fixture
def engine(owner_url: str) -> Iterator[Engine]:
    """Yield an engine for a fresh database as its owner, because the service's role may not seed it."""
    with served.connected(owner_url) as engine:
        yield engine


def test_each_job_is_had_once_and_none_is_left(engine: Engine, owner_url: str) -> None:
    with Session(engine) as session, session.begin():
        seed.games(session, seed.sign_up(session, 4), 12, 6, 0)
        session.execute(backlog.MOVE_IN)
        session.execute(MOVE_OUT, {"email": f"closed@{backlog.CLOSED}"})
    backlog.queue(engine, JOBS)
    with engine.connect() as connection:
        held = connection.scalar(text("SELECT count(*) FROM procrastinate_jobs WHERE held_for IS NOT NULL"))
    assert held, "those to the closed domain"
    emptied.let_in(engine, LIMITED, 0.3)
    with ThreadPoolExecutor(CLAIMERS) as threads:
        done = [
            each for some in threads.map(emptied.empty, [owner_url] * CLAIMERS, [LIMITED] * CLAIMERS) for each in some
        ]
    assert len(done) == JOBS == len({each.job for each in done})
    assert sum(each.was_held for each in done) >= held
    with engine.connect() as connection:
        states = text("SELECT status::text, attempts, count(*) FROM procrastinate_jobs GROUP BY 1, 2")
        assert connection.execute(states).all() == [("succeeded", 1, JOBS)]
