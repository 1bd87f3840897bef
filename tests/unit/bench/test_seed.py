"""The games that are measured."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from engine.clock.terms import Bank, Terms
from engine.moves import from_json
from service.commands.expectation import Expectation
from service.commands.play import play
from service.commands.rebuild import rebuild
from tests.support.world import loaded


@pytest.fixture
def engine(owner_url: str) -> Iterator[Engine]:
    """Yield an engine for a fresh database as its owner, because the service's role may not seed it."""
    with served.connected(owner_url) as engine:
        yield engine


def test_the_moves_that_follow_can_be_made(engine: Engine) -> None:
    with Session(engine) as session:
        [game] = seed.games(session, seed.sign_up(session, 2), count=1, version=10, following=4)
        assert session.scalar(text("SELECT count(*) FROM procrastinate_jobs")) == 0
        table = loaded(session, game.id)
        assert (table.version, table.tag) == (game.version, game.tag) and game.tag.startswith("10-2-")
        for player, body in game.following:
            expected = body.pop("expected_version")
            seat = table.seat_of(player.account)
            assert seat is not None
            table = play(session, table, seat, from_json(body), Expectation([expected]), datetime.now(UTC)).table
        assert table.version == 14


def test_games_with_clocks_are_as_the_service_would_have_left_them(engine: Engine) -> None:
    terms = Terms(Bank(timedelta(days=5), timedelta(days=1), timedelta(days=7)))
    last_at = datetime(2026, 5, 4, 10, tzinfo=UTC)
    with Session(engine) as session:
        people = seed.sign_up(session, 3)
        seed.games(session, people, count=3, version=12, following=0, terms=terms, last_at=last_at)
        assert list(rebuild(session, write=False)) == []
        ends = session.execute(text("SELECT DISTINCT last_at, runs_out_at > last_at FROM progress")).all()
        assert [tuple(row) for row in ends] == [(last_at, True)]
        seed.games(session, people, count=3, version=12, following=0, terms=terms, last_at=last_at, nudged=True)
        assert list(rebuild(session, write=False)) == []
        assert session.scalar(text("SELECT count(*) FROM log WHERE move LIKE 'mark clock.nudge %'")) == 3


def test_seeded_games_are_as_the_service_would_have_left_them(engine: Engine) -> None:
    with Session(engine) as session:
        people = seed.sign_up(session, 3)
        made = [seed.games(session, people, count=3, version=version, following=0) for version in (0, 30)]
        assert [game.version for games in made for game in games] == [0] * 3 + [30] * 3
        assert list(rebuild(session, write=False)) == []
        session.execute(text("UPDATE progress SET version = version + 1"))
        assert len(list(rebuild(session, write=False))) == 6
