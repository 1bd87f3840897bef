"""Write a database as large as that of a site with years of games, by COPY.

`python -m bench.copied DATABASE_URL` fills a migrated, empty database. The first few hundred games are real, with valid
records. The others are copies of them: they can be viewed and played on, but the hashes in them are those of the
original game, so `audit` and `rebuild` report them as broken.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree

import psycopg
from psycopg import sql

from bench import surroundings
from bench.samples import Sample, id_of, played
from bench.seed import Player
from bench.surroundings import Population, binary, people
from engine import record
from service.local.postgres import Postgres
from service.store.migrate import upgrade

GAMES, ENTRIES = 1_000_000, 40_000_000
SAMPLES = 300

DUE, MY_TURN = 40, 20
"""The number of tables that are due to close, and of games with the reader to move, however many games there are."""

_SPAN = timedelta(days=730)
_LIFETIME = timedelta(days=30)
_AT_ONCE = 2_000
"""The number of concurrent games, so that the entries of one game are scattered on disk as in production."""

_BLOCK = 1 << 20
_NULL = "\\N"


@dataclass(frozen=True)
class Copied:
    """The database that was written.

    Attributes:
        reader: who is to move in `MY_TURN` games.
        regular: who sits at every fourth table.
        finished: ids of finished games, newest last.
        running: ids of running games, newest last.
        seconds: how long the writing took.
    """

    url: str
    games: int
    entries: int
    reader: Player
    regular: Player
    finished: tuple[str, ...]
    running: tuple[str, ...]
    newest: str
    seconds: float


@dataclass(frozen=True, slots=True)
class _Table:
    """A table to be written, and the version of its game."""

    key: int
    id: str
    created_at: datetime
    status: str
    sample: Sample
    version: int
    is_public: bool
    accounts: tuple[str, ...]


@contextmanager
def database(games: int, entries: int) -> Iterator[Copied]:
    """Run a Postgres of its own during the block, with a number of games and about a number of entries in total."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-copied-"))
    folder.chmod(0o711)  # under root, Postgres runs as another account
    try:
        settings = {"max_connections": "200", "max_wal_size": "4GB"}
        with Postgres(folder / "data", settings=settings) as postgres:
            upgrade(postgres.url)
            yield fill(postgres.url, games, entries)
    finally:
        rmtree(folder, ignore_errors=True)


