"""Start a game: make the draw, store the set-up, which never changes again, and queue the first turn mail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from engine import record
from engine.draw import Draw
from engine.moves import Mark
from service.commands import entries, projection, tables
from service.commands.entries import settling, turn_mail
from service.commands.expectation import Expectation
from service.commands.invitation_events import announce_end
from service.queries import replay
from service.queries.table import load
from service.store import epoch
from service.store.log import Progress
from service.store.queue import defer
from service.store.tables import DrawSecret, ProgressRow, Seat, Setup, Table


def start(session: Session, table: Table, seats: Sequence[Seat], now: datetime) -> None:
    """Start the game of a locked, open table whose seats are all taken; `seats` are these, in order."""
    seed = session.get_one(DrawSecret, table.key).server_seed
    draw = Draw(seed, table.id, tuple(seat.entropy for seat in seats))
    header = _header(table, draw, now)
    game = replay.start(header, draw.tiles)
    bot_moves = any(seat.bot is not None for seat in seats if seat.seat == game.state.turn)
    progress = projection.begin(header, game.state, bot_moves=bot_moves)
    session.add(Setup(game=table.key, header=record.canonical(header).decode()))
    session.flush()
    accounts = {seat.seat: seat.account for seat in seats}
    started = row(table.key, progress, accounts)
    session.add(started)
    table.revision = epoch.next_revision(session, table.revision)
    session.flush()
    session.expunge(started)  # entries change the row without it
    if table.kind == "match":
        announce_end(session, table, now)
    if table.clock is not None:
        _note_clock(session, table.id, now)
    if progress.wait_seq is not None:
        job = settling(table.id) if bot_moves else turn_mail(table.id, progress.wait_seq)
        defer(session, job.task, job.args, queueing_lock=job.lock)


def _note_clock(session: Session, table_id: str, now: datetime) -> None:
    """Append entry 1 of a game with a clock, which has the settings that the table agreed on (CLOCKS.md 12)."""
    table = load(session, table_id)
    assert table is not None and table.progress is not None and table.terms is not None, "it has started with a clock"
    noted = entries.add(session, table, table.progress.turn, Mark("clock", table.terms.to_json()), now)
    assert noted is not None, "nobody else has seen the game yet"


def start_solo(
    session: Session, account: str, table_id: str, entropy: str, now: datetime, expected: Expectation | None = None
) -> None:
    """Start the account's solo, with a text for the draw (empty for none).

    `expected` is the state in which it may be started; None for any.
    """
    table = tables.locked_table(session, table_id)
    seats = tables.taken_seats(session, table)
    if [seat.account for seat in seats] != [account]:
        raise tables.not_seated()
    tables.check_open(session, table)
    tables.check_expected(session, table, expected)
    seats[0].entropy = entropy
    session.flush()
    start(session, table, seats, now)


def row(key: int, progress: Progress, accounts: Mapping[int, str | None]) -> ProgressRow:
    """Return the row that holds a game's progress; `accounts` are the accounts by seat, None for a bot."""
    turn_account = None if progress.turn is None else accounts[progress.turn]
    return ProgressRow(
        game=key,
        status=progress.status,
        version=progress.version,
        head=progress.head,
        last_at=progress.last_at,
        turn=progress.turn,
        turn_account=turn_account,
        wait_seq=progress.wait_seq,
        ended_at=progress.ended_at,
        result=progress.result,
        acted_seq=progress.acted_seq,
        clock_seq=progress.version,
        clock=progress.clock,
        clock_due_at=progress.clock_due_at,
        runs_out_at=progress.runs_out_at,
    )


def _header(table: Table, draw: Draw, now: datetime) -> dict[str, Any]:
    return record.header(
        game=table.id,
        kind=table.kind,
        goal_discs=table.goal_discs,
        created_at=record.stamp(table.created_at),
        started_at=record.stamp(max(now, table.created_at)),
        subject=draw.subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )
