"""The games that are measured."""

from datetime import UTC, datetime

from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from bench import seed
from engine.moves import from_json
from service.commands.play import Expectation, play
from service.store.base import engine_url
from tests.service.games.world import loaded


def test_the_moves_that_follow_can_be_made(database_url: str) -> None:
    engine = create_engine(engine_url(database_url))
    with Session(engine) as session:
        [game] = seed.games(session, seed.sign_up(session, 2), count=1, version=10, following=4)
        assert session.scalar(text("SELECT count(*) FROM procrastinate_jobs")) == 0
        table = loaded(session, game.id)
        assert (table.version, table.table.revision) == (game.version, game.revision) == (10, 2)
        for player, body in game.following:
            expected = body.pop("expected_version")
            seat = table.seat_of(player.account)
            assert seat is not None
            table = play(session, table, seat, from_json(body), Expectation([expected]), datetime.now(UTC)).table
        assert table.version == 14
    engine.dispose()
