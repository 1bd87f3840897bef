"""Games whose clocks run out while faults strike: each step is taken once, never early, and soon after all works."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from bench import seed
from engine.clock.terms import Ladder, PerWait, Terms
from service.store.base import engine_url
from tests.drills.service import Service
from tests.support.running import eventually

GAMES = 12
"""The number of games in a round: half of them wait for the first step, the others for the one that ends them."""

SPAN = timedelta(seconds=10)
"""The time after the beginning of a round in which they fall due, one after the other."""

PATIENCE = 180.0
"""Seconds after a fault within which all steps must have been taken."""

_HOUR = timedelta(hours=1)
_TERMS = Terms(PerWait(_HOUR), Ladder(_HOUR, None, "out"))
_VERSION = 6
_PEOPLE = 4

_STEPS = """
SELECT tables.id, log.seq, log.at FROM log JOIN tables ON tables.key = log.game
 WHERE tables.id = ANY(%s) AND (log.move = 'timeout' OR log.move LIKE 'mark clock.nudge %%')
"""


class Deadlines:
    """The games of a service whose clocks run out.

    Attributes:
        taken: how many steps have been taken.
        latest: the most seconds that one was taken after it was due.
    """

    def __init__(self, service: Service) -> None:
        self.taken = 0
        self.latest = 0.0
        self._service = service
        self._due: dict[str, datetime] = {}
        self._had: dict[str, int] = {}

    def begin(self) -> None:
        """Write games that fall due in the next seconds, as if they had been played before."""
        engine = create_engine(engine_url(self._service.database_url))
        now = datetime.now(UTC).replace(microsecond=0)
        with Session(engine) as session, session.begin():
            people = seed.sign_up(session, _PEOPLE)
            for number in range(GAMES):
                due, nudged = now + SPAN * (number + 1) / GAMES, number % 2 == 1
                last_at = (due - (1 + nudged) * _HOUR).replace(microsecond=0)
                [game] = seed.games(
                    session,
                    people,
                    1,
                    _VERSION,
                    0,
                    terms=_TERMS,
                    last_at=last_at,
                    pace=timedelta(),
                    nudged=nudged,
                )
                self._due[game.id] = last_at + (1 + nudged) * _HOUR
                self._had[game.id] = _VERSION + nudged
        engine.dispose()

    def check(self) -> None:
        """Wait until each game has had its step, and check that it was neither early nor taken twice."""
        eventually(lambda: len(self._steps()) >= len(self._due), PATIENCE, every=0.2)
        steps = self._steps()
        assert sorted(game for game, _ in steps) == sorted(self._due), "a step was taken twice"
        late = [(at - self._due[game]).total_seconds() for game, at in steps]
        assert min(late, default=0.0) >= 0.0, "a step was taken before it was due"
        self.taken += len(steps)
        self.latest = max([self.latest, *late])
        self._due.clear()

    def _steps(self) -> list[tuple[str, datetime]]:
        """Return the steps that the games of this round have had, as the game and the time."""
        with self._service.database() as connection:
            rows = connection.execute(_STEPS, [list(self._due)]).fetchall()
        return [(game, at) for game, seq, at in rows if seq > self._had[game]]
