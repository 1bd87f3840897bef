"""How much space the log takes on disk, and how much of it is read for a game."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.growth import bytes_a_move, reading_of_log

GAMES, MOVES = 1250, 40
# Moves as long as they are in games: a tile, and a cell that is a few steps from the middle.
_FILL = """
INSERT INTO log (game, seq, at, seat, by, move, hash)
SELECT 1000000 + game, seq, '2026-01-01'::timestamptz + seq * interval '7 hours', seq %% 2, '',
       1 + (game + seq * 7) %% 68 || '@' || (game + seq) %% 7 - 3 || ',' || seq %% 7 - 3, sha256(seq::text::bytea)
  FROM generate_series(1, %(games)s) AS game, generate_series(1, %(moves)s) AS seq
 ORDER BY {order}
"""


@pytest.fixture
def engine(owner_url: str) -> Iterator[Engine]:
    """Connect to the database as its owner."""
    with served.connected(owner_url) as engine:
        yield engine


def fill(engine: Engine, order: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))  # no set-ups belong to these
        connection.exec_driver_sql(_FILL.format(order=order), {"games": GAMES, "moves": MOVES})


def test_a_move_takes_140_bytes_with_its_hash(engine: Engine) -> None:
    fill(engine, "game, seq")
    assert 100 < bytes_a_move(engine) <= 140


def test_a_move_costs_few_bytes_after_concurrent_games_too(engine: Engine) -> None:
    fill(engine, "seq, game")
    assert bytes_a_move(engine) <= 180
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("REINDEX INDEX CONCURRENTLY log_pkey"))
    assert bytes_a_move(engine) <= 140


def test_a_log_is_read_from_few_pages_of_its_index(engine: Engine) -> None:
    fill(engine, "seq, game")
    with Session(engine) as session, session.begin():
        [game] = seed.games(session, seed.sign_up(session, 2), count=1, version=65, following=0)
    assert reading_of_log(engine, game.id).rows == game.version
    served.settle(engine)
    read = reading_of_log(engine, game.id)
    assert read.rows == 0
    assert 0 < read.pages <= 8


def test_the_log_is_visited_soon(engine: Engine) -> None:
    with engine.connect() as connection:
        told = connection.scalar(text("SELECT reloptions FROM pg_class WHERE relname = 'log'"))
    assert "autovacuum_vacuum_insert_scale_factor=0" in told
    assert "autovacuum_vacuum_insert_threshold=10000" in told
