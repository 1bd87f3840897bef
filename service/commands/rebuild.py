"""Rebuild the projections from set-ups and logs, and report where the stored ones differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from engine.draw import commitment
from engine.errors import EngineError
from service.commands import projection, stored_projection
from service.commands.start import row
from service.queries import replay
from service.store import log
from service.store.batches import Batch
from service.store.log import Progress
from service.store.tables import DrawSecret, ProgressRow, Seat, Setup, Table

_PAGE = 1000
"""The number of games whose keys are read at a time."""

_SNAPSHOT = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


class Difference(str):
    """A sentence about a difference between a game's projection and its log, and whether it was corrected."""

    is_corrected = False

    @classmethod
    def corrected(cls, sentence: str, is_corrected: bool) -> Difference:
        """Return the sentence with that fact."""
        made = cls(sentence)
        made.is_corrected = is_corrected
        return made


def rebuild(session: Session, write: bool) -> Iterator[Difference]:
    """Compare each started game's projection with what its log gives, and correct it if `write` is true.

    Yields one sentence for each difference, and for each log that does not hold (a broken chain, or an impossible
    move). For such a log nothing is written, because the log itself is damaged. Games may be played meanwhile: each is
    compared in a transaction of its own, which locks its projection only if that may be written. The transaction that
    the session has open is committed first.
    """
    session.commit()
    for key, table_id in _started(session):
        if not write:
            session.connection(execution_options=_SNAPSHOT)
        found = rebuild_game(session, key, table_id, write)
        session.commit()
        yield from found


def _started(session: Session) -> Iterator[tuple[int, str]]:
    """Yield the key and the id of each started game, with no transaction open meanwhile."""
    started = select(Setup.game, Table.id).join(Table, Table.key == Setup.game).order_by(Setup.game).limit(_PAGE)
    after = 0
    while True:
        page = session.execute(started.where(Setup.game > after)).all()
        session.commit()
        if not page:
            return
        for after, table_id in page:
            yield after, table_id


def rebuild_game(session: Session, key: int, table_id: str, write: bool) -> list[Difference]:
    """Rebuild one game in a savepoint, so that an error in its rows affects no other game."""
    batch = Batch("rebuild")
    found: list[Difference] = []
    batch.each(session, [key], lambda _: table_id, lambda _: found.extend(_game(session, key, table_id, write)))
    return [Difference(f"game {table_id}: it can't be rebuilt; the log line says why")] if batch.aside else found


def _game(session: Session, key: int, table_id: str, write: bool) -> list[Difference]:
    stored = select(ProgressRow).where(ProgressRow.game == key).execution_options(populate_existing=True)
    # The lock keeps moves out between reading the log and writing the row. A move that has already written its entry
    # waits for this row, and then overwrites all of it.
    kept = session.scalar(stored.with_for_update() if write else stored)
    try:
        progress = _fold(session, key)
    except (EngineError, ValueError) as error:
        return [Difference(f"game {table_id}: the log does not hold: {error}")]
    progress = _with_clock(session, table_id, progress)
    seats = session.execute(select(Seat.seat, Seat.account).where(Seat.game == key)).all()
    accounts = dict(seats)
    if kept is None:
        differences, is_behind = ["it has no row in progress"], False
    else:
        differences = [found.why for found in stored_projection.differences(kept, progress, accounts)]
        is_behind = stored_projection.is_behind(kept)
    if write and (differences or is_behind):
        session.merge(row(key, progress, accounts))
        session.flush()
    differences += _listing(session, key, progress.status, write)
    if kept is not None:
        session.expunge(kept)
    return [Difference.corrected(f"game {table_id}: {difference}", write) for difference in differences]


def _fold(session: Session, key: int) -> Progress:
    """Return the progress that the set-up and the log give.

    Raises:
        EngineError, ValueError: they do not hold.
    """
    header: dict[str, Any] = json.loads(session.get_one(Setup, key).header)
    draw = header["draw"]
    seed = session.get_one(DrawSecret, key).server_seed
    if commitment(seed) != draw["commitment"]:
        raise ValueError("the kept seed is not the one that the commitment was made to")
    game = replay.start(header, replay.draw_order(seed, draw["subject"], tuple(draw["entropy"])))
    progress = projection.begin(header, game.state)
    for link in log.read(session, key):
        entry = link.entry
        if entry.seq != progress.version + 1:
            raise ValueError(f"entry {entry.seq} follows entry {progress.version}")
        progress = projection.after(progress, entry, game.advance(entry))
        if link.hash != progress.head:
            raise ValueError(f"entry {entry.seq} does not have the hash that its chain gives")
    return progress


def _with_clock(session: Session, table_id: str, progress: Progress) -> Progress:
    """Return the progress with the clock that follows from the log, to be looked at at once if anything may be due."""
    if progress.status != "running":
        return progress
    table = stored_projection.with_clock(session, table_id, progress)
    assert table.progress is not None, "it is that of the log"
    if table.terms is None and not table.is_bots(progress.turn):
        return progress
    return table.progress._replace(clock_due_at=progress.last_at)


def _listing(session: Session, key: int, status: str, write: bool) -> list[str]:
    """Report, and correct, the status that lists read from the table and its seats, which triggers maintain."""
    table = session.scalars(select(Table.status).where(Table.key == key)).all()
    seats = session.scalars(select(Seat.status).where(Seat.game == key)).all()
    wrong = sorted({said for said in (*table, *seats) if said != status})
    if wrong and write:
        session.execute(update(Table).where(Table.key == key).values(status=status))
        session.execute(update(Seat).where(Seat.game == key).values(status=status))
    return [f"lists take it for {said} and must take it for {status}" for said in wrong]
