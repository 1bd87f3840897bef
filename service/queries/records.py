"""Build a game's record in the format `nova-luna-record/1`."""

from __future__ import annotations

from sqlalchemy.orm import Session

from engine import record
from service.queries import moves
from service.queries.table import LoadedTable


def line(session: Session, table: LoadedTable) -> bytes:
    """Return the record of a started game as RFC 8785 JSON and a line feed.

    A finished game has the seed and all 68 tiles, a running one no seed and the tiles shown so far. The entries are
    those up to the version that `table` was loaded at.

    Raises:
        ValueError: the game has not started.
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
