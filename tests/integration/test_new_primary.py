"""Whatever keeps connections, listens or remembers finds a new primary by itself, and takes a standby for none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

import psycopg
import pytest
from flask import Flask
from psycopg import sql
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker
from werkzeug.test import TestResponse

from service.api import context
from service.config import Settings
from service.events.cursor import Positions
from service.jobs.worker_context import sessions
from service.store import signs
from service.store.waking import CHANNEL, Waker
from tests.integration.replicated import Pair, pair
from tests.support import web
from tests.support.clock import utcnow
from tests.support.http_games import Game, start
from tests.support.running import eventually

WHERE = "SELECT pg_is_in_recovery(), %(one)s::integer"
"""A statement that is prepared on each connection of the pool."""


@dataclass(frozen=True)
class Replaced:
    """A service whose primary was killed, and whose standby took over.

    Attributes:
        between: what was answered while only the standby ran: to a read, to a list, and to a move.
        shown: the game's ETag before.
        position: the position of the newest event before.
    """

    both: Pair
    app: Flask
    game: Game
    waker: Waker
    make_session: sessionmaker[Session]
    shown: str
    position: Positions
    between: list[TestResponse]


@pytest.fixture(scope="module")
def replaced() -> Iterator[Replaced]:
    with pair() as both, ExitStack() as stack:
        settings = Settings(database_url=both.url, secret_keys=web.KEYS)
        app = web.make(utcnow, database_url=both.url)
        stack.callback(web.close, app)
        waker = Waker(settings)
        stack.callback(waker.close)
        make_session = sessions(settings, 2)
        stack.callback(lambda: make_session.kw["bind"].dispose())
        ann, ben = (web.sign_up(app, f"{name}@example.org", name) for name in ("Ann", "Ben"))
        game = start(app.test_client(), ann, ben)
        shown = game.move().headers["ETag"]
        for _ in range(6):
            assert asked(app) == [(False, 1)]
        sign(make_session)
        both.place_events()
        waker.wake()
        with psycopg.connect(both.url) as connection:
            position = Positions(*connection.execute(_POSITION).fetchone() or ())
        both.cut()
        both.lose_primary()
        move = {"type": "resign", "expected_version": 1}
        client = app.test_client()
        between = [
            client.get(f"{game.path}/moves", headers=ann.headers),
            client.get("/v1/games"),
            client.post(f"{game.path}/moves", json=move, headers=ann.headers),
        ]
        both.promote()
        yield Replaced(both, app, game, waker, make_session, shown, position, between)


_POSITION = "SELECT value, last, deleted FROM epoch, event_positions"


def asked(app: Flask) -> list[tuple[object, ...]]:
    with app.app_context():
        return context.pool().rows(WHERE, {"one": 1})


def sign(make_session: sessionmaker[Session]) -> None:
    with make_session() as session, session.begin():
        signs.sign(session, "worker", utcnow())


def works(do: Callable[[], object]) -> bool:
    """Return whether something that needs the primary can be done; not yet if a connection is refused or broken."""
    try:
        do()
    except (psycopg.OperationalError, DBAPIError):
        return False
    return True


@pytest.mark.slow
def test_a_standby_is_asked_for_nothing_while_there_is_no_primary(replaced: Replaced) -> None:
    assert [answer.status_code for answer in replaced.between] == [503] * 3
    assert {answer.get_json()["code"] for answer in replaced.between} == {"database_unavailable"}


@pytest.mark.slow
def test_the_pool_prepares_its_statements_on_the_new_primary(replaced: Replaced) -> None:
    eventually(partial(works, partial(asked, replaced.app)))
    assert [asked(replaced.app) for _ in range(6)] == [[(False, 1)]] * 6


@pytest.mark.slow
def test_the_circuit_breaker_lets_requests_through_again(replaced: Replaced) -> None:
    client = replaced.app.test_client()
    eventually(lambda: client.get("/v1/games").status_code == 200)
    assert client.get(replaced.game.path, headers=replaced.game.players[0].headers).status_code == 200


def test_a_table_that_was_kept_is_shown_and_played_on(replaced: Replaced) -> None:
    eventually(lambda: replaced.game.get().status_code == 200)
    assert replaced.game.get().headers["ETag"] == replaced.shown
    assert replaced.game.move().headers["ETag"] != replaced.shown


def test_the_waker_wakes_those_who_listen_to_the_new_primary(replaced: Replaced) -> None:
    with psycopg.connect(replaced.both.url, autocommit=True) as listening:
        listening.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))

        def is_woken() -> bool:
            replaced.waker.wake()
            return any(listening.notifies(timeout=1.0, stop_after=1))

        eventually(is_woken)


def test_the_worker_gives_signs_of_life_to_the_new_primary(replaced: Replaced) -> None:
    """Signs that stop are what tells an outage, which gives time back to the clocks."""
    eventually(partial(works, partial(sign, replaced.make_session)))
    with replaced.make_session() as session:
        assert session.scalar(text("SELECT pg_is_in_recovery()")) is False
        assert signs.failing(session, utcnow(), ["worker"]) == []
