"""The status that lists use follows the game, whoever changes it, and the upgrade sets it for older tables."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from bench.copied import fill
from engine.moves import RESIGN
from service.commands import players, tables
from service.commands.play import play
from service.commands.rebuild import rebuild
from service.commands.start import start_solo
from service.local.postgres import Postgres
from service.queries.table import load
from service.store.accounts import ensure_account
from service.store.base import engine_url
from service.store.migrate import upgrade
from tests.support.clock import Clock

NOW = Clock()()


@pytest.fixture
def session(database_url: str) -> Iterator[Session]:
    engine = create_engine(engine_url(database_url))
    with Session(engine, expire_on_commit=False) as session:
        yield session
    engine.dispose()


def _people(session: Session, count: int) -> list[str]:
    named = (f"p{number}@example.org" for number in range(count))
    return [ensure_account(session, email, name=None, language=None, now=NOW).id for email in named]


def _made(session: Session, account: str, kind: str = "match") -> str:
    seats, discs, visibility = (2, 20, "public") if kind == "match" else (1, 21, "private")
    table = tables.create(
        session, account, tables.TableSettings(seats=seats, goal_discs=discs, visibility=visibility, kind=kind), now=NOW
    )
    return table.id


def _said(session: Session, table: str) -> set[tuple[str, str, str]]:
    """Return the statuses of the table and its seats, as kind, status of the table, status of the seat."""
    session.flush()
    found = "SELECT seats.kind, tables.status, seats.status FROM tables JOIN seats ON game = key WHERE id = :id"
    return {tuple(row) for row in session.execute(text(found), {"id": table})}


def test_table_and_seats_say_how_far_the_game_is(session: Session) -> None:
    ann, ben = _people(session, 2)
    game, solo = _made(session, ann), _made(session, ann, "solo")
    assert _said(session, game) == {("match", "open", "open")}
    assert _said(session, solo) == {("solo", "open", "open")}
    players.join(session, ben, game, invitation=None, entropy="", keys=(), now=NOW)
    assert _said(session, game) == {("match", "running", "running")}
    start_solo(session, ann, solo, "", NOW)
    assert _said(session, solo) == {("solo", "running", "running")}
    running = load(session, game)
    assert running is not None
    play(session, running, 1, RESIGN, None, NOW)
    assert _said(session, game) == {("match", "finished", "finished")}


def test_closed_tables_are_closed_in_lists(session: Session) -> None:
    ann, ben = _people(session, 2)
    closed, expired = _made(session, ann), _made(session, ben)
    tables.close(session, ann, closed, NOW)
    assert _said(session, closed) == {("match", "closed", "closed")}
    assert tables.close_expired(session, NOW + tables.LIFETIME - timedelta(seconds=1), 9) == 0
    assert tables.close_expired(session, NOW + tables.LIFETIME, 9) == 1
    assert _said(session, expired) == {("match", "closed", "closed")}


def test_rebuild_sets_right_what_lists_go_by(session: Session) -> None:
    ann, ben = _people(session, 2)
    game = _made(session, ann)
    players.join(session, ben, game, invitation=None, entropy="", keys=(), now=NOW)
    said = [f"game {game}: lists take it for finished and must take it for running"]
    for wrong in ("tables SET status = 'finished'", "seats SET status = 'finished' WHERE seat = 1"):
        session.execute(text(f"UPDATE {wrong}"))
        assert list(rebuild(session, write=False)) == said
        assert list(rebuild(session, write=True)) == said
        assert list(rebuild(session, write=True)) == []
        assert _said(session, game) == {("match", "running", "running")}


@pytest.fixture
def before_url(postgres: Postgres) -> Iterator[str]:
    """Create a database with games as it was before the migration, and return its address."""
    name = sql.Identifier("before_status")
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        url = postgres.url_of("before_status")
        upgrade(url, to="0003")
        fill(url, 1_000, 3_000, NOW, samples=20, with_status=False)
        yield url
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def test_the_upgrade_gives_older_tables_their_status(before_url: str) -> None:
    upgrade(before_url)
    wrong = """
        SELECT tables.id, tables.status, seats.status, seats.kind
          FROM tables JOIN seats ON seats.game = key LEFT JOIN progress ON progress.game = key
         WHERE tables.status <> seats.status OR tables.kind <> seats.kind
            OR tables.status <> CASE WHEN closed_at IS NOT NULL THEN 'closed' ELSE coalesce(progress.status, 'open') END
    """
    with psycopg.connect(before_url) as connection:
        assert connection.execute(wrong).fetchall() == []
        found = connection.execute("SELECT DISTINCT status FROM tables").fetchall()
    assert {status for (status,) in found} == {"open", "running", "finished", "closed"}
