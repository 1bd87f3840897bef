"""Work off a queue of a million mails to many domains: by four workers for minutes, then by statements to its end.

Half of the mails go to one domain, which takes few a second, a twentieth each to a smaller such domain and to one that
takes none for now, so that its mails are held, and the others to hundreds of domains without limits. `measure` sends
them by SMTP while codes are asked for, and reads from `pg_stat_statements` what a claim costs. A real mail takes
milliseconds of CPU time, so the queue is then emptied by the statements alone with which workers claim, admit, hold and
finish: each job must be had exactly once, and the last ones as fast as the first.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise

import psycopg
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import emptied, seed, served
from bench.mails import WORKERS, ask_for_codes, worker
from bench.partitions import grow
from bench.rounds import ROUNDS, Finding, Goal, table
from bench.worker import Relay, relaying

JOBS, SECONDS = 1_000_000, 300.0
PEOPLE, GAMES, TIMES = 1_000, 4_000, 25
"""The accounts, the games that are written, and how often they are there with their copies: a wait for each."""

BIG, SMALL, CLOSED = "big.example", "small.example", "closed.example"
LIMITS = f"{BIG}=20/s,10 {SMALL}=5/s"

_VERSION = 12
MOVE_IN = text(f"""
    UPDATE accounts SET email = 'a' || id || '@' || CASE
               WHEN number % 2 = 0 THEN '{BIG}' WHEN number % 20 = 1 THEN '{SMALL}'
               WHEN number % 20 = 3 THEN '{CLOSED}' ELSE number || '.example' END
      FROM (SELECT id AS it, row_number() OVER (ORDER BY id) AS number FROM accounts) AS numbered WHERE id = it
""")

# Each wait once, in any order, then each again: a wait is mailed once, which is more than are sent meanwhile.
_QUEUE = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, held_for, priority)
    SELECT 'default', 'mail_turn', jsonb_build_object('game', id, 'wait', wait_seq), key,
           CASE WHEN key IS NULL THEN 0 ELSE -1000 END
      FROM (SELECT tables.id, wait_seq, mail_domains.key, time
              FROM generate_series(1, :times) AS time, progress JOIN tables ON tables.key = game
              JOIN accounts ON accounts.id = turn_account
              LEFT JOIN mail_domains ON domain = split_part(email, '@', -1) AND held
             WHERE wait_seq IS NOT NULL ORDER BY time, md5(tables.id) LIMIT :jobs) AS each
""")

_CLOSE = text("""
    INSERT INTO mail_domains (domain, held, failures, failed_at, paused_until)
    VALUES (:domain, true, 1, clock_timestamp(), clock_timestamp() + interval '1 day')
""")

_DOMAINS = text("SELECT id, split_part(email, '@', -1) FROM accounts")
_STATEMENTS = {
    "a claim": "%fresh AS MATERIALIZED%",
    "a claim of a held mail": "%FROM claim_held_mail(%",
    "an admission": "%FROM admit_mail(%",
    "a look through a thousand": "%without_room AS MATERIALIZED%",
}
_SPENT = """
    SELECT sum(calls)::float, sum(total_exec_time) / sum(calls),
           sum(shared_blks_hit + shared_blks_read)::float / sum(calls)
      FROM pg_stat_statements WHERE query LIKE %s AND query NOT LIKE '%%pg_stat_statements%%'
"""


def measure(
    rounds: int = ROUNDS, jobs: int = JOBS, seconds: float = SECONDS, by_statements: int = JOBS
) -> Iterator[Finding]:
    """Measure the workers, then the statements; autovacuum runs as it does anywhere."""
    settings = {"max_wal_size": "4GB", "shared_preload_libraries": "pg_stat_statements"}
    with ExitStack() as stack:
        database = stack.enter_context(served.database(settings))
        engine = stack.enter_context(served.connected(database.url))
        with Session(engine) as session, session.begin():
            session.execute(text("CREATE EXTENSION pg_stat_statements"))
            seed.games(session, seed.sign_up(session, PEOPLE), GAMES, _VERSION, 0)
            session.execute(MOVE_IN)
        grow(database.url, GAMES, TIMES)
        if seconds:
            relay = stack.enter_context(relaying())
            yield from _by_workers(database, engine, relay, jobs, seconds)
        queue(engine, by_statements)
        yield from emptied.measure(database.service_url, engine, by_statements, [BIG, SMALL, CLOSED])


