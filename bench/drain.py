"""Empty a queue of a million jobs by the statements of four workers, and measure the claims from first to last.

Nothing is composed or sent, which would take hours: what is measured is whether a claim gets slower with the rows and
index entries of what was done before. The second time, a transaction is open all the while, as a backup's is, so that
Postgres can remove none of them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from statistics import fmean
from typing import Any

import psycopg
from procrastinate.jobs import Job
from psycopg.rows import dict_row

from bench import served
from bench.rounds import ROUNDS, Finding, Goal
from service.jobs.claim_position import ClaimPosition
from service.store import job_claims

JOBS = 1_000_000
WORKERS = 4
_PARTS = 20
"""The parts of the queue, of which the first and the last are compared."""

_PILE_UP = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'default', 'mail_turn', '{}' FROM generate_series(1, %s)
"""
FINISH = "SELECT procrastinate_finish_job_v1(%s, 'succeeded', false)"
_INDEXES = "SELECT pg_indexes_size('procrastinate_jobs')"


def measure(rounds: int = ROUNDS, jobs: int = JOBS) -> Iterator[Finding]:
    """Measure once without the open transaction and once with it; the rounds are the parts of the queue."""
    for is_held in (False, True):
        with ExitStack() as stack:
            database = stack.enter_context(served.database({"max_wal_size": "4GB"}))
            with psycopg.connect(database.url, autocommit=True) as connection:
                connection.execute(_PILE_UP, [jobs])
                connection.execute("VACUUM ANALYZE procrastinate_jobs")
                before = connection.execute(_INDEXES).fetchone()
            if is_held:
                backup = stack.enter_context(psycopg.connect(database.url))
                backup.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                backup.execute("SELECT FROM procrastinate_jobs LIMIT 1")
            begun = time.perf_counter()
            with ThreadPoolExecutor(WORKERS) as threads:
                claims = [
                    claim
                    for taken in threads.map(partial(_drain, database.service_url), range(WORKERS))
                    for claim in taken
                ]
            seconds = time.perf_counter() - begun
            assert len(claims) == jobs, f"{len(claims)} of {jobs} jobs were claimed"
            parts = _means(claims)
            with psycopg.connect(database.url) as connection:
                after = connection.execute(_INDEXES).fetchone()
        assert before is not None and after is not None
        beside = ", a transaction open all the while" if is_held else ""
        yield Finding(
            f"a claim, by twentieths of a queue{beside}: in the first",
            Goal(1.5, at_most=True),
            tuple(part / parts[0] for part in parts[1:]),
            f"last {parts[-1] * 1e6:,.0f} µs, {jobs / seconds:,.0f} jobs/s",
            f"first {parts[0] * 1e6:,.0f} µs",
        )
        yield Finding(
            "   its indexes afterwards: before", None, (after[0] / before[0],), f"{after[0] / 1e6:,.0f} MB", ""
        )


def _drain(url: str, _: int) -> list[tuple[int, float]]:
    """Claim and finish jobs until there are none; return each one's id and the seconds that its claim took."""
    position = ClaimPosition()
    claims: list[tuple[int, float]] = []
    with psycopg.connect(url, autocommit=True, row_factory=dict_row) as connection:
        while True:
            begun = time.perf_counter()
            found = claim(connection, position)
            if found is None:
                return claims
            claims.append((found["id"], time.perf_counter() - begun))
            connection.execute(FINISH, [found["id"]])


def claim(connection: psycopg.Connection[dict[str, Any]], position: ClaimPosition) -> dict[str, Any] | None:
    """Claim the next ordinary job as a worker does: from where it found the last one, or else from the beginning."""
    for begin in dict.fromkeys((position.begin(), 0)):
        found = connection.execute(job_claims.ORDINARY, {"worker": None, "begin": begin}).fetchone()
        if found is not None:
            position.found(Job.from_row(found))
            return found
    return None


def _means(claims: list[tuple[int, float]]) -> list[float]:
    """Return the mean seconds of a claim for each part of the queue."""
    ordered = [seconds for _, seconds in sorted(claims)]
    size = len(ordered) // _PARTS
    return [fmean(ordered[part * size : (part + 1) * size]) for part in range(_PARTS)]
