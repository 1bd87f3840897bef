"""Read the parts of a vector, and write what happened in the vector's form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from engine import State, audit, moves, record
from engine import text as notation
from engine.draw import Draw
from engine.errors import RecordError
from engine.moves import Mark
from service.queries.table import LoadedTable
from service.store.log import Entry

Event = dict[str, Any]
"""A JSON object in a vector."""


def first_state(draw: Draw, at: datetime) -> State:
    """Return the first state of a match with this draw."""
    header = record.header(
        game=draw.subject,
        kind="match",
        goal_discs=20,
        created_at=record.stamp(at),
        started_at=record.stamp(at),
        subject=draw.subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )
    return record.start(header, draw.tiles)


def problems(line: bytes) -> list[str]:
    """Return the problems that an audit finds in a record."""
    try:
        audit.check(line)
    except RecordError as error:
        return [error.detail]
    return []


def in_time(events: Sequence[Event]) -> Iterator[tuple[datetime, Event]]:
    """Yield the events with their times; an event that lasts is split into its beginning and its end."""
    for event in events:
        if event["type"] == "mail":
            yield record.moment(event["from"]), {**event, "type": "mail_in"}
            yield record.moment(event["to"]), {**event, "type": "mail_read"}
        elif event["type"] == "outage":
            yield record.moment(event["from"]), {**event, "type": "fails"}
            yield record.moment(event["to"]), {**event, "type": "works"}
        else:
            yield record.moment(event["at"]), event


def expected_times(vector: dict[str, Any]) -> Iterator[datetime]:
    """Yield the times of all entries and reminders that the vector expects, up to which it has to be run."""
    for found in (*vector["expect"]["log"], *vector["expect"]["reminders"]):
        yield record.moment(found["at"])


def first_time(vector: dict[str, Any]) -> datetime:
    """Return the time of a vector's first event."""
    return min(at for at, _ in in_time(vector["events"]))


def entries_so_far(table: LoadedTable) -> int:
    """Return the number of entries so far that changed the state of the game."""
    return sum(not move.startswith("mark ") for move in table.entries.moves)


def as_told(entry: Entry) -> Event:
    """Return an entry of a log in the form of the vectors."""
    move = notation.parse(entry.move)
    told: Event = {"seq": entry.seq, "at": record.stamp(entry.at), "seat": entry.seat}
    if isinstance(move, Mark):
        told["kind"] = move.kind
        if move.data is not None:
            told["data"] = move.data
    else:
        kind = moves.type_of(move)
        told["kind"] = "move" if kind in ("place", "refill") else kind
    return told | ({"by": entry.by} if entry.by else {})
