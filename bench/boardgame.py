"""Compare the service with boardgame.io and its Postgres store (goal A2): moves per second in 8 concurrent games.

The figures are in wall time. Both play whole two-player games from the first move on, in one Postgres that waits for
the disk, and each move is sent after the response to the move before. boardgame.io runs as documented, one Node
process, with the simplest game (`bench/peers/game.js`); it notifies its players over their connections, ours with a
mail, whose job is written with the move. It responds before it has written a move, but takes no other move of that
match before it has.

It needs node and npm. The packages are installed into `bench/peers` at the first run.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import CONNECTIONS, Measured, once
from bench.load import Result
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn, pairs, speeds
from bench.spent import Meter
from service.local.child import spawn

FOLDER = Path(__file__).parent / "peers"
DATABASE = "boardgame"
MATCHES, MOVES = 8, 40
"""The number of concurrent matches in each round, and the moves of each; ours are as many, on as many connections."""
KINDS = ("sync", "gthread", "gevent")
"""The kinds of gunicorn workers."""


class Missing(Exception):
    """The benchmark cannot run here; the text says why."""


@dataclass
class Played:
    """A player of boardgame.io matches, which stores the result of each round."""

    port: int
    database_url: str
    meter: Meter
    results: list[Result] = field(default_factory=list)

    def __call__(self) -> float:
        """Play one round; return the seconds per move, of all matches together."""
        argv = ["node", "load.js", str(self.port), str(MATCHES), str(MOVES)]
        with subprocess.Popen(argv, cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as load:
            assert load.stdin is not None
            assert load.stdout is not None
            matches: list[str] = json.loads(load.stdout.readline() or "[]")
            if not matches:
                raise Missing("boardgame.io was left out: it took no players in; above it says why.")
            self.meter.begin()
            load.stdin.write("go\n")
            load.stdin.flush()
            result = Result(**json.loads(load.stdout.readline()))
            self.meter.end(len(result.latencies), load=result.cpu)
        self._check(matches)
        self.results.append(result)
        return result.each

    def _check(self, matches: list[str]) -> None:
        """Wait until all moves are written, and check that none is missing."""
        query = """SELECT count(*), min((state ->> '_stateID')::int),
                          min((SELECT count(*) FROM json_array_elements(log) AS entry
                                WHERE entry -> 'action' ->> 'type' = 'MAKE_MOVE'))
                     FROM "Games" WHERE id = ANY (%s)"""
        deadline = time.monotonic() + 10
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            while (found := connection.execute(query, [matches]).fetchone()) != (MATCHES, MOVES, MOVES):
                if time.monotonic() > deadline:
                    raise AssertionError(f"of {MATCHES} matches with {MOVES} moves each there are {found}")
                time.sleep(0.02)


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Compare our web server, with each kind of gunicorn workers, to boardgame.io; raise Missing without node."""
    fetch()
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                people = seed.sign_up(session, CONNECTIONS)
                games = [seed.games(session, people, (rounds + 1) * MATCHES, 0, MOVES) for _ in KINDS]
            served.settle(engine)
        peer = stack.enter_context(_server(database))
        theirs = Played(peer.port, peer.database_url, Meter({"node": peer.pid, "Postgres": database.pid}))
        for kind, ours_to_play in zip(KINDS, games, strict=True):
            with served.gunicorn("service.wsgi:app", kind, database) as web:
                meter = Meter({"web": web.pid, "Postgres": database.pid})
                ours = Measured(once(web.port, ours_to_play, MATCHES), "201", meter)
                yield from _compared(kind, ours, theirs, rounds)


def _compared(kind: str, ours: Measured, theirs: Played, rounds: int) -> Iterator[Finding]:
    for one in (ours, theirs):
        one()
        one.results.clear()
        one.meter.clear()
    name = f"A2 moves in {MATCHES} games: boardgame.io ({kind})"
    found = speeds(name, Goal(2), "moves/s", in_turn(ours, theirs, rounds))
    if dropped := sum(result.statuses.get("dropped", 0) for result in theirs.results):
        sys.stderr.write(
            f"boardgame.io dropped {dropped} syncs of players that came to a match; they were sent again.\n"
        )
        found = replace(found, other=f"{found.other} ({dropped} syncs sent again)")
    cpu = ours.meter.cpu(f"A2 moves in {MATCHES} games ({kind})", "move"), theirs.meter.cpu("   boardgame.io", "move")
    yield replace(found, cpu=cpu)
    for share, goal in ((0.5, None), (0.99, Goal(0.5, at_most=True))):
        times = [[result.percentile(share) for result in each.results] for each in (ours, theirs)]
        yield costs(f"   p{share * 100:.0f} of them", goal, pairs(*times))


def fetch() -> None:
    """Install the packages if they are missing; raise Missing without node and npm."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        raise Missing(f"boardgame.io was left out: there is no {' and no '.join(missing)} here.")
    lock, done = FOLDER / "package-lock.json", FOLDER / "node_modules" / ".package-lock.json"
    if done.exists() and done.stat().st_mtime >= lock.stat().st_mtime:
        return
    command = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
    if subprocess.run(command, cwd=FOLDER, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise Missing("boardgame.io was left out: npm could not fetch its packages; above it says why.")


class _Peer(NamedTuple):
    port: int
    pid: int
    database_url: str


@contextmanager
def _server(database: served.Database) -> Iterator[_Peer]:
    """Run boardgame.io's server during the block, with a database of its own in our Postgres."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
        host, user = connection.info.host, connection.info.user
    url = make_conninfo(database.url, dbname=DATABASE)
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    with (database.folder / "node.log").open("ab") as log:
        server = spawn(
            ["node", str(FOLDER / "server.js"), host, DATABASE, user],
            env=environ | {"NODE_ENV": "production"},
            last_signal=signal.SIGKILL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=FOLDER,
        )
    assert server.stdout is not None
    try:
        for line in server.stdout:
            if listening := re.match(rb"listening on (\d+)", line):
                yield _Peer(int(listening[1]), server.pid, url)
                return
        raise RuntimeError(f"boardgame.io did not start: {(database.folder / 'node.log').read_text()[-2000:]}")
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
