"""Responses that games and solo sessions share: the table after a command, and the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response

from engine.moves import to_json
from engine.record import stamp
from engine.text import parse
from service.api import game_view, paging
from service.api.callers import TableRequest
from service.api.context import now, pool
from service.api.flask_adapter import current_request, to_flask
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.responses import table_response
from service.commands import keep
from service.queries import moves
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.unit import transaction

TAG_HEADERS = {
    "ETag": {
        "description": "`version-revision-head`: the version grows with each move, and the revision with any other"
        " change."
        " The head is the beginning of the hash of the last move; it differs if a backup was restored and the game"
        " then went"
        " on differently.",
        "schema": {"type": "string"},
    }
}
PAST_HEADERS = {
    **TAG_HEADERS,
    "Cache-Control": {
        "description": "With `at` and `head`, the response can be cached for a day, by shared caches too if the game is"
        " public and the response is the same for everybody. With `at` alone, it must be revalidated, because a"
        " restored backup can change what follows an earlier move.",
        "schema": {"type": "string"},
    },
}
CREATED_HEADERS = {
    **TAG_HEADERS,
    "Location": {"description": "The URL of the table.", "schema": {"type": "string"}},
}


_MOST_SEQ = 2**31 - 1
"""The largest number of an entry that the database can compare with."""


def view(table: LoadedTable, account: str, status: int = 200, location: str | None = None) -> Response:
    """Return the table after a command. It is not cached, because the command may not be committed yet."""
    shown = game_view.of_table(table)
    return to_flask(table_response(table, table.seat_of(account), shown, now(), status, location=location))


def fresh_view(table_id: str, account: str, status: int = 200, location: str | None = None) -> Response:
    """Return the table after a command, read in the transaction of the current request."""
    table = load(db.session(), table_id)
    assert table is not None, "tables are never deleted"
    return view(table, account, status, location)


def kept_view(account: str, table: LoadedTable) -> Response:
    """Keep a table's game for a player, and return the table after that."""
    with transaction() as session:
        seat = table.seat_of(account)
        assert seat is not None, "only players get here"
        keep.keep(session, table, seat, now(), current_request().if_match())
        return fresh_view(table.table.id, account)


def log(asked: TableRequest, query: Mapping[str, Any]) -> Response:
    """Return a page of the log, oldest entries first."""
    limit = query["limit"]
    place = paging.place_of(query, int)
    after = place.parts[0] if place else min(query["since"], _MOST_SEQ)
    found = moves.page(pool(), asked.caller, asked.table_id, after, limit + 1)
    asked.admit(found.access)
    paging.check_epoch(place, found.epoch)
    links, last = paging.cut(found.links, limit)
    following = None if last is None else paging.encode_cursor(last.entry.seq, of=found.epoch)
    return page_response([_entry(link) for link in links], following)


def _entry(link: moves.Link) -> str:
    entry = link.entry
    by = f',"by":{encode(entry.by)}' if entry.by else ""
    return (
        f'{{"seq":{entry.seq},"at":"{stamp(entry.at)}","seat":{"null" if entry.seat is None else entry.seat},'
        f'"move":{encode(to_json(parse(entry.move)))},"prev":"{link.prev}","hash":"{link.hash}"{by}}}'
    )
