"""Measure the log in partitions by hash of game beside the log as it is: the real statements, plans, vacuum.

`bench.copied` writes games, which are then copied in the database until there are as many entries as asked for.
`novaluna partition-log` makes the partitions; the former log stays beside them in a schema of its own, so that the
same statements read and write either, in turn. `python -m bench.partitions --entries 100000000` takes 40 GB and half an
hour.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from threading import Event, Thread
from typing import NamedTuple

import psycopg
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from bench import copied, served
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn, table
from bench.touched import touched
from service.commands.expectation import Expectation
from service.commands.play import play
from service.queries.table import load
from service.store.base import engine_url
from service.store.log_partitions import split

GAMES, ENTRIES = 100_000, 4_000_000
"""The games that are written first, and about the entries that they have."""

PARTITIONS = 16
TIMES, MOVES, COLD = 200, 20, 50
_SECONDS = 5.0
"""The seconds for which moves are counted with nothing beside them."""

# Further games, each a copy of one of the first ones; of what else there is of a game nothing is read here.
_GROW = """
INSERT INTO tables (key, id, kind, seats, goal_discs, visibility, maker, commitment, created_at, closed_at,
                    closed_because, status) OVERRIDING SYSTEM VALUE
SELECT key + {by}, left(translate(encode(sha256(convert_to((key + {by})::text, 'UTF8')), 'base64'), '+/=', 'xyz'), 12),
       kind, seats, goal_discs, visibility, maker, commitment, created_at, closed_at, closed_because, status
  FROM tables WHERE key <= {games};
INSERT INTO seats (game, seat, account, joined_at, kind, status)
SELECT game + {by}, seat, account, joined_at, kind, status FROM seats WHERE game <= {games};
INSERT INTO draw_secrets (game, server_seed) SELECT game + {by}, server_seed FROM draw_secrets WHERE game <= {games};
INSERT INTO setups (game, header) SELECT game + {by}, header FROM setups WHERE game <= {games};
INSERT INTO progress (game, status, version, head, last_at, turn, turn_account, wait_seq, ended_at, result)
SELECT game + {by}, status, version, head, last_at, turn, turn_account, wait_seq, ended_at, result
  FROM progress WHERE game <= {games};
INSERT INTO log (game, seq, at, seat, by, move, hash)
SELECT game + {by}, seq, at, seat, by, move, hash FROM first_log
"""

_KEY = "PRIMARY KEY (game, seq) INCLUDE (at, seat, by, move) WITH (fillfactor = 100)"

# The former log gets its own name back, in a schema that its side looks into first.
_KEEP = (
    "CREATE SCHEMA whole",
    "ALTER TABLE log_before SET SCHEMA whole",
    "ALTER TABLE whole.log_before RENAME TO log",
    "VACUUM (ANALYZE) whole.log",
    "CHECKPOINT",
)


class _Side(NamedTuple):
    """The log in partitions or whole, with games that are read and played there.

    Attributes:
        recent: finished games, the newest ones most often.
        scattered: finished games from all times.
        running: running games, which only this side plays.
        first: the partition, or all, that is vacuumed.
    """

    engine: Engine
    recent: Sequence[str]
    scattered: Sequence[str]
    running: Sequence[str]
    first: str


def measure(
    rounds: int = ROUNDS, entries: int = ENTRIES, partitions: int = PARTITIONS, games: int = GAMES
) -> Iterator[Finding]:
    """Measure reads and moves in both, how many partitions a game's requests look into, and vacuum beside moves."""
    with ExitStack() as stack:
        settings = {"max_wal_size": "4GB", "maintenance_work_mem": "512MB", "autovacuum": "off"}
        database = stack.enter_context(served.database(settings))
        made = copied.fill(database.url, games, min(entries, round(games * ENTRIES / GAMES)))
        grow(database.url, made.games, max(1, round(entries / made.entries)))
        taken = split(database.url, database.service_url, partitions)
        told = f"{taken.entries:,} entries in {partitions} partitions"
        yield Finding("copy the log into partitions, seconds", None, (taken.seconds,), told, "")
        _run(database.url, *_KEEP)
        yield from _sizes(database.url)
        looked = touched(database, made)
        yield Finding(
            "partitions that all requests of a game look into", Goal(1, at_most=True), (float(len(looked)),), told, ""
        )
        ours, other = (stack.enter_context(_side(database.url, first)) for first in ("log_0", "whole.log"))
        for name, do in (("read a table", _read), ("make a move", _move)):
            yield costs(
                f"{name}, partitions: whole",
                Goal(1.25, at_most=True),
                in_turn(partial(do, ours), partial(do, other), rounds),
            )
        cold = in_turn(partial(_read_cold, database, ours), partial(_read_cold, database, other), rounds)
        yield costs("read any table, nothing in memory, partitions: whole", Goal(1.25, at_most=True), cold)
        seconds, beside = zip(*(_vacuum(side) for side in (ours, other)), strict=True)
        yield costs("vacuum one partition: the whole log", Goal(2 / partitions, at_most=True), [seconds])
        rate = _beside(ours, f"SELECT pg_sleep({_SECONDS})")[1]
        yield Finding(
            "moves beside vacuums of one partition without a pause: with nothing", None, (beside[0] / rate,),
            f"{beside[0]:,.0f} moves/s", f"{rate:,.0f} moves/s ({beside[1]:,.0f} beside those of the whole)",
        )  # fmt: skip


