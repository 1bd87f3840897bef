"""Announce and end absences (CLOCKS.md 4)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.clocks import absences
from service.clocks.absences import Absence, Period
from service.commands import autopilot
from service.commands.clock_refusals import refusing
from service.queries import clock_values, running_clocks
from service.queries.running_clocks import RunningClock
from service.queries.table import load
from service.store import due_games
from service.store.accounts import Account


class Announced(NamedTuple):
    """An absence that was announced.

    Attributes:
        absence: the absence, as it counts.
        since: when the player's absence begins; earlier than this one if that prolongs another.
        moved: whether it begins later than was asked for (4.2).
        games: the ids of the running games in which it does not count (4.6, 4.7).
    """

    absence: Absence
    since: datetime
    moved: bool
    games: tuple[str, ...]


class Returned(NamedTuple):
    """The end of an account's absences.

    Attributes:
        ended: the absences that were ended or called off.
        games: the ids of the games in which a seat was taken back from the bot.
    """

    ended: tuple[Absence, ...]
    games: tuple[str, ...]


def announce(
    session: Session,
    account: str,
    asked: Period,
    now: datetime,
    *,
    may_prolong: bool = False,
) -> Announced:
    """Announce an absence of an account.

    If `may_prolong`, one that begins in an earlier absence and ends later than that begins where the earlier one ends.

    Raises:
        Malformed: it is in the past, too far ahead, too short or too long, overlaps another one, exceeds the year's
            allowance, or there are too many.
    """
    held = _locked(session, account)
    earlier = _stored(held)
    longer = absences.prolonged(earlier, asked, now) if may_prolong else None
    asked = asked if longer is None else asked._replace(since=longer.ends)
    with refusing():
        absence = absences.announce(earlier, asked, now)
    _store(session, held, (*earlier, absence))
    games = _changed(session, account, now)
    not_there = tuple(game.id for game in games if game.ignores(absence))
    moved = asked.since is not None and absence.begins != asked.since
    since = absence.begins if longer is None or moved else longer.begins
    return Announced(absence, since, moved, not_there)


def back(session: Session, account: str, now: datetime) -> Returned:
    """End an account's current absence, call off the later ones, and take its seats back from the bot (4.5)."""
    held = _locked(session, account)
    earlier = _stored(held)
    left = absences.back(earlier, now)
    taken_back = []
    games = running_clocks.of_account(session, account)
    for game in games:  # one after the other, each entry before the game's progress: the order of the locks
        table = load(session, game.id)
        if table is not None and autopilot.plays(table, game.seat):
            autopilot.back(session, table, game.seat, now)
            taken_back.append(game.id)
        if left != earlier:
            due_games.touch(session, [game.key], now)
    if left != earlier:
        _store(session, held, left)
        due_games.changed(session, [game.key for game in games], visibly=True)
    return Returned(tuple(absence for absence in earlier if absence not in left), tuple(taken_back))


def call_off(session: Session, account: str, begins: datetime, now: datetime) -> None:
    """Call off the absence of an account that begins at an instant to come, and leave the others; nothing if none does.

    It then uses up nothing of the year, as one that a return calls off.
    """
    held = _locked(session, account)
    earlier = _stored(held)
    left = tuple(absence for absence in earlier if absence.begins <= now or absence.begins != begins)
    if left != earlier:
        _store(session, held, left)
        _changed(session, account, now)


def _locked(session: Session, account: str) -> Account:
    query = select(Account).where(Account.id == account).with_for_update(key_share=True)
    return session.scalars(query.execution_options(populate_existing=True)).one()


def _stored(account: Account) -> tuple[Absence, ...]:
    return tuple(map(clock_values.absence, account.absences or []))


def _store(session: Session, account: Account, now: Iterable[Absence]) -> None:
    account.absences = [clock_values.stored_absence(absence) for absence in now] or None
    session.flush()


def _changed(session: Session, account: str, now: datetime) -> list[RunningClock]:
    """Mark the account's running games as changed, to be looked at again, and return them."""
    games = running_clocks.of_account(session, account)
    due_games.touch(session, [game.key for game in games], now)
    due_games.changed(session, [game.key for game in games], visibly=True)
    return games