def fill(
    url: str,
    games: int,
    entries: int,
    now: datetime | None = None,
    samples: int = SAMPLES,
    with_status: bool = True,
) -> Copied:
    """Write games and the rows around them into an empty database, with about a number of entries in total.

    Args:
        url: a database that has had all migrations; the account must be a superuser.
        games: how many games, at least 1,000.
        entries: how many entries, at most about 50 per game.
        now: the newest table's time; None: the present.
        samples: how many games are played and then copied; those are real.
        with_status: false for a database without the migration that added the status of tables and seats.
    """
    begun = time.monotonic()
    chance = random.Random(f"{games} {entries}")
    now = now or datetime.now(UTC)
    population = people(games)
    real = list(played(min(samples, games // 4), entries / games * 1.15, chance))
    tables = list(_tables(games, real, population, now, chance))
    started = [table for table in tables if table.status in ("running", "finished")]
    with psycopg.connect(url, autocommit=True) as connection:
        # Foreign keys are not checked for each row, since the rows are consistent. All else holds.
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        for name, columns, rows in surroundings.rows(games, population, [(t.key, t.id) for t in tables], now):
            copy(connection, name, columns, rows)
        copy(connection, "tables", _TABLES + ", status" * with_status, _table_rows(tables, with_status))
        copy(connection, "seats", _SEATS + ", kind, status" * with_status, _seat_rows(tables, with_status))
        copy(connection, "draw_secrets", "game, server_seed", (f"{t.key}\t{binary(t.sample.seed)}\n" for t in tables))
        copy(connection, "setups", "game, header", map(_setup_row, started))
        copy(connection, "progress", _PROGRESS, map(_progress_row, started))
        written = 0
        for first in range(0, len(started), _AT_ONCE):
            block = _log(started[first : first + _AT_ONCE])
            written += len(block)
            copy(connection, "log", "game, seq, at, seat, by, move, hash", block)
        connection.execute("SELECT setval(pg_get_serial_sequence('tables', 'key'), max(key)) FROM tables")
        connection.execute("SELECT setval('procrastinate_jobs_id_seq', max(id)) FROM procrastinate_jobs")
        connection.execute("SET synchronous_commit = on")
        connection.execute("CHECKPOINT")  # otherwise VACUUM treats what is not on disk yet as uncommitted
        connection.execute("VACUUM (FREEZE, ANALYZE)")
    return Copied(
        url=url,
        games=len(tables),
        entries=written,
        reader=population.reader,
        regular=population.regular,
        finished=tuple(table.id for table in tables if table.status == "finished"),
        running=tuple(table.id for table in tables if table.status == "running"),
        newest=tables[-1].id,
        seconds=time.monotonic() - begun,
    )


def _tables(
    games: int, real: Sequence[Sample], population: Population, now: datetime, chance: random.Random
) -> Iterator[_Table]:
    """Yield all tables, oldest first: the real games, then copies; the newer they are, the more are running or open."""
    due = set(range(int(games * (1 - 2.5 * _LIFETIME / _SPAN)), games)[:DUE])
    turns = set(range(max(due) + 1, games)[: 2 * MY_TURN : 2])
    for number in range(games):
        key = number + 1
        sample = real[number % len(real)]
        created_at = now - (games - number) / games * _SPAN
        status, special = "finished", [population.regular.account] if number % 4 == 0 else []
        if number < len(real):
            pass
        elif number == games - 1:
            status, special = "open", [population.reader.account]
        elif number in due:
            status = "open"
        elif number in turns:
            status, special = "running", [population.reader.account]
        else:
            status = _status(now - created_at, chance)
        version = chance.randrange(len(sample.entries)) if status == "running" else 0
        if status == "finished":
            version = len(sample.entries)
        sitting = population.sitting(number, sample.seats if status != "open" else 1, special)
        if number in turns:
            sitting = _with_the_turn(sample, version, sitting)
        is_public = sample.kind == "match" and number % 3 > 0
        yield _Table(key, id_of(key), created_at, status, sample, version, is_public, sitting)


def _status(age: timedelta, chance: random.Random) -> str:
    die = chance.random()
    if age < _LIFETIME and die < 0.1:
        return "open"
    if die > 0.99:
        return "closed"
    return "running" if die < (0.6 if age < 2 * _LIFETIME else 0.02) else "finished"


def _with_the_turn(sample: Sample, version: int, sitting: tuple[str, ...]) -> tuple[str, ...]:
    """Rotate the players so that the first of them has the seat that is to move."""
    turn = sample.progress[version].turn
    assert turn is not None
    return (*sitting[1 : turn + 1], sitting[0], *sitting[turn + 1 :])


_TABLES = "key, id, kind, seats, goal_discs, visibility, maker, commitment, created_at, closed_at, closed_because"
_SEATS = "game, seat, account, joined_at"


def _table_rows(tables: Iterable[_Table], with_status: bool) -> Iterator[str]:
    for table in tables:
        sample, at = table.sample, table.created_at.isoformat()
        visibility = "public" if table.is_public else "private"
        closed = f"{at}\tmaker" if table.status == "closed" else f"{_NULL}\t{_NULL}"
        status = f"\t{table.status}" if with_status else ""
        yield (
            f"{table.key}\t{table.id}\t{sample.kind}\t{sample.seats}\t{sample.goal_discs}\t{visibility}"
            f"\t{table.accounts[0]}\t\\\\x{sample.commitment}\t{at}\t{closed}{status}\n"
        )


def _seat_rows(tables: Iterable[_Table], with_status: bool) -> Iterator[str]:
    for table in tables:
        at = table.created_at.isoformat()
        status = f"\t{table.sample.kind}\t{table.status}" if with_status else ""
        for seat, account in enumerate(table.accounts):
            yield f"{table.key}\t{seat}\t{account}\t{at}{status}\n"


def _setup_row(table: _Table) -> str:
    header = table.sample.header
    if table.id != table.sample.id:  # the draw stays that of the original game
        header = {**header, "game": {**header["game"], "id": table.id}}
    return f"{table.key}\t{record.canonical(header).decode()}\n"


_PROGRESS = "game, status, version, head, last_at, turn, turn_account, wait_seq, ended_at, result"


def _progress_row(table: _Table) -> str:
    at = table.sample.progress[table.version]
    turn_account = None if at.turn is None else table.accounts[at.turn]
    ended_at = None if at.ended_at is None else at.ended_at.isoformat()
    rest = (at.last_at.isoformat(), at.turn, turn_account, at.wait_seq, ended_at, at.result)
    told = "\t".join(_NULL if value is None else str(value) for value in rest)
    return f"{table.key}\t{at.status}\t{at.version}\t{binary(at.head)}\t{told}\n"


def _log(tables: Sequence[_Table]) -> list[str]:
    """Return the entries of some games in the order of time: the first of each, the second of each, and so on."""
    games = [(f"{table.key}\t", _lines(table.sample)[: table.version]) for table in tables]
    longest = max(len(lines) for _, lines in games)
    return [key + lines[number] for number in range(longest) for key, lines in games if number < len(lines)]


_lines_of: dict[str, list[str]] = {}


def _lines(sample: Sample) -> list[str]:
    """Return a game's log without its key, created once."""
    if sample.id not in _lines_of:
        _lines_of[sample.id] = [
            f"{entry.seq}\t{entry.at.isoformat()}\t{entry.seat}\t{entry.by}\t{entry.move}\t{binary(after.head)}\n"
            for entry, after in zip(sample.entries, sample.progress[1:], strict=True)
        ]
    return _lines_of[sample.id]


def copy(connection: psycopg.Connection, table: str, columns: str, rows: Iterable[str]) -> None:
    """Write rows, which are in the text format of COPY, to a table."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns.split(", ")))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    with connection.cursor().copy(statement) as copy:
        pending: list[str] = []
        size = 0
        for row in rows:
            pending.append(row)
            size += len(row)
            if size > _BLOCK:
                copy.write("".join(pending))
                pending, size = [], 0
        copy.write("".join(pending))


def main() -> None:
    """Fill the database that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bench.copied", description=__doc__.partition("\n")[0])
    parser.add_argument("url", help="DATABASE_URL of a migrated, empty database")
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--entries", type=int, default=ENTRIES)
    given = parser.parse_args()
    made = fill(given.url, given.games, given.entries)
    print(f"{made.games:,} games, {made.entries:,} entries in {made.seconds:.0f} s; a token: {made.reader.token}")


if __name__ == "__main__":
    main()
