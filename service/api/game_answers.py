"""The answers that games and solo sessions share: the view, its past, the legal moves, the log, the record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, request

from engine.moves import to_json
from engine.record import stamp
from engine.saying import Said, said
from engine.text import parse
from service.api import game_view, paging
from service.api.callers import AtTable
from service.api.context import kept_tables, straight
from service.api.etags import etag, not_modified
from service.api.json_response import JSON, encode, json_response, page_response
from service.errors import NotFound
from service.queries import legal, moves, records, replay
from service.queries.table import Asking, LoadedTable, Reading, load, read_chained
from service.queries.table_access import TableAccess
from service.store.base import db

_UNDONE = Said(
    "There is no such state any more: the service was put back to an earlier one, and the game went on from there. Ask"
    " without `head` for what there is now."
)

TAG_HEADERS = {
    "ETag": {
        "description": "`version-revision-head`: the version grows with each move, the revision with any other change, and"
        " the head is the beginning of the hash of the last move, which differs where a restored backup went on otherwise.",
        "schema": {"type": "string"},
    }
}
CREATED_HEADERS = {
    **TAG_HEADERS,
    "Location": {"description": "Where it is.", "schema": {"type": "string"}},
}


def asked_for(table_id: str) -> set[str]:
    """The tags whose ETags this GET's `If-None-Match` names: those states are answered with 304, without their log."""
    if the_past() or "If-None-Match" not in request.headers:
        return set()
    return {tag for tag in request.if_none_match.as_set(include_weak=True) if tag}  # None for an empty one


def the_past() -> bool:
    """Return whether this GET asks for a table as it was."""
    return bool(request.query_string) and ("at" in request.args or "head" in request.args)


def shown(table: LoadedTable, account: str | None, query: Mapping[str, Any]) -> Response:
    """Answer a GET of a table: as it is, or as it was at the version `at` that the query names."""
    if "at" in query or "head" in query:
        return _past(table, account, query)
    kept = kept_tables()
    unchanged = not_modified(etag(table.version, table.table.revision, table.head))
    if unchanged:
        kept.keep(table)
        return unchanged
    body = kept.body(table)
    if body is None:
        table = table if table.is_complete else _loaded(table.table.id)
        body = shown_as(table)
    kept.keep(table, body)
    return respond(table, account, body)


def shown_as(table: LoadedTable) -> bytes:
    """The view of a table as it is, without `you`."""
    return game_view.render(table, table.replay if table.header else None)


def view(table: LoadedTable, account: str, status: int = 200, location: str | None = None) -> Response:
    """The table after a command, for who gave it. It is not kept: the command may not be committed yet."""
    return respond(table, account, shown_as(table), status, {} if location is None else {"Location": location})


def fresh_view(table_id: str, account: str, status: int = 200, location: str | None = None) -> Response:
    """The table as this request's transaction has made it."""
    return view(_loaded(table_id), account, status, location)


def state_asked_for(table: LoadedTable, query: Mapping[str, Any]) -> tuple[int, str]:
    """Return the version of a table that is asked for, and its head; refuses one that there is not, or not any more."""
    at: int = query.get("at", table.version)
    if at > table.version:
        raise NotFound(
            "no_such_version", said("The game is at version %(version)s.", version=table.version), version=table.version
        )
    head = table.head_at(at)
    if query.get("head", head) != head:
        raise NotFound("no_such_state", _UNDONE, version=table.version)
    return at, head


def _past(table: LoadedTable, account: str | None, query: Mapping[str, Any]) -> Response:
    at, head = state_asked_for(table, query)
    tag = etag(at, table.table.revision, head)
    unchanged = not_modified(tag)
    if unchanged:
        return unchanged
    game = replay.replay(table.header, table.tiles, table.entries[:at]) if table.header else None
    body = game_view.with_you(game_view.render(table, game), table.seat_of(account))
    return Response(body, headers={"ETag": tag}, content_type=JSON)


def _loaded(table_id: str) -> LoadedTable:
    table = load(db.session(), table_id)
    assert table is not None, "tables are never deleted"
    return table


def respond(
    table: LoadedTable, account: str | None, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """The answer that shows a table; `body` is the view of it without `you`."""
    tag = etag(table.version, table.table.revision, table.head)
    whole = game_view.with_you(body, table.seat_of(account))
    return Response(whole, status, {**(headers or {}), "ETag": tag}, content_type=JSON)


def legal_moves(asked: AtTable) -> Response:
    """What the player to move may do."""
    kept = kept_tables()
    asking = Asking(asked.caller.token, asked.caller.now)
    table = admitted(asked, kept.read(straight(), asked.table_id, asking, asked_for(asked.table_id)))
    tag = etag(table.version, table.table.revision, table.head)
    unchanged = not_modified(tag)
    if unchanged:
        return unchanged
    state = table.state if table.header else None
    seat = state.turn if state else None
    can = legal.moves(state, seat) if state else legal.NONE
    kept.keep(table)
    return json_response({"version": table.version, "seat": seat, **can}, {"ETag": tag})


def log(asked: AtTable, query: Mapping[str, Any]) -> Response:
    """A page of the log, oldest entries first."""
    limit = query["limit"]
    place = paging.place_of(query, int)
    found = moves.page(straight(), asked.caller, asked.table_id, place.parts[0] if place else 0, limit + 1)
    asked.admit(found.access)
    paging.check_epoch(place, found.epoch)
    links = found.links
    following = paging.encode_cursor(links[limit - 1].entry.seq, of=found.epoch) if len(links) > limit else None
    return page_response([_entry(link) for link in links[:limit]], following)


def _entry(link: moves.Link) -> str:
    entry = link.entry
    by = f',"by":{encode(entry.by)}' if entry.by else ""
    return (
        f'{{"seq":{entry.seq},"at":"{stamp(entry.at)}","seat":{"null" if entry.seat is None else entry.seat},'
        f'"move":{encode(to_json(parse(entry.move)))},"prev":"{link.prev}","hash":"{link.hash}"{by}}}'
    )


def record(asked: AtTable) -> Response:
    """The record's line; NotFound before the start."""
    asking = Asking(asked.caller.token, asked.caller.now)
    reading = read_chained(straight(), asked.table_id, asking, asked_for(asked.table_id))
    table = admitted(asked, reading)
    if table.header is None:
        raise NotFound("not_started", "A game has a record from its start on.")
    tag = etag(table.version, table.table.revision, table.head)
    return not_modified(tag) or Response(
        records.chained_line(table, reading.hashes), headers={"ETag": tag}, content_type=JSON
    )


def admitted(asked: AtTable, reading: Reading) -> LoadedTable:
    """Return the table that was read for a request, refused as `AtTable.admit` does."""
    table, account = reading.table, reading.account
    if table is None:
        asked.admit(TableAccess(account, None, None, None, None, None))
        raise AssertionError("a table that is not there admits nobody")
    row = table.table
    asked.admit(TableAccess(account, row.key, row.kind, row.visibility, table.status, table.seat_of(account)))
    return table
