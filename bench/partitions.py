"""Measure the log in partitions by hash of game beside the log as it is: the real statements, plans, vacuum.

Both are filled with the same games by `bench.copied`. Then the statements of the service read tables and make moves in
both, in turn, as a site with that many games would, the newest games most often.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import psycopg
from psycopg import sql
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import copied, served
from bench.growth import another
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn
from service.commands.play import Expectation, play
from service.queries.table import load

GAMES, ENTRIES = 100_000, 4_000_000
PARTITIONS = 16
TIMES = 200

#: The same table, keys and triggers. Rows are in one partition for each game, so the primary key holds in each.
_PARTITION = """
ALTER TABLE log RENAME TO log_before;
ALTER INDEX log_pkey RENAME TO log_before_pkey;
CREATE TABLE log (LIKE log_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
                  PRIMARY KEY (game, seq) INCLUDE (at, seat, by, move)) PARTITION BY HASH (game);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_of_entry AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION event_of_entry();
DROP TABLE log_before CASCADE;
"""


class _Side(NamedTuple):
    """A database, whole or in partitions, and the games in it."""

    engine: Engine
    made: copied.Copied


def measure(
    rounds: int = ROUNDS, games: int = GAMES, entries: int = ENTRIES, partitions: int = PARTITIONS
) -> Iterator[Finding]:
    """Measure reads, moves, a plan, and the vacuum of what was added."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database({"max_wal_size": "4GB"}))
        sides = []
        for name in ("partitioned", "whole"):
            url = another(database, name)
            if name == "partitioned":
                _split(url, partitions)
            sides.append(_Side(stack.enter_context(served.connected(url)), copied.fill(url, games, entries)))
        ours, other = sides
        told = f"{ours.made.entries:,} entries in {partitions} partitions"
        scanned = tuple(float(_partitions_read(ours.engine, game)) for game in ours.made.finished[-rounds:])
        yield Finding("partitions that the read of a log looks at", Goal(1, at_most=True), scanned, told, "")
        for name, do in (("read a table", _read), ("make a move", _move)):
            taken = in_turn(partial(do, ours), partial(do, other), rounds)
            yield costs(f"{name}, partitions: whole", Goal(1.25, at_most=True), taken)
        taken = [(_vacuum(ours.engine, partitions), _vacuum(other.engine, 0)) for _ in range(1)]
        yield costs("vacuum of one partition: of the whole log", Goal(2 / partitions, at_most=True), taken)


def _split(url: str, partitions: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_PARTITION)
        for number in range(partitions):
            made = sql.SQL("CREATE TABLE {} PARTITION OF log FOR VALUES WITH (MODULUS {}, REMAINDER {})")
            connection.execute(made.format(sql.Identifier(f"log_{number}"), partitions, number))


def _partitions_read(engine: Engine, game: str) -> int:
    """Return how many partitions the service's statement reads for a game's log."""
    counted = text("SELECT relname, idx_scan FROM pg_stat_user_tables WHERE relname LIKE 'log\\_%' ORDER BY relname")
    with Session(engine.execution_options(isolation_level="AUTOCOMMIT")) as session:
        load(session, game)
        session.execute(text("SELECT pg_stat_force_next_flush()"))
        before = session.execute(counted).all()
        load(session, game)
        session.execute(text("SELECT pg_stat_force_next_flush()"))
        after = session.execute(counted).all()
    return sum(one != other for one, other in zip(before, after, strict=True))


def _read(side: _Side) -> float:
    chance = random.Random(TIMES)
    with Session(side.engine.execution_options(isolation_level="AUTOCOMMIT")) as session:
        begun = time.perf_counter()
        for _ in range(TIMES):
            load(session, _newer(chance, side.made.finished))
        return (time.perf_counter() - begun) / TIMES


def _move(side: _Side) -> float:
    chance = random.Random(TIMES)
    begun, made = time.perf_counter(), 0
    while made < TIMES // 10:
        with Session(side.engine) as session, session.begin():
            table = load(session, _newer(chance, side.made.running))
            if table is None or table.header is None or table.state.turn is None:
                continue
            move = chance.choice(table.state.legal_moves())
            play(session, table, table.state.turn, move, Expectation([table.version]), datetime.now(UTC))
            made += 1
    return (time.perf_counter() - begun) / made


def _newer(chance: random.Random, games: tuple[str, ...]) -> str:
    """Return a game, the newest ones most often."""
    return games[-1 - min(int(chance.expovariate(20 / len(games))), len(games) - 1)]


def _vacuum(engine: Engine, partitions: int) -> float:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        begun = time.perf_counter()
        connection.exec_driver_sql(
            f"VACUUM (DISABLE_PAGE_SKIPPING, INDEX_CLEANUP ON) {'log_0' if partitions else 'log'}"
        )
        return time.perf_counter() - begun
