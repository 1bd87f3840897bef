"""Measure the cost of many games beside few (goals G1 and G2): bytes per move, pages read for a log, and two queries.

G1 is given in bytes and in buffers (pages of 8 KB), G2 in time at the database. The queries are those that the service
sends: they are recorded as it sends them, and then sent again and again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self

import psycopg
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.orm import Session

from bench import copied, served
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn
from service.commands import tables as commands
from service.queries import tables as queries
from service.queries.table import load
from service.store.callers import KnownAccount
from service.store.migrate import upgrade

LOGS, ENTRIES = 125_000, 5_000_000
"""The numbers of games and entries for G1: 40 moves per game."""

FEW, MANY = 1_000, 1_000_000
"""The number of games for G2; their logs do not matter to it and are short."""

PAGE = 50
TIMES = 300
"""The number of times that a query is sent in each turn."""

_SETTINGS = {"max_wal_size": "4GB"}


def measure(rounds: int = ROUNDS, logs: int = LOGS, entries: int = ENTRIES, many: int = MANY) -> Iterator[Finding]:
    """Measure G1, then G2."""
    yield from _logs(logs, entries)
    yield from _queries(rounds, many)


def _logs(games: int, entries: int) -> Iterator[Finding]:
    with served.database(_SETTINGS) as database:
        made = copied.fill(database.url, games, entries)
        told = f"{made.entries:,} moves in {made.games:,} games"
        with served.connected(database.url) as engine:
            grown = bytes_a_move(engine)
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("REINDEX INDEX CONCURRENTLY log_pkey"))
            name = "G1 bytes a move, its hash and indexes included"
            yield Finding(name, Goal(140, at_most=True), (bytes_a_move(engine),), told, "")
            yield Finding("   before the index was made anew (games grew side by side)", None, (grown,), told, "")
            read = tuple(float(reading_of_log(engine, game).pages) for game in made.finished[-ROUNDS:])
            yield Finding("G1 buffers read for a log", Goal(8, at_most=True), read, told, "")


def bytes_a_move(engine: Engine) -> float:
    """Return the bytes on disk of each entry of the log, table and indexes together."""
    with engine.connect() as connection:
        return float(connection.scalar(text("SELECT pg_total_relation_size('log')::float8 / count(*) FROM log")) or 0.0)


@dataclass(frozen=True)
class Reading:
    """The pages of a table and its indexes that were read, cached or not, and the rows fetched from the table.

    Rows are fetched when the index alone does not suffice.
    """

    pages: int
    rows: int


def reading_of_log(engine: Engine, game: str) -> Reading:
    """Measure the reads of the log when the service loads a game."""
    with Session(engine.execution_options(isolation_level="AUTOCOMMIT")) as session:
        load(session, game)  # a new connection reads more, for the catalog of the tables
        before = _read_so_far(session)
        load(session, game)
        after = _read_so_far(session)
    return Reading(after.pages - before.pages, after.rows - before.rows)


def _read_so_far(session: Session) -> Reading:
    session.execute(text("SELECT pg_stat_force_next_flush()"))
    counted = text("""
        SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit, idx_tup_fetch
          FROM pg_statio_user_tables JOIN pg_stat_user_tables USING (relid) WHERE relid = 'log'::regclass
    """)
    return Reading(*session.execute(counted).one())


def _queries(rounds: int, many: int) -> Iterator[Finding]:
    with ExitStack() as stack:
        database = stack.enter_context(served.database(_SETTINGS))
        sides = []
        for games in (many, FEW):
            url = another(database, f"games_{games}")
            made = copied.fill(url, games, games)
            sides.append((stack.enter_context(served.connected(url)), made.reader.account))
        now = datetime.now(UTC)
        for name, ask in (("games where it is my turn", my_turn), ("tables due to close", partial(due, now))):
            one, other = (stack.enter_context(Sent(engine, partial(ask, reader))) for engine, reader in sides)
            if one.rows != other.rows:
                raise AssertionError(f"{name}: {one.rows} rows are compared with {other.rows}")
            for warmed in (one, other):
                warmed()
            label = f"G2 {name}: {many:,} games, of {FEW:,}"
            yield costs(label, Goal(1.5, at_most=True), in_turn(one, other, rounds, turns=2))


def another(database: served.Database, name: str) -> str:
    """Create another migrated database in the same Postgres."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = database.url.replace(f"/{conninfo_to_dict(database.url)['dbname']}?", f"/{name}?")
    upgrade(url)
    return url


def my_turn(reader: str, session: Session) -> None:
    """Query the games in which the reader is to move."""
    queries.listed(session, KnownAccount(reader), queries.Filters("match", my_turn=True), queries.START, PAGE)


def due(now: datetime, _: str, session: Session) -> None:
    """Query the tables that are due to be closed, and close them; the recording rolls it back."""
    commands.close_expired(session, now, PAGE)


class Sent:
    """A repeated query: the first one that a function sends to the database. It is a context manager."""

    def __init__(self, engine: Engine, ask: Callable[[Session], None]) -> None:
        self._statement, self._parameters = _taken_down(engine, ask)
        self._connection: Connection = engine.connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @property
    def rows(self) -> int:
        """The number of rows that the query returns."""
        return len(self._connection.exec_driver_sql(self._statement, self._parameters).all())

    def __call__(self) -> float:
        """Send the query several times; return the seconds for each."""
        begun = time.perf_counter()
        for _ in range(TIMES):
            self._connection.exec_driver_sql(self._statement, self._parameters).all()
        return (time.perf_counter() - begun) / TIMES


def _taken_down(engine: Engine, ask: Callable[[Session], None]) -> tuple[str, Any]:
    sent: list[tuple[str, Any]] = []

    def take_down(_: Connection, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        sent.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", take_down)
    with Session(engine) as session:
        ask(session)
        session.rollback()
    event.remove(engine, "before_cursor_execute", take_down)
    return sent[0]
