"""Measure a queue of a million mails, nearly all to one domain that takes few of them, with four workers.

Behind them, and so claimed last, stand mails to other domains; and somebody asks for a code every second. What counts
is that neither waits for the million, that the limited domain gets its rate and no more from all workers together, and
that a claim does not get slower. A second mail server refuses all mails for good with 554, and none is lost by that.
The other domains' mails are sent without the million first, by the same workers.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from statistics import median

import psycopg
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import ROUNDS, Finding, Goal
from bench.worker import Relay, relaying
from service.ids import new_id
from service.local.child import spawn
from service.store import job_claims
from service.store.accounts import Code
from service.store.queue import defer

JOBS = 1_000_000
FEW = 1_000
WORKERS = 4
GAMES = 4_000
PEOPLE = 200
RATE = 20
SECONDS = 60.0
BIG = "big.example"

_KEY = "for-measurements-only-and-32-characters-long"
_VERSION = 12

# Every second account is at the big domain, so that half of the waits are; the others are at domains of their own.
_MOVE_IN = text(f"""
    UPDATE accounts SET email = 'a' || id || '@' || CASE WHEN number % 2 = 0 THEN '{BIG}' ELSE number || '.example' END
      FROM (SELECT id AS it, row_number() OVER (ORDER BY id) AS number FROM accounts) AS numbered WHERE id = it
""")

# A wait is mailed once; all further jobs for it find that when they are let through, and stand behind the others.
_PILE_UP = text(f"""
    WITH waits AS MATERIALIZED (
        SELECT tables.id AS game, wait_seq, email LIKE '%@{BIG}' AS is_big
          FROM progress JOIN tables ON tables.key = game JOIN accounts ON accounts.id = turn_account
         WHERE wait_seq IS NOT NULL
    ), big AS MATERIALIZED (SELECT * FROM waits WHERE is_big)
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'default', 'mail_turn', jsonb_build_object('game', game, 'wait', wait_seq) FROM (
        SELECT * FROM (SELECT game, wait_seq
                         FROM generate_series(1, :jobs / (SELECT count(*) FROM big) + 1) AS time, big
                        ORDER BY time LIMIT :jobs) AS first
        UNION ALL SELECT game, wait_seq FROM waits WHERE NOT is_big
    ) AS all_of_them
