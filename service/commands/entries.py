"""Append an entry to a game, whoever makes it: a player, the clock, a bot or the host. Nothing else does.

The entry, the projection and the jobs that follow are written in one statement, and the log's key decides a race. This
module is on the hot path.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine import text
from engine.moves import END, Mark, Move, Resign, Timeout
from engine.table import Step
from service.clocks import entries as clock_entries
from service.clocks.game_clock import GameClock
from service.commands import projection
from service.queries import clock_values, legal
from service.queries.table import LoadedTable
from service.store import log, mail_kinds
from service.store.autocommit_pool import Statements
from service.store.log import Closing, Entry, KeyedResponse, Progress, Provided
from service.store.queue import Job

HOST = "host"
"""The `by` of an entry that the host made."""

_TOLD = frozenset(
    {
        "clock.nudge",
        "clock.grace",
        "clock.autopilot",
        "clock.more",
        "clock.warning",
        "clock.outage",
        "clock.pause",
        "clock.resume",
        "host.out",
        "host.end",
    }
)
"""The marks that are mailed to the players."""


class Played(NamedTuple):
    """The table after an entry, and the entry's step."""

    table: LoadedTable
    step: Step


def add(
    store: Session | Statements,
    table: LoadedTable,
    seat: int | None,
    move: Move,
    now: datetime,
    *,
    by: str = "",
    keyed: Callable[[Played], KeyedResponse] | None = None,
    provided: Provided | None = None,
    refolded: Callable[[Entry, Step], GameClock] | None = None,
) -> Played | None:
    """Append an entry to a running game that is loaded with its log; the table is consumed.

    Args:
        store: where to write.
        table: the table as it was read.
        seat: the seat that the entry is about; None for the host's entries and for an end.
        move: what is done.
        now: the time; the entry's is never before that of the entry before it.
        by: who acts in place of the player.
        keyed: returns the response to store with the entry.
        provided: the conditions for the entry on a cached table.
        refolded: returns the clock after the entry, if it does not follow from the clock before it.

    Returns:
        None, with nothing written, if the game has an entry with this number by now, or if what is `provided` does not
        hold.

    Raises:
        MoveError: the rules do not allow the move.
    """
    progress = table.progress
    assert progress is not None, "it is running"
    entry = Entry(progress.version + 1, projection.next_at(progress, now), seat, by, text.render(move))
    former = table.clock
    is_told = isinstance(move, Mark) or (isinstance(move, Timeout) and not _is_announced(table))
    people = _people(table) if is_told else []
    step = table.replay.advance(entry)
    clock = None
    if former is not None and refolded is not None:
        clock = refolded(entry, step)
    elif former is not None:
        clock = clock_entries.after(former, clock_values.entry_of(entry, step), step.turn, table.seat_facts)
    following = projection.after(progress, entry, step, clock, table.seat_facts)
    after, closing = table.advanced(entry, following), None
    if step.turn is not None and _is_deserted(table, clock, step):
        after, closing = _ended(after, following)
    played = Played(after, step)
    assert after.progress is not None, "it has started"
    jobs = _jobs(table, after.progress, step, clock, people, by)
    response = None if keyed is None else keyed(played)
    turn_account = table.account_of(after.progress.turn)
    written = log.append(store, table.table.key, entry, after.progress, turn_account, jobs, response, provided, closing)
    return played if written else None


def _is_announced(table: LoadedTable) -> bool:
    """Return whether the host has just put a player out, so that the mail about that tells of the timeout, too."""
    last = table.replay.last
    return last is not None and isinstance(last[1].move, Mark) and last[1].move.kind == "host.out"


def _is_deserted(table: LoadedTable, clock: GameClock | None, step: Step) -> bool:
    """Return whether no person is left at the table after a step (CLOCKS.md 9.3)."""
    if clock is not None:
        return not clock.persons()
    if not isinstance(step.move, Resign | Timeout):
        return False
    return all(player.bot is not None or legal.has_left(table.state, player.seat) for player in table.players)


def _ended(table: LoadedTable, progress: Progress) -> tuple[LoadedTable, Closing]:
    """Return the table after its end, because only bots are left (CLOCKS.md 9.3), and that end."""
    entry = Entry(progress.version + 1, progress.last_at, None, "", text.render(END))
    following = projection.after(progress, entry, table.replay.advance(entry))
    return table.advanced(entry, following), Closing(entry, progress.head)


def _people(table: LoadedTable) -> list[str]:
    """Return the accounts of the players who have not left."""
    state = table.state
    return [
        player.account
        for player in table.players
        if player.account is not None and not legal.has_left(state, player.seat)
    ]


def _jobs(
    table: LoadedTable, progress: Progress, step: Step, clock: GameClock | None, people: list[str], by: str
) -> list[Job]:
    """Return the jobs that follow from the entry that led to this progress; of a solo, only the clock is mailed."""
    game, is_solo = table.table.id, table.table.kind == "solo"
    if progress.status == "finished":
        return [] if is_solo else [_end_mail(game, account) for account in table.accounts]
    move, is_played = step.move, _is_played(table, clock, step.turn)
    jobs = []
    if progress.wait_seq == progress.version and not is_solo and not is_played:
        jobs.append(turn_mail(game, progress.version))
    if isinstance(move, Timeout) or (isinstance(move, Mark) and move.kind in _TOLD):
        if isinstance(move, Mark) and move.kind == "clock.more" and by != HOST:
            people = [account for account in people if account == table.account_of(step.turn)]
        jobs += [step_mail(game, progress.version, account) for account in people]
    if is_played or (clock is not None and isinstance(move, Resign | Timeout)):
        jobs.append(settling(game))
    return jobs


def _is_played(table: LoadedTable, clock: GameClock | None, turn: int | None) -> bool:
    """Return whether a bot plays the seat that is to move."""
    return table.is_bots(turn) if clock is None else clock.bot_moves() is not None


def turn_mail(game: str, wait: int) -> Job:
    """Return the job that mails the player whose wait began at this version of the game."""
    return Job("mail_turn", {"game": game, "wait": wait}, mail_kinds.TURN.lock(game=game, wait=wait))


def step_mail(game: str, seq: int, account: str) -> Job:
    """Return the job that tells an account of an entry of the clock or the host."""
    ids: dict[str, int | str] = {"game": game, "seq": seq, "account": account}
    return Job("mail_step", ids, mail_kinds.STEP.lock(**ids))


def settling(game: str) -> Job:
    """Return the job that writes the entries of a game that are due at once, such as a bot's move."""
    return Job("settle_clock", {"game": game}, f"settle:{game}")


def _end_mail(game: str, account: str) -> Job:
    return Job("mail_end", {"game": game, "account": account}, mail_kinds.END.lock(game=game, account=account))
