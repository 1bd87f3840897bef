"""A match with a clock, whose players write mails while a test moves the time."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

from sqlalchemy import text

from engine.clock.terms import Terms
from service.commands import tables
from service.jobs import deadlines
from service.queries.table import LoadedTable
from tests.support import world
from tests.support.clock import Clock
from tests.unit.jobs.writing import Post

THREE_DAYS = Terms.chosen("days-3")
_ALIVE = text("UPDATE service_signs SET at = :now")


class TimedMatch:
    """A match with a clock of three days a turn; `clock` is the time of everything."""

    def __init__(self, post: Post, clock: Clock, *names: str, terms: Terms | None = THREE_DAYS) -> None:
        self.post, self.clock, self.names = post, clock, names
        clock.now = clock.now.replace(microsecond=clock.now.microsecond // 1000 * 1000)
        session = post.session
        self.accounts = [world.account(session, name) for name in names]
        made = tables.create(
            session,
            self.accounts[0],
            tables.TableSettings(seats=len(names), goal_discs=20, visibility="public", terms=terms),
            now=clock.now,
        )
        self.id = made.id
        for account in self.accounts[1:]:
            world.join(session, account, self.id)
        self.go_on()

    @property
    def table(self) -> LoadedTable:
        return world.loaded(self.post.session, self.id)

    @property
    def seat(self) -> int:
        """The seat to move."""
        seat = self.table.state.turn
        assert seat is not None
        return seat

    @property
    def mover(self) -> str:
        """The address of the player to move."""
        return self.address(self.seat)

    @property
    def others(self) -> list[str]:
        """The addresses of the others."""
        return [self.address(seat) for seat in range(len(self.names)) if seat != self.seat]

    def address(self, seat: int) -> str:
        return f"{self.names[seat].lower()}@example.org"

    def last(self, address: str) -> EmailMessage:
        """Return the newest mail to an address."""
        return self.post.got(address)[-1]

    def go_on(self, **span: float) -> None:
        """Let time pass, while the service lives, and do what is due then."""
        self.clock.advance(**span)
        self.post.session.execute(_ALIVE, {"now": self.clock.now})
        self.post.session.commit()
        deadlines.look(self.post.context)
        self.post.run()

    def kinds(self) -> list[str]:
        """Return the kinds of the marks in the log, after the one with which the game began."""
        moves = [entry.move.split(" ") for entry in self.table.entries]
        return [words[1] for words in moves if words[0] == "mark"][1:]

    def left(self) -> timedelta | None:
        """Return the time left to the player to move."""
        table = self.table
        assert table.clock is not None and table.clock.stretch is not None
        return table.clock.stretch.left
