"""Looks for what is due, at times that a test sets, in games with a clock."""

from collections.abc import Callable, Sequence
from datetime import datetime

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.clock.terms import Terms
from service.commands import outages
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.store.due_games import DueGame
from service.store.signs import Failure
from tests.support import clocked, world
from tests.support.clock import Clock
from tests.support.clocked import DAY, HOUR, START

__all__ = ["DAY", "HOUR", "MINUTE", "SECOND", "START", "Looking", "before_each_return"]

MINUTE, SECOND = HOUR / 60, HOUR / 3600

_ALIVE = text("UPDATE service_signs SET at = :now WHERE part <> :but")


class Looking:
    """A worker that looks when it is told to; `people` are two accounts. The games of other tests are left alone."""

    def __init__(self, context: WorkerContext, session: Session, clock: Clock) -> None:
        self.context, self.session, self.clock = context, session, clock
        clock.now = START
        session.execute(text("UPDATE progress SET clock_due_at = NULL"))
        self.people = [world.account(session, name) for name in ("Ann", "Ben")]
        session.commit()

    def match(self, people: Sequence[str] = (), terms: Terms = clocked.OUT, now: datetime = START) -> str:
        """Return the id of a match, of the two if nobody else is given, which nobody has looked at yet."""
        game = clocked.match(self.session, *(people or self.people), terms=terms, now=now)
        self.session.commit()
        return game

    def matches(self, count: int) -> list[str]:
        """Return the ids of a number of matches, which have been looked at."""
        games = [self.match() for _ in range(count)]
        deadlines.look(self.context)
        return games

    def wait_until(self, now: datetime, *, but: str = "") -> None:
        """Let time pass, while all parts of the service live except one."""
        self.clock.now = now
        self.session.execute(_ALIVE, {"now": now, "but": but})
        self.session.commit()

    def at(self, now: datetime, *, but: str = "") -> None:
        """Look at a time until which all parts of the service have lived, except one."""
        self.wait_until(now, but=but)
        deadlines.look(self.context)

    def after_gap(self, now: datetime) -> None:
        """Look at a time without a sign of life of any part since the last look."""
        self.session.commit()
        self.clock.now = now
        deadlines.look(self.context)

    def kinds(self, game: str) -> list[str]:
        """Return the kinds of the entries of a game."""
        self.session.rollback()
        return clocked.kinds(world.loaded(self.session, game))

    def due_at(self, game: str) -> datetime | None:
        """Return when a game has to be looked at."""
        self.session.rollback()
        found = world.loaded(self.session, game).progress
        assert found is not None
        return found.clock_due_at


def before_each_return(monkeypatch: pytest.MonkeyPatch, do: Callable[[DueGame], object]) -> None:
    """Have a function called before a game is given an outage back."""
    give_back = outages.give_back

    def after(session: Session, game: DueGame, failure: Failure, now: datetime) -> None:
        do(game)
        give_back(session, game, failure, now)

    monkeypatch.setattr(outages, "give_back", after)
