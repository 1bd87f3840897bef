"""The story of a finished game, from its loaded table or its record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from engine import State, record
from engine.moves import from_json
from engine.story import LoggedMove, Story, tell
from engine.text import parse
from service.queries import replay
from service.queries.table import LoadedTable


def of_table(table: LoadedTable) -> Story:
    """Return the story of a table whose game is over and whose log was loaded from its start.

    Raises:
        ValueError: the game has not started, or is not over.
    """
    return tell(*replayed(table))


def of_record(found: record.Object) -> Story:
    """Return the story of a finished game from its record, which was checked before.

    Raises:
        ValueError: the game is not over.
    """
    return tell(*replayed_record(found))


def replayed(table: LoadedTable) -> tuple[State, datetime, Iterator[LoggedMove]]:
    """Return a game at its start, the time of that, and its log, which was loaded from the start.

    Raises:
        ValueError: the game has not started.
    """
    if table.header is None:
        raise ValueError(f"table {table.table.id} has not started")
    assert table.base is None and table.is_complete, "the log was left out"
    start = replay.start(table.header, table.tiles)
    logged = (LoggedMove(each.seq, each.at, each.seat, parse(each.move), each.by or None) for each in table.entries)
    return start.state, start.turn_since, logged


def replayed_record(found: record.Object) -> tuple[State, datetime, Iterator[LoggedMove]]:
    """Return a game at its start, the time of that, and its log, from its record."""
    logged = (
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], from_json(each["move"]), each.get("by"))
        for each in found["log"]
    )
    return record.start(found, found["draw"]["tiles"]), record.moment(found["game"]["started_at"]), logged