def _run(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def grow(url: str, games: int, times: int) -> None:
    """Copy the games until there are `times` as many."""
    _run(
        url,
        # Foreign keys are not checked for each row, since the rows are consistent.
        "SET session_replication_role = replica",
        "SET synchronous_commit = off",
        "SET maintenance_work_mem = '512MB'",
        "CREATE TEMPORARY TABLE first_log AS SELECT game, seq, at, seat, by, move, hash FROM log",
        "ALTER TABLE log DROP CONSTRAINT log_pkey",
        *(_GROW.format(by=games * time, games=games) for time in range(1, times)),
        f"ALTER TABLE log ADD CONSTRAINT log_pkey {_KEY}",
        "CHECKPOINT",  # otherwise VACUUM treats what is not on disk yet as uncommitted
        "VACUUM (FREEZE, ANALYZE)",
    )


@contextmanager
def _side(url: str, first: str) -> Iterator[_Side]:
    """Yield a side, which begins with even or odd games so that both never play the same ones."""
    options = f"-c timezone=UTC -c search_path={'whole,public' if first == 'whole.log' else 'public'}"
    engine = create_engine(engine_url(url), connect_args={"options": options})
    odd = int(first == "whole.log")
    chance = random.Random(TIMES)
    try:
        # No connection stays open meanwhile: REINDEX CONCURRENTLY would wait for a transaction that did.
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            newest: int = connection.scalars(text("SELECT max(key) FROM tables")).one()

            def ids(keys: Sequence[int], status: str) -> Sequence[str]:
                asked = text("SELECT id FROM tables WHERE key = ANY (:keys) AND status = :status ORDER BY key")
                return connection.scalars(asked, {"keys": list(keys), "status": status}).all()

            recent = [newest - min(int(chance.expovariate(20 / newest)), newest - 1) for _ in range(2 * TIMES)]
            scattered = [2 * chance.randrange(newest // 2) + odd for _ in range(20 * COLD)]
            running = range(newest - odd, max(newest - 20_000, 0), -2)
            side = _Side(engine, ids(recent, "finished"), ids(scattered, "finished"), ids(running, "running"), first)
        yield side
    finally:
        engine.dispose()


def _sizes(url: str) -> Iterator[Finding]:
    """Yield the bytes an entry of the log and its index, and the share of the largest partition."""
    with psycopg.connect(url) as connection:
        sizes = connection.execute("""
            SELECT pg_total_relation_size(relid), pg_indexes_size(relid), pg_total_relation_size('whole.log'),
                   pg_indexes_size('whole.log')
              FROM pg_partition_tree('log') WHERE isleaf ORDER BY 1 DESC
        """).fetchall()
    largest, index, all_of_it, whole_index = sizes[0]
    yield Finding(
        "largest partition: the whole log",
        None,
        (largest / all_of_it,),
        f"{largest / 1e6:,.0f} MB, of which index {index / 1e6:,.0f} MB",
        f"{all_of_it / 1e6:,.0f} MB, of which index {whole_index / 1e6:,.0f} MB",
    )


def _read(side: _Side) -> float:
    with Session(side.engine.execution_options(isolation_level="AUTOCOMMIT")) as session:
        begun = time.perf_counter()
        for game in side.recent[:TIMES]:
            load(session, game)
        return (time.perf_counter() - begun) / len(side.recent[:TIMES])


def _read_cold(database: served.Database, side: _Side) -> float:
    """Return the seconds of reading a table of which nothing is in memory, other games each time."""
    games = random.sample(list(side.scattered), min(COLD, len(side.scattered)))
    _run(
        database.url, "CHECKPOINT", "CREATE EXTENSION IF NOT EXISTS pg_buffercache", "SELECT pg_buffercache_evict_all()"
    )
    for file in (database.folder / "data").rglob("base/*/*"):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with Session(side.engine.execution_options(isolation_level="AUTOCOMMIT")) as session:
        begun = time.perf_counter()
        for game in games:
            load(session, game)
        return (time.perf_counter() - begun) / len(games)


def _move(side: _Side) -> float:
    begun = time.perf_counter()
    _play(side, MOVES)
    return (time.perf_counter() - begun) / MOVES


def _play(side: _Side, moves: int = sys.maxsize, end: Event | None = None) -> int:
    """Make random moves in running games, up to a number or until the games end; return the number made."""
    chance, made = random.Random(), 0
    while made < moves and not (end is not None and end.is_set()):
        with Session(side.engine) as session, session.begin():
            found = load(session, chance.choice(side.running))
            if found is None or found.header is None or found.state.turn is None:
                continue
            move = chance.choice(found.state.legal_moves())
            play(session, found, found.state.turn, move, Expectation([found.version]), datetime.now(UTC))
            made += 1
    return made


def _vacuum(side: _Side) -> tuple[float, float]:
    return _beside(side, f"VACUUM (DISABLE_PAGE_SKIPPING, INDEX_CLEANUP ON) {side.first}")


def _beside(side: _Side, statement: str) -> tuple[float, float]:
    """Return the seconds of a statement, and how many moves a second one client makes while it is repeated.

    The client has made moves before, since its first ones take longer, and the statement is repeated for some seconds:
    what is shorter than a few moves would tell nothing about them.
    """
    end, warm, made = Event(), Event(), [0]

    def playing() -> None:
        _play(side, MOVES)
        warm.set()
        made[0] = _play(side, end=end)

    with side.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        thread = Thread(target=playing)
        thread.start()
        warm.wait()
        begun, times = time.perf_counter(), 0
        try:
            while time.perf_counter() < begun + _SECONDS:
                connection.exec_driver_sql(statement)
                times += 1
            seconds = time.perf_counter() - begun
        finally:
            end.set()
            thread.join()
    return seconds / times, made[0] / seconds


def main() -> None:
    """Measure with as many entries and partitions as the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench.partitions", description=__doc__.partition("\n")[0])
    parser.add_argument("--entries", type=int, default=ENTRIES)
    parser.add_argument("--partitions", type=int, default=PARTITIONS)
    parser.add_argument("--games", type=int, default=GAMES, help="those that are written first, then copied")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    given = parser.parse_args()
    findings = []
    for finding in measure(given.rounds, given.entries, given.partitions, given.games):
        findings.append(finding)
        sys.stderr.write(f"{finding.name}: {finding.median:.2f} ({finding.ours}; {finding.other})\n")
    print(table(findings))


if __name__ == "__main__":
    main()
