"""The moves of games as CSV (RFC 4180), for spreadsheets; docs/FORMATS.md describes the columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from io import StringIO

from engine import record
from engine.story import MoveRow, rows
from service.language.people import public_name
from service.language.sanitize import one_line
from service.queries import stories
from service.queries.table import LoadedTable

COLUMNS = ("game", "kind", "seq", "at", "seat", "player", *MoveRow._fields[3:])
"""The columns in their order: those of a row, with the game, its kind and the player's name."""

MEDIA_TYPE = "text/csv"
CONTENT_TYPE = f"{MEDIA_TYPE}; charset=utf-8; header=present"

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
"""The characters with which a spreadsheet takes a text for a formula."""

Value = str | int | None


def of_table(table: LoadedTable) -> bytes:
    """Return the moves of a started game that was loaded with its whole log, with the names of the columns.

    Raises:
        ValueError: the game has not started.
    """
    names = [public_name(player.name) for player in table.players]
    return HEAD + written(values(table.table.id, table.table.kind, names, rows(*stories.replayed(table))))


def of_line(line: bytes) -> bytes:
    """Return the moves of the record in a line, without the names of the columns.

    Raises:
        engine.errors.EngineError: an entry is no possible move.
    """
    found = json.loads(line)
    game, names = found["game"], [player["name"] for player in found["players"]]
    return written(values(game["id"], game["kind"], names, rows(*stories.replayed_record(found))))


def end(games: int, unreadable: int) -> bytes:
    """Return the last line of the moves of many games: in `type` that they are complete, in `seq` the number of games.

    If games are left out because their data are damaged, a line before it has `unreadable` and their number.
    """
    lines = [("unreadable", unreadable)] if unreadable else []
    return written(_told(kind, number) for kind, number in (*lines, ("complete", games)))


def written(lines: Iterable[Sequence[Value]]) -> bytes:
    """Return lines of CSV, which end with CRLF."""
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(lines)
    return text.getvalue().encode()


HEAD = written([COLUMNS])
"""The first line, with the names of the columns."""


def plain_text(text: str) -> str:
    """Return a text on one line that no spreadsheet takes for a formula: with an apostrophe before it if need be."""
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _told(kind: str, number: int) -> list[Value]:
    told: dict[str, Value] = {"type": kind, "seq": number}
    return [told.get(column) for column in COLUMNS]


def values(
    game: str, kind: str, names: Sequence[str | None], made: Iterable[MoveRow], *, timed: bool = True
) -> list[Sequence[Value]]:
    """Return the lines of a game's moves as values, with its id, its kind and the players' names.

    If it is not `timed`, nobody knows when its moves were made, and they have no times.
    """
    players = [plain_text(name or "") for name in names]
    return [
        (
            plain_text(game),
            kind,
            row.seq,
            record.stamp(row.at) if timed else None,
            row.seat,
            None if row.seat is None else players[row.seat],
            None if row.by is None else plain_text(row.by),
            *row[4:],
        )
        for row in made
    ]