def queue(engine: Engine, jobs: int) -> None:
    """Fill the queue with `jobs` mails; those to the closed domain are held."""
    with engine.begin() as connection:
        connection.execute(text("TRUNCATE procrastinate_jobs, deliveries, mail_domains CASCADE"))
        connection.execute(_CLOSE, {"domain": CLOSED})
        waits = connection.scalar(text("SELECT count(*) FROM progress WHERE wait_seq IS NOT NULL")) or 1
        queued = connection.execute(_QUEUE, {"jobs": jobs, "times": jobs // waits + 1}).rowcount
        assert queued == jobs, f"{queued} jobs were queued"
    served.settle(engine)


def _by_workers(
    database: served.Database, engine: Engine, relay: Relay, jobs: int, seconds: float
) -> Iterator[Finding]:
    queue(engine, jobs)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SELECT pg_stat_statements_reset()")
    with ExitStack() as stack:
        for _ in range(WORKERS):
            stack.enter_context(worker(database, [relay], LIMITS))
        relay.await_mails(1)
        begun = time.time()
        asked = ask_for_codes(engine, seconds, [BIG, SMALL, "other.example"])
        ended = time.time()
        time.sleep(5)
    with engine.connect() as connection:
        left = connection.exec_driver_sql(emptied.LEFT).scalar_one()
        to = {id: domain for id, domain in connection.execute(_DOMAINS)}
    names = {name.partition(".")[2]: at for at, name in relay.mails if name.startswith("code.")}
    late = sorted(names[code] - at for code, at in asked.items() if code in names)
    took = f"p50 {_at(late, 0.5):.2f} s, p99 {_at(late, 0.99):.2f} s, slowest {late[-1]:.2f} s"
    lost = f"{len(asked) - len(late)} of {len(asked)} not sent"
    yield Finding("codes: seconds until sent, p99", Goal(5, at_most=True), (_at(late, 0.99),), took, lost)
    sent: dict[str, list[float]] = {}
    for at, name in relay.mails:
        if name.startswith("turn.") and begun <= at <= ended:
            domain = to[name.split(".")[3].partition("+")[0]]
            sent.setdefault(domain if domain in (BIG, SMALL, CLOSED) else "others", []).append(at)
    span = ended - begun
    told = f"{jobs:,} jobs at first, {left:,} at the end, {WORKERS} workers, {span:.0f} s"
    for domain, limit in ((BIG, 20), (SMALL, 5)):
        rate = len(sent.get(domain, ())) / span
        yield Finding(f"   mails a second to {domain}: its limit", Goal(0.9), (rate / limit,), f"{rate:.1f}/s", told)
    assert CLOSED not in sent, "a mail went to the domain that takes none"
    others = sorted(sent["others"])
    gaps = sorted(later - earlier for earlier, later in pairwise(others))
    thirds = [
        sum(begun + span * n / 3 <= at < begun + span * (n + 1) / 3 for at in others) / span * 3 for n in range(3)
    ]
    yield Finding(
        "   mails a second to others, by thirds of the time: in the first",
        Goal(0.8),
        tuple(each / thirds[0] for each in thirds[1:]),
        ", ".join(f"{each:.0f}/s" for each in thirds),
        f"between two of them p99 {_at(gaps, 0.99):.2f} s, at most {gaps[-1]:.1f} s",
    )
    with psycopg.connect(database.url) as connection:
        for name, like in _STATEMENTS.items():
            row = connection.execute(_SPENT, [like]).fetchone()
            if row is not None and row[0]:
                yield Finding(f"   {name}: ms", None, (row[1],), f"{row[0]:,.0f} times", f"{row[2]:.0f} pages each")


def _at(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def main() -> None:
    """Measure with as many jobs and seconds as the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench.backlog", description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of the workers; 0 for none")
    parser.add_argument("--emptied", type=int, default=JOBS, help="the jobs that are emptied by statements")
    given = parser.parse_args()
    findings = []
    for finding in measure(1, given.jobs, given.seconds, given.emptied):
        findings.append(finding)
        sys.stderr.write(f"{finding.name}: {finding.median:.2f} ({finding.ours}; {finding.other})\n")
    print(table(findings))


if __name__ == "__main__":
    main()
