"""Write a data set of games as a Parquet file, in row groups, so that its length takes no memory.

It needs pyarrow, which only the extra `parquet` installs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from engine.story import MoveRow
from service.part_file import replacing
from service.queries.data_set import PublicGame

ROWS = 20_000
"""The number of rows of a row group, which are all that is held in memory."""

_AT = pa.timestamp("ms", tz="UTC")
_WORD = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        pa.field("game", pa.string(), nullable=False),
        pa.field("rules", _WORD, nullable=False),
        pa.field("seats", pa.int8(), nullable=False),
        pa.field("goal_discs", pa.int8(), nullable=False),
        pa.field("started_at", _AT, nullable=False),
        pa.field("reason", _WORD, nullable=False),
        pa.field("rank", pa.int8()),
        pa.field("player", pa.string()),
        pa.field("seq", pa.int32(), nullable=False),
        pa.field("at", _AT, nullable=False),
        pa.field("seat", pa.int8()),
        pa.field("by", _WORD),
        pa.field("type", _WORD, nullable=False),
        pa.field("tile", pa.int8()),
        pa.field("x", pa.int16()),
        pa.field("y", pa.int16()),
        pa.field("covered", pa.int8(), nullable=False),
        pa.field("think", pa.int64()),
        pa.field("discs_left", pa.int8()),
        pa.field("distance", pa.int16()),
        pa.field("turn", pa.int8()),
    ]
)
"""The columns: those of the game, the rank and public id of who moved, and those of the move."""


def write(path: Path, games: Iterable[PublicGame]) -> tuple[int, int]:
    """Write the games to a file, which replaces the one that is there once it is complete.

    Returns:
        The numbers of games and of rows.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path, 0o666) as out:
        return _write(out, games)


def _write(out: IO[bytes], games: Iterable[PublicGame]) -> tuple[int, int]:
    number = total = 0
    columns: list[list[object]] = [[] for _ in SCHEMA]
    with pq.ParquetWriter(out, SCHEMA, compression="zstd") as writer:
        for game in games:
            number += 1
            for move in game.moves:
                for column, value in zip(columns, _row(game, move), strict=True):
                    column.append(value)
            total += len(game.moves)
            if len(columns[0]) >= ROWS:
                writer.write_table(_table(columns))
                columns = [[] for _ in SCHEMA]
        if columns[0]:
            writer.write_table(_table(columns))
    return number, total


def _row(game: PublicGame, move: MoveRow) -> tuple[object, ...]:
    rank = None if game.ranking is None or move.seat is None else game.ranking.index(move.seat) + 1
    player = None if move.seat is None else game.players[move.seat]
    return (
        game.id,
        game.rules,
        game.seats,
        game.goal_discs,
        game.started_at,
        game.reason,
        rank,
        player,
        *move,
    )


def _table(columns: list[list[object]]) -> pa.Table:
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)
