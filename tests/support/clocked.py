"""Matches with a clock, created and advanced by the real commands."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine.clock.terms import Ladder, PerWait, Terms
from service.commands import clock_steps, tables
from service.commands.entries import Played
from service.queries.table import LoadedTable
from service.store.due_games import DueGame
from tests.support import world
from tests.support.clock import NOW

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
START = NOW.replace(microsecond=123_000)
OUT = Terms(PerWait(DAY), Ladder(HOUR, None, "out"))
AUTOPILOT = Terms(PerWait(DAY), Ladder(HOUR, None, "autopilot"))


def match(session: Session, *accounts: str, terms: Terms | None = OUT, now: datetime = START) -> str:
    """Return the id of a started match of these accounts with a clock."""
    made = tables.create(
        session,
        accounts[0],
        tables.TableSettings(seats=len(accounts), goal_discs=20, visibility="public", terms=terms),
        now=now,
    )
    for each in accounts[1:]:
        world.join(session, each, made.id)
    return made.id


def game_of(session: Session, table: str) -> DueGame:
    """Return the key and the id of a table."""
    return DueGame(world.loaded(session, table).table.key, table)


def settle(session: Session, table: str, now: datetime, *, plays_bots: bool = False) -> LoadedTable:
    """Do what is due in a game, and return the table after it."""
    clock_steps.settle(session, game_of(session, table), now, plays_bots=plays_bots)
    session.flush()
    return world.loaded(session, table)


def kinds(table: LoadedTable) -> list[str]:
    """Return the entries of a game: the kinds of marks, the names of other moves, `move` for placements and refills."""
    told = []
    for entry in table.entries:
        words = entry.move.split(" ")
        told.append(words[1] if words[0] == "mark" else "move" if "@" in entry.move else words[0])
    return told


def mover(session: Session, table: str) -> str:
    """Return the account of the player to move."""
    found = world.loaded(session, table)
    account = found.account_of(found.state.turn)
    assert account is not None
    return account


def move(session: Session, table: str, now: datetime) -> Played:
    """Make a move for the player to move."""
    return world.move(session, table, now=now)
