"""Store what players have said about giving more time in the running stretch of a game (CLOCKS.md 7.5)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session


class Word(NamedTuple):
    """A player's word: the seat, the number of the stretch, the duration as text, and when it was said."""

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
    """Store a word, in place of an earlier one of the same seat."""
    session.execute(_SAY, {"game": game, **word._asdict()})


def take_back(session: Session, game: int, seat: int) -> None:
    """Delete the word of a seat."""
    session.execute(_TAKE_BACK, {"game": game, "seat": seat})


_OF_GAME = text("SELECT seat, wait, duration, at FROM clock_words WHERE game = :game ORDER BY at, seat")


def of_game(session: Session, game: int) -> list[Word]:
    """Return the words that were said in a game and not taken, in the order in which they were said."""
    return [Word(*row) for row in session.execute(_OF_GAME, {"game": game})]


_FORGET = text("DELETE FROM clock_words WHERE game = :game")


def forget(session: Session, game: int) -> None:
    """Delete the words of a game, because they were taken or its stretch is over."""
    session.execute(_FORGET, {"game": game})
