"""The story of a finished game, from its loaded table or its record."""

from __future__ import annotations

from engine import record
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
    if table.header is None:
        raise ValueError(f"table {table.table.id} has not started")
    assert table.base is None and table.is_complete, "the log was left out"
    start = replay.start(table.header, table.tiles)
    entries = (LoggedMove(entry.seq, entry.at, entry.seat, parse(entry.move), entry.by) for entry in table.entries)
    return tell(start.state, start.turn_since, entries)


def of_record(found: record.Object) -> Story:
    """Return the story of a finished game from its record, which was checked before.

    Raises:
        ValueError: the game is not over.
    """
    entries = (
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], from_json(each["move"]), each.get("by"))
        for each in found["log"]
    )
    return tell(record.start(found, found["draw"]["tiles"]), record.moment(found["game"]["started_at"]), entries)
