"""Take the steps of a game's clock that are due, and plan what comes next (CLOCKS.md 5, 6, 9)."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine.moves import END, Move
from service.clocks import reckoning, steps
from service.clocks import reminders as points
from service.clocks.game_clock import GameClock, Stretch
from service.clocks.steps import Due
from service.commands import bots, clock_folding, entries
from service.queries import clock_plan, clock_values
from service.queries.clock_plan import ClockPlan
from service.queries.table import LoadedTable, load
from service.store import clock_words, due_games, reminders
from service.store.due_games import DueGame
from service.store.reminders import Reminder

MAIL_HOLDS = timedelta(minutes=15)
"""How long a mail that is not yet read delays the last step (7.4)."""

BOT_IS_LATE = timedelta(minutes=5)
"""The time after which a bot plays even if its job was lost."""

_LAST = ("autopilot", "out")
_AT_ONCE = ("more",)


def settle(session: Session, game: DueGame, now: datetime, *, may_step: bool = True, plays_bots: bool = False) -> int:
    """Write all entries that are due in a game at `now`, plan its reminders, and set when to look at it again.

    The caller has locked the game (`service.store.due_games.lock`). If another entry comes first, the game is read
    again.

    Args:
        session: the transaction.
        game: the game.
        now: the time, by the database's clock.
        may_step: false while a part of the service fails: then no step is taken, but bots go on.
        plays_bots: whether bots' moves are made at once; otherwise that is left to their job, unless it is late.

    Returns:
        how many entries were written.
    """
    made, has_played = 0, False
    table = load(session, game.id)
    while table is not None and table.progress is not None and table.status == "running":
        clock = clock_folding.current(session, table)
        following = _next(session, table, clock, now, may_step)
        seat = clock.bot_moves() if plays_bots or now >= clock.last_at + BOT_IS_LATE else None
        if following is None and seat is not None and not has_played:
            following, has_played = (seat, bots.move(table), bots.BY), True  # there is a job for each further move
        played = None
        if following is not None:
            seat, move, by = following
            played = entries.add(session, table, seat, move, now, by=by)
            made += played is not None
        elif _plan(session, table, clock, now):
            return made
        table = load(session, game.id) if played is None else played.table
    clock_words.forget(session, game.key)
    reminders.plan(session, game.key, ())
    return made


def _next(
    session: Session, table: LoadedTable, clock: GameClock, now: datetime, may_step: bool
) -> tuple[int | None, Move, str] | None:
    """Return the seat, the move and `by` of the next entry that is due, or None if none is."""
    assert table.progress is not None, "it is running"
    due = steps.due(clock, table.seat_facts, now)
    if due is not None and due.at <= now:
        follows_at_once = due.what in _AT_ONCE or (due.move == END and due.at <= table.progress.last_at)
        if follows_at_once or (may_step and not _is_held(session, table, due, now)):
            return due.seat, due.move, ""
    return None


def _is_held(session: Session, table: LoadedTable, due: Due, now: datetime) -> bool:
    """Return whether a mail for the seat that was received but not yet read delays the last step (7.4)."""
    if due.what not in _LAST or due.seat is None or now >= due.at + MAIL_HOLDS:
        return False
    return due_games.mail_waits(session, table.table.id, due.seat)


def _plan(session: Session, table: LoadedTable, clock: GameClock, now: datetime) -> bool:
    """Plan the reminders of the current stretch, and set when to look at the game again.

    Returns:
        False, with nothing planned, if players have changed what clocks depend on since the table was read: an entry of
        this transaction has then overwritten that they want the game to be looked at.
    """
    assert table.progress is not None, "it is running"
    key = table.table.key
    if table.terms is not None and clock.stretch is not None:
        account = table.account_of(clock.stretch.seat)
        known = clock_plan.read(session, key, clock.stretch.wait, account)
        if known.facts != table.table.facts:
            return False
        changed_at = min(now, table.progress.clock_due_at or now)  # whoever changes something sets it to that time
        planned = [] if account is None else _reminders(table, clock, clock.stretch, account, known, changed_at)
        if set(planned) != set(known.unsent):
            reminders.plan(session, key, planned)
        _keep_words(session, table, clock, known, now)
    due = steps.due(clock, table.seat_facts, now)
    runs_out_at = None if table.terms is None else reckoning.runs_out_at(clock, table.seat_facts)
    seen = table.progress.clock_due_at
    at = None if due is None else due.at
    if at is not None and clock.bot_moves() is not None:
        at = min(at, clock.last_at + BOT_IS_LATE)
    due_games.look_again(session, key, table.version, seen, at, runs_out_at)
    return True


def _keep_words(session: Session, table: LoadedTable, clock: GameClock, known: ClockPlan, now: datetime) -> None:
    """Forget what was said in former stretches; what was said while a move was being made is put into the clock."""
    key = table.table.key
    said = clock_folding.with_words(clock, clock_folding.standing(table, known.words))
    if said.words != clock.words:
        runs_out_at = reckoning.runs_out_at(said, table.seat_facts)
        due_games.set_clock(session, key, table.version, clock_values.rendered(said), runs_out_at, now)
    elif known.words and not said.words:
        clock_words.forget(session, key)


def _reminders(
    table: LoadedTable, clock: GameClock, stretch: Stretch, account: str, known: ClockPlan, changed_at: datetime
) -> list[Reminder]:
    """Return the reminders that lie ahead, and those that should have been sent by now and were planned before."""
    counted_from = _round(table, stretch.wait)
    held = {reminder.which for reminder in known.unsent if reminder.round == counted_from}
    return [
        Reminder(account, table.table.key, stretch.wait, counted_from, planned.which, planned.at)
        for planned in points.reminders(clock, table.seat_facts, known.chosen, known.sent, changed_at)
        if planned.at >= changed_at or planned.which in held
    ]


def _round(table: LoadedTable, wait: int) -> int:
    """Return the number of the last entry that gave time in the stretch, or of the one that began the stretch."""
    moves = table.entries.moves
    given = (seq for seq in range(len(moves), wait, -1) if moves[seq - 1].startswith("mark clock.more "))
    return next(given, wait)
