"""Measure the cost of a NOTIFY in each move's transaction: moves per second in Postgres, without and with it.

The statement is the one that writes a move, its projection and its mail's job (`service.store.log`). pgbench sends it
as a prepared statement from 1, 4 and 16 connections, each to games of its own. Our side is the queue as our migrations
leave it, with a NOTIFY beside the moves as often as a web process sends one. The other side has the job queue's own
trigger on.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event, Thread
from typing import Any

import psycopg

from bench import served
from bench.rounds import ROUNDS, Finding, in_turn, speeds
from bench.spent import Meter
from service.local.account import postgres_account
from service.local.binaries import prepare
from service.store import log, waking
from service.store.log import Entry, Progress
from service.store.queue import QUEUE, Job

WRITERS = (1, 4, 16)
SECONDS = 2
_GAMES = 2_000
"""The games of each connection, which moves in one after the other."""

_TRIGGER = "procrastinate_jobs_notify_queue_job_inserted_v1"

_SEED = f"""
INSERT INTO accounts (id, created_at) VALUES ('bench', now());
INSERT INTO tables (id, kind, seats, goal_discs, visibility, commitment, created_at)
SELECT number, 'match', 2, 20, 'public', sha256('bench'), now() FROM generate_series(1, {_GAMES * max(WRITERS)}) number;
INSERT INTO setups SELECT key, '{{}}' FROM tables;
INSERT INTO progress (game, status, version, head, last_at)
SELECT key, 'running', 0, sha256('bench'), now() FROM tables;
"""

# The statement's parameters, as pgbench can generate them; `game` and `seq` differ each time.
_VALUES = {
    "game": ":game",
    "seq": ":seq",
    "at": "now()",
    "seat": "0",
    "by": "''",
    "move": "'place 17 0,0'",
    "hash": "sha256('bench')",
    "status": "'running'",
    "version": ":seq",
    "head": "sha256('bench')",
    "acted_seq": ":seq",
    "clock": "NULL::text",
    "clock_due_at": "now()",
    "runs_out_at": "NULL::timestamptz",
    "turn": "1",
    "turn_account": "'bench'",
    "wait_seq": ":seq",
    "ended_at": "NULL::timestamptz",
    "result": "NULL::text",
    "jobs": f"(json_build_array(json_build_object('queue', '{QUEUE}', 'task', 'mail_turn', 'priority', 0,"
    " 'lock', 'turn:' || (:game)::text || ':' || (:seq)::text,"
    " 'args', json_build_object('game', (:game)::text, 'wait', (:seq)::int))))",
}


class _Noted:
    """A stand-in for a database that records the statement it is given."""

    statement = ""

    def rows(self, statement: str, arguments: Mapping[str, object]) -> list[tuple[Any, ...]]:
        raise NotImplementedError("a move is written, not read")

    def read(self, statement: str, arguments: Mapping[str, object]) -> tuple[Any, ...]:
        raise NotImplementedError("a move is written, not read")

    def write(self, statement: str, arguments: Mapping[str, object], *, wakes: bool) -> tuple[Any, ...]:
        self.statement = statement
        return (True,)


def script() -> str:
    """Return the pgbench script: one move, in another game each time, after the games of earlier runs (`base`)."""
    noted, now = _Noted(), datetime.now(UTC)
    progress = Progress("running", 1, bytes(32), now, 1, 1, None, None)
    log.append(noted, 1, Entry(1, now, 0, "", ""), progress, None, [Job("mail_turn", {}, "")])
    statement = re.sub(r"%\((\w+)\)s", lambda found: _VALUES[found[1]], noted.statement)
    return (
        "\\set number :number + 1\n"
        f"\\set game :client_id * {_GAMES} + :number % {_GAMES} + 1\n"
        f"\\set seq :base + :number / {_GAMES} + 1\n"
        f"{statement.strip()};\n"
    )


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure moves per second with several numbers of writers, without and with a NOTIFY in each move."""
    with served.database() as database, psycopg.connect(database.url, autocommit=True) as owner:
        owner.execute(_SEED)
        owner.execute("VACUUM ANALYZE")
        (database.folder / "move.sql").write_text(script())
        for writers in WRITERS:
            ours = Writing(database, owner, writers, notifies=False)
            other = Writing(database, owner, writers, notifies=True)
            for one in (ours, other):
                one()
                one.meter.clear()
            name = f"moves of {writers} writers: NOTIFY in each"
            found = speeds(name, None, "moves/s", in_turn(ours, other, rounds))
            cpu = ours.meter.cpu(name.partition(":")[0], "move"), other.meter.cpu("   NOTIFY in each", "move")
            yield replace(found, cpu=cpu)


class Writing:
    """Connections that write moves; with `notifies`, each move's job notifies within its transaction."""

    _runs = 0

    def __init__(self, database: served.Database, owner: psycopg.Connection, writers: int, *, notifies: bool) -> None:
        self._database = database
        self._owner = owner
        self._writers = writers
        self._notifies = notifies
        self.meter = Meter({"Postgres": database.pid})

    def __call__(self) -> float:
        """Run one round; return the seconds per move, of all connections together."""
        self._owner.execute("TRUNCATE procrastinate_jobs CASCADE")
        self._owner.execute(
            f"ALTER TABLE procrastinate_jobs {'ENABLE' if self._notifies else 'DISABLE'} TRIGGER {_TRIGGER}"
        )
        self._owner.execute("CHECKPOINT")
        self.meter.begin()
        if self._notifies:
            moves, a_second = self._write()
        else:
            with _waking(self._database.url):
                moves, a_second = self._write()
        self.meter.end(moves)
        return 1 / a_second

    def _write(self) -> tuple[int, float]:
        Writing._runs += 1
        programs = prepare(None, self._database.folder / "data" / "postgres-programs", postgres_account())
        done = subprocess.run(
            [
                programs.program("pgbench"),
                "--no-vacuum",
                "--protocol=prepared",
                f"--client={self._writers}",
                f"--time={SECONDS}",
                f"--file={self._database.folder / 'move.sql'}",
                "--define=number=0",
                f"--define=base={Writing._runs * 50}",
                self._database.service_url,
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        moves = int(_told(r"number of transactions actually processed: (\d+)", done.stdout))
        failed = int(_told(r"number of failed transactions: (\d+)", done.stdout))
        if failed or not moves:
            raise RuntimeError(f"pgbench could not write: {done.stderr[-2000:]}")
        return moves, float(_told(r"tps = ([\d.]+)", done.stdout))


def _told(pattern: str, output: str) -> str:
    found = re.search(pattern, output)
    assert found, output
    return found[1]


@contextmanager
def _waking(url: str) -> Iterator[None]:
    """Wake the worker during the block, as often as a web process does at most."""
    over = Event()

    def wake() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not over.wait(waking.PAUSE):
                connection.execute(waking.NOTIFY)

    thread = Thread(target=wake)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