""")


def measure(rounds: int = ROUNDS, jobs: int = JOBS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure claims beside those of a short queue, then the workers."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database({"max_wal_size": "4GB"}))
        engine = stack.enter_context(served.connected(database.url))
        relay, refusing = (stack.enter_context(relaying(refuses=refuses)) for refuses in (False, True))
        with Session(engine) as session, session.begin():
            seed.games(session, seed.sign_up(session, PEOPLE), GAMES, _VERSION, 0)
            session.execute(_MOVE_IN)
        others = _pile_up(engine, FEW) - FEW
        few = [_claim(database.url) for _ in range(rounds)]
        _pile_up(engine, jobs)
        many = [_claim(database.url) for _ in range(rounds)]
        ratios = tuple(one / other for one, other in zip(many, few, strict=True))
        ours, other = (f"{median(side) * 1e6:,.0f} µs" for side in (many, few))
        yield Finding(f"a claim with {jobs:,} jobs: {FEW:,}", Goal(2, at_most=True), ratios, ours, other)
        alone = _alone(database, engine, relay)
        _pile_up(engine, jobs)
        relay.mails.clear()
        asked = _work(database, engine, (relay, refusing), seconds)
        names = {name.partition(".")[2]: at for at, name in relay.mails if name.startswith("code.")}
        late = sorted(names[code] - at for code, at in asked.items() if code in names)
        turns = [(at, name) for at, name in relay.mails if name.startswith("turn.")]
        begun = min(asked.values())
        big = _to_big(engine, [name for _, name in turns])
        limited = sum(name in big and begun <= at < begun + seconds for at, name in turns)
        ends = [at - begun for at, name in turns if name not in big]
        told = f"{jobs:,} mails to one domain, {others:,} to others behind them, {WORKERS} workers, {seconds:.0f} s"
        lost = f"{len(asked) - len(late)} of {len(asked)} not sent"
        yield Finding("codes: seconds until sent, the slowest", Goal(5, at_most=True), (late[-1],), told, lost)
        yield Finding(
            "other domains: share of their mails sent", Goal(0.99), (len(ends) / others,), f"{max(ends):.0f} s", ""
        )
        beside = _rate(ends)
        yield Finding(
            "   mails a second: without the others", Goal(0.5), (beside / alone,), f"{beside:.0f}/s", f"{alone:.0f}/s"
        )
        rate = limited / seconds / RATE
        yield Finding("limited domain: mails a second, of its limit", Goal(0.9), (rate,), f"{RATE}/s", "")
        with engine.connect() as connection:
            left = connection.scalar(
                text("SELECT count(*) FROM procrastinate_jobs WHERE held_for IS NULL AND status = 'todo'")
            )
        yield Finding(
            "   mails looked through and held", None, (1 - (left or 0) / jobs,), f"{jobs - (left or 0):,}", ""
        )


def _pile_up(engine: Engine, jobs: int) -> int:
    with engine.begin() as connection:
        connection.execute(text("TRUNCATE procrastinate_jobs, deliveries, mail_domains CASCADE"))
        count = connection.execute(_PILE_UP, {"jobs": jobs}).rowcount
    served.settle(engine)
    return count


def _claim(url: str) -> float:
    """Return the seconds that a claim of an ordinary job takes, the mean of a hundred, which are undone."""
    with psycopg.connect(url) as connection:
        begun = time.perf_counter()
        for _ in range(100):
            connection.execute(job_claims.ORDINARY, {"worker": None, "begin": 0})
        taken = time.perf_counter() - begun
        connection.rollback()
    return taken / 100


def _alone(database: served.Database, engine: Engine, relay: Relay) -> float:
    """Return the mails a second that are sent to other domains with nothing else to be done."""
    others = _pile_up(engine, 0)
    relay.mails.clear()
    with ExitStack() as stack:
        for _ in range(WORKERS):
            stack.enter_context(worker(database, [relay]))
        relay.await_mails(others)
    return _rate([at for at, _ in relay.mails])


def _rate(times: Sequence[float]) -> float:
    """Return the mails a second from the first to the last but one of a hundred."""
    ordered = sorted(times)
    last = (len(ordered) - 1) * 99 // 100
    return last / (ordered[last] - ordered[0])


def _work(database: served.Database, engine: Engine, relays: Sequence[Relay], seconds: float) -> dict[str, float]:
    """Run the workers for a number of seconds, and ask for a code in each; return when each code was asked for."""
    with ExitStack() as stack:
        for _ in range(WORKERS):
            stack.enter_context(worker(database, relays))
        relays[0].await_mails(1)
        asked = ask_for_codes(engine, seconds, [BIG])
        time.sleep(2)
    return asked


def ask_for_codes(engine: Engine, seconds: float, domains: Sequence[str]) -> dict[str, float]:
    """Ask for a code each second, at one domain after the other; return when each code was asked for, by its id."""
    asked: dict[str, float] = {}
    begun = time.monotonic()
    while time.monotonic() < begun + seconds:
        now, domain = datetime.now(UTC), domains[len(asked) % len(domains)]
        code = Code(
            id=new_id(), purpose="sign-in", email=f"c{len(asked)}@{domain}", created_at=now,
            expires_at=now + timedelta(minutes=15),
        )  # fmt: skip
        with Session(engine) as session, session.begin():
            session.add(code)
            session.flush()
            defer(session, "mail_code", {"code": code.id})
            name = code.id
        asked[name] = time.time()
        time.sleep(1)
    return asked


@contextmanager
def worker(database: served.Database, relays: Sequence[Relay], limits: str = f"{BIG}={RATE}/s") -> Iterator[None]:
    """Run a worker with these mail servers and limits during the block."""
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
    environ |= {
        "DATABASE_URL": database.service_url,
        "NOVALUNA_SECRET_KEY": _KEY,
        "NOVALUNA_SMTP_URL": " ".join(relay.url for relay in relays),
        "NOVALUNA_MAIL_PICTURES": "off",
        "NOVALUNA_MAIL_LIMITS": limits,
    }
    with (database.folder / "worker.log").open("ab") as log:
        process = spawn(
            [sys.executable, "-m", "service.cli", "worker"], env=environ, last_signal=signal.SIGKILL, stdout=log
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _to_big(engine: Engine, names: Sequence[str]) -> set[str]:
    """Return those of these mails that went to the big domain; a mail's name ends with the account."""
    with engine.connect() as connection:
        big = set(connection.scalars(text(f"SELECT id FROM accounts WHERE email LIKE '%@{BIG}'")))
    return {name for name in names if name.split(".")[3].partition("+")[0] in big}
