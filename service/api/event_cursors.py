"""Cursors of events that clients send, and the refusal of those that events can no longer be read from."""

from __future__ import annotations

from collections.abc import Collection

from service.errors import Gone
from service.events import reading
from service.events.cursor import Cursor, parse
from service.store.autocommit_pool import Statements


def gone(now: Cursor) -> Gone:
    """Return the refusal of a cursor after which not all events are kept; `now` is the one to go on from."""
    return Gone(
        "events_gone",
        "What happened since is no longer kept. Read your games again, and go on with the `after` that this problem"
        " has.",
        after=str(now),
    )


def changed_since(store: Statements, cursor: str, tables: Collection[int]) -> Collection[int]:
    """Return those of some tables, given by their keys, at which something has happened since a cursor."""
    given = parse(cursor)
    assert given is not None, "the schema of the query has checked it"
    now, changed = reading.changed(store, given.position, tables)
    if now.after(given) is None:
        raise gone(Cursor(now.epoch, now.last))
    return changed
