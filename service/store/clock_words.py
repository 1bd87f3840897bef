"""Store the players' offers of time in the current stretch of a game (CLOCKS.md 7.5)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session


class Word(NamedTuple):
    """An offer of time: the seat, the number of the stretch, the duration as text, and when it was made."""

    seat: int
    wait: int
    duration: str
    at: datetime


_SAY = text("""
    INSERT INTO clock_words (game, seat, wait, duration, at) VALUES (:game, :seat, :wait, :duration, :at)
    ON CONFLICT (game, seat) DO UPDATE SET wait = excluded.wait, duration = excluded.duration, at = excluded.at
""")
_TAKE_BACK = text("DELETE FROM clock_words WHERE game = :game AND seat = :seat")


def say(session: Session, game: int, word: Word) -> None:
    """Store an offer in place of an earlier one of the same seat."""
    session.execute(_SAY, {"game": game, **word._asdict()})


def take_back(session: Session, game: int, seat: int) -> None:
    """Delete the offer of a seat."""
    session.execute(_TAKE_BACK, {"game": game, "seat": seat})


_OF_GAME = text("SELECT seat, wait, duration, at FROM clock_words WHERE game = :game ORDER BY at, seat")


def of_game(session: Session, game: int) -> list[Word]:
    """Return the offers that were made in a game and not yet given, in order of time."""
    return [Word(*row) for row in session.execute(_OF_GAME, {"game": game})]


_FORGET = text("DELETE FROM clock_words WHERE game = :game")


def forget(session: Session, game: int) -> None:
    """Delete the offers of a game, because the time was given or the stretch is over."""
    session.execute(_FORGET, {"game": game})
