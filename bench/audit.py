"""Measure `novaluna audit --all` on many finished games: games a second, and how busy the processors are.

The games are copies of some hundred random ones: each has the draw of its original, and an id and hashes of its own. So
all of it holds, and the audit does for each what it would do for any other.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import psycopg

from bench import served, spent
from bench.copied import copy
from bench.rounds import ROUNDS, Finding, Goal
from bench.samples import Sample, id_of, played
from bench.surroundings import binary
from engine import record
from service.queries import replay

GAMES, MOVES = 10_000, 40
"""The number of games, and about how many entries each has."""

SAMPLES = 300
MOST_SECONDS = 600.0
"""The goal for 100,000 games."""

_AT_ONCE = 2_000
_ACCOUNTS = 400


class Run(NamedTuple):
    """One audit: its seconds, the processors in use on average, with Postgres, and the most memory of a process."""

    seconds: float
    busy: float
    peak: float


def measure(rounds: int = ROUNDS, games: int = GAMES) -> Iterator[Finding]:
    """Audit a database with all processors, and with one process."""
    cores = len(os.sched_getaffinity(0))
    with served.database({"max_wal_size": "4GB"}) as database:
        fill(database.url, games)
        together, alone = [], []
        for _ in range(rounds):
            together.append(_audit(database, cores, games))
            alone.append(_audit(database, 1, games))
    ratios = tuple(one.seconds / all_.seconds for one, all_ in zip(alone, together, strict=True))
    ours, other = (f"{games / min(run.seconds for run in runs):,.0f} games/s" for runs in (together, alone))
    yield Finding(f"audit of {games:,} games: {cores} processes as fast as one", None, ratios, ours, other)
    expected = MOST_SECONDS * games / 100_000
    shares = tuple(run.seconds / expected for run in together)
    ours = f"{min(run.seconds for run in together) * 100_000 / games:,.0f} s for 100,000"
    name = "time of an audit: of ten minutes for 100,000 games"
    yield Finding(name, Goal(1.0, at_most=True), shares, ours, f"{MOST_SECONDS:.0f} s")
    peaks = f"{max(run.peak for run in together):.0f} MB in a process"
    yield Finding(f"processors in use, of {cores}", None, tuple(run.busy for run in together), peaks, "")


def fill(url: str, games: int) -> None:
    """Write finished games into a migrated, empty database; the account must be a superuser."""
    real = list(played(min(SAMPLES, games), MOVES * 1.15, random.Random("audit")))
    with psycopg.connect(url, autocommit=True) as connection:
        # Foreign keys are not checked for each row, since the rows are consistent. All else holds.
        connection.execute("SET session_replication_role = replica")
        connection.execute("SET synchronous_commit = off")
        accounts = (f"{id_of(-number)}\tnow\n" for number in range(1, _ACCOUNTS + 1))
        copy(connection, "accounts", "id, created_at", accounts)
        for first in range(0, games, _AT_ONCE):
            made = [
                _Copy(number + 1, real[number % len(real)]) for number in range(first, min(first + _AT_ONCE, games))
            ]
            for table, columns in _COLUMNS.items():
                copy(connection, table, columns, (row for each in made for row in each.rows[table]))
        connection.execute("SELECT setval(pg_get_serial_sequence('tables', 'key'), max(key)) FROM tables")
        connection.execute("SET synchronous_commit = on")
        connection.execute("CHECKPOINT")  # otherwise VACUUM treats what is not on disk yet as uncommitted
        connection.execute("VACUUM (FREEZE, ANALYZE)")


_COLUMNS = {
    "tables": "key, id, kind, seats, goal_discs, visibility, maker, commitment, created_at, revision, status",
    "seats": "game, seat, account, joined_at, kind, status",
    "draw_secrets": "game, server_seed",
    "setups": "game, header",
    "progress": "game, status, version, head, last_at, ended_at, result, acted_seq, clock_seq",
    "log": "game, seq, at, seat, by, move, hash",
}


class _Copy:
    """The rows of a copy of a game, by table, in the text format of COPY."""

    def __init__(self, key: int, sample: Sample) -> None:
        game, at = id_of(key), sample.header["game"]["created_at"]
        header = {**sample.header, "game": {**sample.header["game"], "id": game}}
        people = [id_of(-1 - (key * 7 + seat) % _ACCOUNTS) for seat in range(sample.seats)]
        log = list(_log(key, header, sample))
        last, version = sample.progress[-1], len(log)
        head = log[-1].rpartition("\t")[2]
        self.rows: dict[str, Sequence[str]] = {
            "tables": [
                f"{key}\t{game}\t{sample.kind}\t{sample.seats}\t{sample.goal_discs}\tpublic\t{people[0]}"
                f"\t\\\\x{sample.commitment}\t{at}\t{sample.seats}\tfinished\n"
            ],
            "seats": [
                f"{key}\t{seat}\t{account}\t{at}\t{sample.kind}\tfinished\n" for seat, account in enumerate(people)
            ],
            "draw_secrets": [f"{key}\t{binary(sample.seed)}\n"],
            "setups": [f"{key}\t{record.canonical(header).decode()}\n"],
            "progress": [
                f"{key}\tfinished\t{version}\t{head[:-1]}\t{last.last_at.isoformat()}\t{last.last_at.isoformat()}"
                f"\t{last.result}\t{version}\t{version}\n"
            ],
            "log": log,
        }


def _log(key: int, header: record.Object, sample: Sample) -> Iterator[str]:
    """Yield the rows of the log, with the hashes that follow from the copy's own header."""
    head = record.digest(header)
    for entry in sample.entries:
        head = replay.chained(head, [entry])
        told = f"{entry.at.isoformat()}\t{entry.seat}\t{entry.by}\t{entry.move}"
        yield f"{key}\t{entry.seq}\t{told}\t{binary(bytes.fromhex(head))}\n"


def _audit(database: served.Database, processes: int, games: int) -> Run:
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    environ |= {"DATABASE_URL": database.service_url, "NOVALUNA_SECRET_KEY": "k" * 32}
    argv = [sys.executable, "-m", "service.cli", "audit", "--all", "--processes", str(processes)]
    before, begun = spent.seconds(database.pid), time.monotonic()
    process = subprocess.Popen(argv, env=environ, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    told = process.stderr.read()
    _, code, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(code)
    assert process.returncode == 0 and f"{games} games, 0 of them broken" in told, told
    cpu = used.ru_utime + used.ru_stime + spent.seconds(database.pid) - before
    return Run(seconds, cpu / seconds, used.ru_maxrss / 1024)


def main() -> None:
    """Audit as many games as the command line says, once, and print the findings."""
    parser = argparse.ArgumentParser(prog="python -m bench.audit", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=GAMES)
    for finding in measure(1, parser.parse_args().games):
        print("  ".join(finding.row()))


if __name__ == "__main__":
    main()
