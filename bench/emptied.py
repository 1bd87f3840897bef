"""Empty a queue of mails by the statements with which workers claim, admit, hold and finish, in four processes.

Each job must be had exactly once, and the last ones as fast as the first.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import dict_row
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from bench.drain import FINISH, claim
from bench.rounds import Finding, Goal
from service.jobs.claim_position import ClaimPosition
from service.mail_limits import DomainLimit
from service.store import job_claims, mail_domains
from service.store.base import engine_url

PROCESSES = 4
LEFT = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"

_FAST = DomainLimit(timedelta(milliseconds=1), 50)
"""The limit of each domain that has one, which is to keep nothing waiting."""

# Until then the limited domains have no room, so the first mail to each is held, and with it all that follow.
_OPEN = text("""
    INSERT INTO mail_domains (domain, next_at)
    SELECT unnest(CAST(:limited AS text[])), clock_timestamp() + make_interval(secs => :seconds)
    ON CONFLICT (domain) DO UPDATE SET failures = 0, paused_until = '-infinity'
""")

_DOMAINS = """
    SELECT tables.id, split_part(email, '@', -1)
      FROM progress JOIN tables ON tables.key = game JOIN accounts ON accounts.id = turn_account
     WHERE wait_seq IS NOT NULL
"""


class Done(NamedTuple):
    """A job that was claimed and finished: its id, whether it was held, when that was, and the seconds of its claim."""

    job: int
    was_held: bool
    at: float
    seconds: float


def measure(url: str, engine: Engine, jobs: int, limited: Sequence[str], seconds: float = 60.0) -> Iterator[Finding]:
    """Empty a queue of a number of jobs.

    Args:
        url: the database, as the role of the service.
        engine: the same, as its owner.
        jobs: the number of jobs in it.
        limited: the domains with a limit, one of which may have held mails.
        seconds: the seconds for which the others have no room at first.
    """
    let_in(engine, limited, seconds)
    begun = time.time()
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        done = [each for some in pool.starmap(empty, [(url, limited)] * PROCESSES) for each in some]
    done.sort(key=lambda each: each.at)
    assert len(done) == jobs == len({each.job for each in done}), f"{len(done)} of {jobs} jobs were had"
    with engine.connect() as connection:
        assert connection.exec_driver_sql(LEFT).scalar_one() == 0, "some jobs are left"
    size = jobs // 20
    for name, was_held in (("ordinary", False), ("held", True)):
        claims = [each.seconds for each in done if each.was_held is was_held]
        part = len(claims) // 20
        means = [sum(claims[n * part : (n + 1) * part]) / part for n in range(20)]
        yield Finding(
            f"claims of {name} jobs, by twentieths: the first",
            Goal(1.5, at_most=True),
            tuple(each / means[0] for each in means[1:]),
            f"last {means[-1] * 1e6:,.0f} µs",
            f"first {means[0] * 1e6:,.0f} µs, {len(claims):,} claims",
        )
    rates = {left: _rate(done, jobs - left, size) for left in (jobs, jobs // 2, jobs // 10, 0)}
    yield Finding(
        f"jobs a second with {', '.join(f'{left:,}' for left in rates)} left: with all",
        Goal(0.7),
        tuple(each / rates[jobs] for each in rates.values()),
        ", ".join(f"{each:,.0f}/s" for each in rates.values()),
        f"{jobs / (done[-1].at - begun):,.0f}/s in all",
    )


def let_in(engine: Engine, limited: Sequence[str], seconds: float) -> None:
    """Let the domains have mails; those that nothing is known of get them after a number of seconds."""
    with engine.begin() as connection:
        connection.execute(_OPEN, {"limited": list(limited), "seconds": seconds})


def empty(url: str, limited: Sequence[str]) -> list[Done]:
    """Claim, admit, hold and finish jobs as a worker does, ordinary and held ones in turn, until there are none."""
    position, done = ClaimPosition(), []
    engine = create_engine(engine_url(url))
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection, Session(engine) as session:
        with psycopg.connect(url) as plain:
            domains: dict[str, str] = dict(plain.execute(_DOMAINS).fetchall())
        while True:
            found = []
            for was_held in (False, True):
                begun = time.perf_counter()
                job = _held(connection) if was_held else claim(connection, position)
                seconds = time.perf_counter() - begun
                if job is None:
                    continue
                found.append(job)
                if was_held or _is_admitted(session, connection, job, domains, limited):
                    connection.execute(FINISH, [job["id"]])
                    done.append(Done(job["id"], was_held, time.time(), seconds))
            if not found:
                if connection.execute(LEFT).fetchone() == {"count": 0}:
                    engine.dispose()
                    return done
                time.sleep(0.05)


def _held(connection: psycopg.Connection[dict[str, Any]]) -> dict[str, Any] | None:
    return connection.execute(job_claims.OF_HELD, {"worker": None}).fetchone()


def _is_admitted(
    session: Session,
    connection: psycopg.Connection[dict[str, Any]],
    job: dict[str, Any],
    domains: dict[str, str],
    limited: Sequence[str],
) -> bool:
    domain = domains[job["args"]["game"]]
    if domain not in limited:
        return True
    with session.begin():
        admission = mail_domains.admit(session, domain, _FAST, job["id"], anyway=False)
        if not admission.admitted:
            mail_domains.hold_waiting(session, job["id"], admission.key, {})
    if not admission.admitted:
        connection.execute(job_claims.HOLD, {"job": job["id"], "domain": admission.key})
    return admission.admitted


def _rate(done: Sequence[Done], first: int, size: int) -> float:
    """Return the jobs a second around one of them."""
    some = done[max(0, min(first - size // 2, len(done) - size)) :][:size]
    return len(some) / (some[-1].at - some[0].at)
