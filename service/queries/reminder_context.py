"""Read the content of a reminder: the games in which the account's time still runs when it is sent.

A game is left out once the account has moved, or its time is up: then a step of the ladder has been mailed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy.orm import Session

from engine.game import Match
from service.queries import recipients, turn_context
from service.queries.table import load
from service.queries.turn_context import Turn
from service.store import delivery_preferences, reminders

_IN_TIME = "in_time"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Reminded:
    """A game in which the reader's time runs, and when their turn began."""

    turn: Turn
    since: datetime


@dataclass(frozen=True, slots=True)
class Reminder:
    """The games of which a mail reminds, the most urgent first."""

    games: tuple[Reminded, ...]


def reminder(session: Session, account: str, at: int, now: datetime) -> Reminder | None:
    """Return the reminder to an account that was combined at a time, in milliseconds since 1970.

    Returns None if no game is left to remind of, or if the account was deleted.
    """
    to = recipients.player(session, account)
    if to is None:
        return None
    games = []
    for game, wait in dict.fromkeys(
        (sent.game, sent.wait) for sent in reminders.of_mail(session, account, _EPOCH + timedelta(milliseconds=at))
    ):
        table = load(session, game)
        seat = None if table is None else table.seat_of(account)
        if table is None or seat is None or table.status != "running" or not isinstance(table.state, Match):
            continue
        clock = table.clock
        is_off = delivery_preferences.of_game(session, account, table.table.key) == delivery_preferences.OFF
        stretch = None if clock is None else clock.stretch
        if is_off or stretch is None or stretch.seat != seat or stretch.wait != wait:
            continue
        turn = turn_context.on_move(session, table, to, seat, now)
        if turn.clock is not None and turn.clock.stage == _IN_TIME:
            games.append(Reminded(turn, stretch.began_at))
    return Reminder(tuple(sorted(games, key=_urgency))) if games else None


def _urgency(game: Reminded) -> tuple[datetime, str]:
    clock = game.turn.clock
    runs_out_at = None if clock is None else clock.runs_out_at
    return runs_out_at or datetime.max.replace(tzinfo=UTC), game.turn.table
