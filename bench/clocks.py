"""Measure what 100,000 running clocks cost an idle worker, compared with none.

The clocks are of real games; all but some hundreds are copies of their rows under other keys, which nothing reads, as
none of them is due. A worker that has started looks at each game once, so those that are due at once are none of this.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import ROUNDS, Finding, Goal
from bench.spent import seconds
from bench.worker import Office, relaying
from engine.clock.terms import PerWait, Terms

RUNNING = 100_000
"""How many clocks run."""

SECONDS = 20.0
"""How many seconds a worker is measured."""

SAMPLES = 200
VERSION = 6

_SETTLING = 10.0
"""Seconds for a worker to start, before it is watched."""

_COPIES = (
    """
    INSERT INTO tables (id, kind, seats, goal_discs, visibility, maker, commitment, created_at, revision, status, clock)
    SELECT 'copy' || number, kind, seats, goal_discs, visibility, maker, commitment, created_at, revision, status, clock
      FROM tables, generate_series(1, :copies) AS number WHERE key = (SELECT min(key) FROM tables)
    """,
    "INSERT INTO setups SELECT key, '{}' FROM tables WHERE id LIKE 'copy%'",
    """
    INSERT INTO log (game, seq, at, seat, by, move, hash)
    SELECT tables.key, seq, at, seat, by, move, hash FROM tables, log
     WHERE tables.id LIKE 'copy%' AND log.game = (SELECT min(game) FROM log) AND seq = 1
    """,
    """
    INSERT INTO progress (game, status, version, head, last_at, turn, turn_account, wait_seq, acted_seq, clock_seq,
                          clock, clock_due_at, runs_out_at)
    SELECT tables.key, progress.status, version, head, last_at, turn, turn_account, wait_seq, acted_seq, clock_seq,
           progress.clock, :due + tables.key * interval '1 second', :due + tables.key * interval '1 second'
      FROM tables, progress
     WHERE tables.id LIKE 'copy%' AND progress.game = (SELECT min(game) FROM progress)
    """,
)


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure the part of a core that a worker and Postgres take while no clock is due."""
    with served.database() as database, served.connected(database.url) as engine, relaying() as relay:
        office = Office(database, engine, relay)
        none = [_idle(office, database.pid) for _ in range(rounds)]
        _write(engine)
        served.settle(engine)
        many = [_idle(office, database.pid) for _ in range(rounds)]
    for place, name in enumerate(("worker", "Postgres")):
        shares = tuple(share[place] for share in many)
        other = sorted(share[place] for share in none)[len(none) // 2]
        middle = sorted(shares)[len(shares) // 2]
        goal = Goal(0.01, at_most=True) if name == "worker" else None
        title = f"{name}, idle, with {RUNNING:,} running clocks: one core"
        yield Finding(title, goal, shares, f"{middle:.2%}", f"{other:.2%} without")


def _write(engine: Engine) -> None:
    due = datetime.now(UTC) + timedelta(days=1)
    with Session(engine) as session, session.begin():
        people = seed.sign_up(session, 2)
        seed.games(session, people, SAMPLES, VERSION, 0, terms=Terms(PerWait(timedelta(days=3))))
        session.execute(text("UPDATE progress SET clock_due_at = :due"), {"due": due})
        for statement in _COPIES:
            session.execute(text(statement), {"copies": RUNNING - SAMPLES, "due": due})


def _idle(office: Office, postgres: int) -> tuple[float, float]:
    """Return the shares of a core that a worker and Postgres use while nothing is due."""
    with office.worker() as worker:
        time.sleep(_SETTLING)
        begun = time.monotonic()
        before = seconds(worker), seconds(postgres)
        time.sleep(SECONDS)
        after = seconds(worker), seconds(postgres)
        spent = time.monotonic() - begun
    return (after[0] - before[0]) / spent, (after[1] - before[1]) / spent
