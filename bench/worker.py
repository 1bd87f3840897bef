"""Measure whether one worker keeps up: mails per second, and the latency of a mail at 50 moves per second.

The worker is one as `novaluna worker` starts it, the turn mails are composed from real games, and an SMTP server on the
loopback interface runs in a process of its own. Latencies are from a move's commit until that server has the whole
mail.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from statistics import median
from threading import Thread

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import ROUNDS, Finding, Goal, costs
from bench.spent import Cpu, Meter
from service.commands.expectation import Expectation
from service.commands.play import play
from service.config import Settings
from service.local.child import spawn
from service.queries.table import load
from service.store import waking

PACE = 50
"""The moves per second that a worker should keep up with."""

SECONDS = 8
MOVED_IN = PACE * SECONDS
"""The number of games that get one move each in a round, so that no wait is over before its mail is sent."""

VERSION = 12
PEOPLE = 16
SMALL, LARGE = 500, 10_000
"""The number of jobs that have piled up, each for another game's wait, since a wait is mailed once."""

_KEY = "for-measurements-only-and-32-characters-long"
_PATIENCE = 600.0


@dataclass
class Relay:
    """An SMTP server in a process of its own.

    Attributes:
        port: the port that it listens on.
        pid: its process id.
        mails: the mails received, each with the time (seconds since 1970) and its name.
    """

    port: int
    pid: int
    mails: list[tuple[float, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address for `NOVALUNA_SMTP_URL`."""
        return f"smtp://127.0.0.1:{self.port}"

    def await_mails(self, count: int) -> None:
        """Wait until a number of mails has been received."""
        _await(lambda: len(self.mails) >= count)


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure how fast one worker empties the queue, and the time from commit to mail, with and without waking."""
    with served.database() as database, served.connected(database.url) as engine, relaying() as relay:
        with Session(engine) as session, session.begin():
            people = seed.sign_up(session, PEOPLE)
            games = [game.id for game in seed.games(session, people, LARGE, VERSION, 0)]
        served.settle(engine)
        office = Office(database, engine, relay)
        small = [office.catch_up(SMALL) for _ in range(rounds)]
        fast = median(small)
        yield replace(
            _told("mails a second of one worker: moves a second", Goal(1), small, PACE),
            cpu=(office.cpu,),
        )
        large = office.catch_up(LARGE)
        yield _told(f"   with {LARGE:,} jobs piled up: {SMALL:,}", Goal(0.7), [large], fast)
        with office.worker():
            latencies = list(_latencies(office, games[:MOVED_IN], rounds))
        for share, name in ((0.5, "p50"), (0.99, "p99")):
            taken = [(_at(woken, share), _at(polled, share)) for woken, polled in latencies]
            yield costs(f"commit to mail at {PACE} moves/s, {name}: not woken", Goal(0.5, at_most=True), taken)


def _told(name: str, goal: Goal, rates: list[float], other: float) -> Finding:
    ratios = tuple(rate / other for rate in rates)
    return Finding(name, goal, ratios, f"{median(rates):,.0f} mails/s", f"{other:,.0f}/s")


class Office:
    """A database with games, an SMTP server, and at times a worker between them."""

    def __init__(self, database: served.Database, engine: Engine, relay: Relay, *, pictures: bool = False) -> None:
        self._database = database
        self._pictures = pictures
        self._engine = engine
        self.relay = relay
        self.settings = Settings(database_url=database.service_url, secret_keys=(_KEY,), data_dir=database.folder)
        self.cpu = Cpu("", "", {})

    def catch_up(self, count: int) -> float:
        """Return the mails per second of a worker that starts with a number of jobs, from its first mail to its last.

        There are fewer jobs if fewer games have a wait.
        """
        with self._engine.begin() as connection:
            connection.execute(text("TRUNCATE procrastinate_jobs, deliveries CASCADE"))
            count = connection.execute(_PILE_UP, {"count": count}).rowcount
        self.relay.mails.clear()
        with self.worker() as pid:
            self.relay.await_mails(1)
            meter = Meter({"worker": pid, "Postgres": self._database.pid, "relay": self.relay.pid})
            meter.begin()
            had = len(self.relay.mails)
            self.relay.await_mails(count)
            meter.end(count - had)
        self.cpu = meter.cpu(f"{count:,} mails", "mail")
        times = [at for at, _ in self.relay.mails]
        return (count - 1) / (times[-1] - times[0])

    @contextmanager
    def worker(self) -> Iterator[int]:
        """Run a worker during the block, and yield its process id; it is asked to stop at the end."""
        environ = {name: os.environ[name] for name in ("HOME", "PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
        environ |= {
            "DATABASE_URL": self._database.service_url,
            "NOVALUNA_SECRET_KEY": _KEY,
            "NOVALUNA_SMTP_URL": self.relay.url,
            "NOVALUNA_MAIL_PICTURES": "on" if self._pictures else "off",
        }
        with (self._database.folder / "worker.log").open("ab") as log:
            process = spawn(
                [sys.executable, "-m", "service.cli", "worker"],
                env=environ,
                last_signal=signal.SIGKILL,
                stdout=log,
            )
        try:
            yield process.pid
        finally:
            process.terminate()
            process.wait()

    def move(self, game: str, chance: random.Random) -> str | None:
        """Make a random move in a game; return how the name of the next wait's mail begins, None if no wait began."""
        with Session(self._engine) as session:
            with session.begin():
                table = load(session, game)
                if table is None or table.state.turn is None:
                    return None
                move = chance.choice(table.state.legal_moves())
                expected = Expectation([table.version])
                played = play(session, table, table.state.turn, move, expected, datetime.now(UTC)).table
            progress = played.progress
        begun = progress is not None and progress.status == "running" and progress.wait_seq == played.version
        return f"turn.{game}.{played.version}." if begun else None


# The current waits of so many games.
_PILE_UP = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'default', 'mail_turn', jsonb_build_object('game', tables.id, 'wait', progress.wait_seq)
      FROM progress JOIN tables ON tables.key = progress.game
     WHERE progress.wait_seq IS NOT NULL
     LIMIT :count
""")


def _latencies(office: Office, games: list[str], rounds: int) -> Iterator[tuple[list[float], list[float]]]:
    """Yield by round the latency of each mail, with the worker woken, and with it only polling."""
    waker = waking.Waker(office.settings)
    chance = random.Random(PACE)
    try:
        for number in range(rounds + 1):
            sides: list[list[float]] = [[], []]
            for side in (number % 2, 1 - number % 2):
                waking.use(None if side else waker)
                sides[side] = _paced(office, games, chance)
            if number:  # the first one is a warm-up
                yield sides[0], sides[1]
    finally:
        waking.use(None)
        waker.close()


def _paced(office: Office, games: list[str], chance: random.Random) -> list[float]:
    """Move once in each game, at a rate of moves per second; return the latency of each mail."""
    office.relay.mails.clear()
    committed: dict[str, float] = {}
    begun = time.monotonic()
    for number, game in enumerate(games):
        time.sleep(max(0.0, begun + number / PACE - time.monotonic()))
        if name := office.move(game, chance):
            committed[name] = time.time()
    office.relay.await_mails(len(committed))
    taken = {name.rpartition(".")[0] + ".": at for at, name in office.relay.mails}
    return [max(0.0, taken[name] - at) for name, at in committed.items()]


def _at(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


@contextmanager
def relaying(*, refuses: bool = False) -> Iterator[Relay]:
    """Run an SMTP server during the block, which accepts every mail or refuses every one."""
    told = ["--refuses"] if refuses else []
    process = subprocess.Popen([sys.executable, "-m", "bench.relay", *told], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = process.stdout
    relay = Relay(int(lines.readline()), process.pid)

    def note() -> None:
        for line in lines:
            at, name = line.split()
            relay.mails.append((float(at), name))

    thread = Thread(target=note)
    thread.start()
    try:
        yield relay
    finally:
        process.terminate()
        process.wait()
        thread.join()
        lines.close()


def _await(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the worker did not send its mails within {_PATIENCE:.0f} s")
        time.sleep(0.01)
