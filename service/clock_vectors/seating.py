"""Seat the persons and the bots of a vector at a table, at the seats where the vector has them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.clock import durations
from engine.clock.terms import Terms
from service.access.secrets import Keys
from service.commands import matches, players, reminding, tables
from service.ids import new_id
from service.store.accounts import ensure_account
from service.store.tables import Seat, Table

_ABANDONED_AFTER = "P90D"

_MOVE = text("UPDATE seats SET seat = :seat WHERE game = :game AND account = :account")
"""The statement that moves the maker, who sits at seat 0, as no request does."""


class Seating:
    """The seats of a vector: who plays them, and what they say for the draw.

    Attributes:
        accounts: the accounts by seat; None for a bot.
        said: the texts for the draw, by seat.
    """

    def __init__(self, seats: Sequence[str], said: Sequence[str]) -> None:
        self._seats = seats
        self._persons = [seat for seat, who in enumerate(seats) if who != "bot"]
        self._bots = [seat for seat, who in enumerate(seats) if who == "bot"]
        self.accounts: list[str | None] = [None] * len(seats)
        self.said = list(said) or [""] * len(seats)

    @property
    def first(self) -> int:
        """The seat of the person who opens the table."""
        return self._persons[0]

    @property
    def last(self) -> int:
        """The seat of the person whose joining starts the game."""
        return self._persons[-1]

    def is_bots(self, seat: int) -> bool:
        """Return whether a bot plays this seat."""
        return seat in self._bots

    def account(self, seat: int) -> str:
        """Return the account of a person's seat."""
        account = self.accounts[seat]
        assert account is not None, "a bot does nothing but move"
        return account

    def sign_up(self, session: Session, now: datetime) -> None:
        """Create an account without reminders for each person."""
        for seat in self._persons:
            address = f"seat{seat}.{new_id()}@example.org"
            account = ensure_account(session, address, name=f"Seat {seat}", language=None, now=now)
            self.accounts[seat] = account.id
            reminding.choose(session, account.id, (), now)

    def open(self, session: Session, settings: dict[str, Any], now: datetime) -> Table:
        """Open the table with these settings, at which the first person sits."""
        terms = Terms.chosen(
            settings["clock"], settings.get("ladder"), settings.get("quiet", True), settings.get("absences", True)
        )
        maker = self.account(self.first)
        table = tables.create(
            session,
            maker,
            tables.TableSettings(
                seats=len(self._seats),
                goal_discs=20,
                visibility="public",
                terms=terms,
                abandoned_after=durations.parse(settings.get("abandoned_after", _ABANDONED_AFTER)),
            ),
            now=now,
        )
        session.execute(_MOVE, {"game": table.key, "account": maker, "seat": self.first})
        session.expire_all()
        return table

    def fill(self, session: Session, table: Table, keys: Keys, now: datetime) -> None:
        """Seat the bots, and all persons but the last one; a person alone takes the last seat by starting."""
        if len(self._persons) > 1:
            matches.seat_bots(session, table, self._bots, now)
        for seat in self._persons[1:-1]:
            self._join(session, table, seat, keys, now)

    def start(self, session: Session, table: Table, keys: Keys, now: datetime) -> None:
        """Start the game: the last person joins or, if there is only one, the bots sit down."""
        if len(self._persons) > 1:
            self._join(session, table, self.last, keys, now)
            return
        session.get_one(Seat, (table.key, self.last)).entropy = self.said[self.last]
        matches.seat_bots(session, table, self._bots, now)

    def _join(self, session: Session, table: Table, seat: int, keys: Keys, now: datetime) -> None:
        players.join(
            session, self.account(seat), table.id, invitation=None, entropy=self.said[seat], keys=keys, now=now
        )
