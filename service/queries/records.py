"""A game's record, `nova-luna-record/1`."""

from __future__ import annotations

from sqlalchemy.orm import Session

from engine import record
from service.queries import moves
from service.queries.table import LoadedTable


def line(session: Session, table: LoadedTable) -> bytes:
    """The record of a started game as its RFC 8785 bytes and a line feed.

    Finished: with the seed and all 68 tiles. Running: without the seed, with the tiles shown so far. The entries are
    those up to the version that `table` was loaded at.
    """
    if table.header is None:
        raise ValueError(f"table {table.table.id} has not started")
    return record.line(
        record.build(
            header=table.header,
            names=[player.name for player in table.players],
            entries=moves.entries(session, table, limit=table.version),
            state=table.state,
            server_seed=table.server_seed if table.status == "finished" else None,
        )
    )
