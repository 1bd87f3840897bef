"""What the previous release does, while it still runs, and must not do in the database of this one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.orm import Session

from service.commands import start
from service.store import queue
from service.store.base import engine_url
from tests.support import clocked, world

ENTRY = text("""
    UPDATE progress SET status = 'running', version = version + 1, last_at = last_at + interval '1 minute',
           turn = 1, turn_account = NULL, wait_seq = version + 1
     WHERE game = :game
""")
"""The statement of release 0.2.0, which knows neither clocks nor bots."""

DUE = text("SELECT clock_due_at = last_at FROM progress WHERE game = :game")


@pytest.fixture
def session(owner_url: str) -> Iterator[Session]:
    engine = create_engine(engine_url(owner_url))
    with Session(engine, expire_on_commit=False) as session:
        yield session
    engine.dispose()


@pytest.fixture
def game(session: Session) -> int:
    ann = world.account(session, "Ann")
    return world.loaded(session, world.match(session, ann, world.account(session, "Ben"))).table.key


def test_an_entry_of_the_previous_release_is_looked_at(session: Session, game: int) -> None:
    assert session.scalar(DUE, {"game": game}) is False
    session.execute(ENTRY, {"game": game})
    assert session.scalar(DUE, {"game": game}) is True


def test_an_own_entry_sets_the_time_of_the_next_look_itself(session: Session, game: int) -> None:
    own = text("UPDATE progress SET version = 5, clock_seq = 5, last_at = last_at + interval '1 minute'")
    session.execute(own)
    assert session.scalar(DUE, {"game": game}) is False


def test_a_game_that_the_previous_release_starts_is_looked_at(session: Session, game: int) -> None:
    row = session.execute(text("SELECT status, version, head, last_at, turn, turn_account FROM progress")).one()
    session.execute(text("DELETE FROM progress"))
    session.execute(
        text("""
            INSERT INTO progress (game, status, version, head, last_at, turn, turn_account)
            VALUES (:game, :status, :version, :head, :last_at, :turn, :turn_account)
        """),
        {**row._mapping, "game": game},
    )
    assert session.scalar(DUE, {"game": game}) is True


@pytest.mark.parametrize(("account", "bot"), [("NULL", "NULL"), ("(SELECT id FROM accounts LIMIT 1)", "'greedy'")])
def test_a_seat_is_an_accounts_or_a_bots(session: Session, game: int, account: str, bot: str) -> None:
    with pytest.raises(IntegrityError, match="seats_account_or_bot"):
        session.execute(
            text(f"INSERT INTO seats (game, seat, account, bot, joined_at) VALUES (:game, 3, {account}, {bot}, now())"),
            {"game": game},
        )


def test_the_previous_release_cannot_start_a_game_with_a_clock(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "_note_clock", lambda *_: None)  # as in release 0.2.0
    clocked.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    with pytest.raises(OperationalError, match="has a clock, and its log does not begin with that"):  # 503, not 500
        session.commit()


def test_this_release_starts_a_game_with_a_clock(session: Session) -> None:
    table = clocked.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    assert clocked.kinds(world.loaded(session, table)) == ["clock"]


def test_the_previous_releases_workers_get_no_job_of_a_new_task(session: Session) -> None:
    for task in ("mail_step", "settle_clock", "mail_turn", "mail_reminder"):
        queue.defer(session, task, {})
    claim = text("SELECT task_name FROM procrastinate_fetch_job_v2(NULL, NULL)")  # how release 0.2.0 claims a job
    assert [session.scalar(claim) for _ in range(2)] == ["mail_turn", None]
