"""Lists of games and of solo sessions. This module is on the hot path."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

from flask import Response

from engine.bots import signed
from engine.clock.durations import render
from engine.clock.terms import PRESETS
from engine.record import stamp
from service.api.callers import identified
from service.api.context import context
from service.api.event_cursors import changed_since
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.paging import check_epoch, cut, encode_cursor, place_of, refuse_cursor
from service.api.requests import token_missing
from service.api.spectators import read_at_replica
from service.api.table_schemas import RUNS_OUT_AT
from service.language.people import public_name
from service.queries.listed_clocks import clock_of
from service.queries.tables import START, After, Filters, ListedTable, Sitting, listed, looked_at_until
from service.store.autocommit_pool import AutocommitPool
from service.store.callers import Bearer

_ROUNDS = 16
"""The number of windows that are examined for a page whose filters leave tables out."""


def page(kind: str, caller: Bearer, query: dict[str, Any], player: str | None = None) -> Response:
    """Return a page of the tables of a kind that this caller may see, of a player if given, filtered by the query.

    A replica may answer whoever has no token and does not ask for what has changed since a moment.
    """
    read = partial(_page, kind, caller, query, player)
    return read_at_replica(context(), read, has_token=caller.token is not None or "since" in query)


def _page(kind: str, caller: Bearer, query: dict[str, Any], player: str | None, store: AutocommitPool) -> Response:
    limit = query["limit"]
    if caller.token is None and (query.get("mine") or query.get("my_turn")):
        raise token_missing()
    filters = _filters(kind, query, player)
    place = place_of(query, int, str) if filters.soonest_first else place_of(query, int)
    after = START if place is None else _after(*place.parts)
    found: list[ListedTable] = []
    for _ in range(_ROUNDS if filters.is_selective else 1):
        account, epoch, more = listed(store, caller, filters, after, limit + 1 - len(found))
        identified(caller, account)
        check_epoch(place, epoch)
        found += more
        _, last = cut(found, limit)
        following = None if last is None else last.place
        until = None if following else looked_at_until(store, caller, filters, after)
        if until is None:
            break
        found = [each for each in found if each.runs_out_at is not None or each.key >= until]
        following = After(until)
        after = following
    cursor = None if following is None else encode_cursor(*_parts(following, filters), of=epoch)
    shown, _ = cut(found, limit)
    if "since" in query:
        changed = changed_since(store, query["since"], [each.key for each in shown])
        shown = [each for each in shown if each.key in changed]
    timeless = [f"{_facts(each)}{[player.absences for player in each.players]}" for each in shown]
    return page_response([f"{{{_facts(each)},{_clock(each, caller.now)}}}" for each in shown], cursor, timeless)


def _filters(kind: str, query: dict[str, Any], player: str | None) -> Filters:
    clock, free_seats = query.get("clock"), query.get("free_seats")
    preset = PRESETS.get(clock or "")
    return Filters(
        kind,
        query.get("status") if free_seats is None else "open",
        query.get("mine"),
        query.get("my_turn", False),
        query.get("sort") == RUNS_OUT_AT,
        player,
        query.get("seats"),
        query.get("goal_discs"),
        clock if preset is None else preset.kind,
        None if preset is None else render(preset.per_wait),
        free_seats,
    )


def _parts(place: After, filters: Filters) -> tuple[int | str, ...]:
    """Return the parts of the cursor for a place in the list."""
    if not filters.soonest_first:
        return (place.key,)
    return place.key, "" if place.runs_out_at is None else place.runs_out_at.isoformat()


def _after(key: int, runs_out_at: str = "") -> After:
    """Return the place in the list from the parts of a cursor; refuse a cursor that this service did not make."""
    if not runs_out_at:
        return After(key)
    try:
        at = datetime.fromisoformat(runs_out_at).astimezone(UTC)
    except (ValueError, OverflowError):
        refuse_cursor()
    return After(key, at)


def _facts(each: ListedTable) -> str:
    """Return the fields of a row that do not change because time passes."""
    is_public = each.visibility == "public" or (each.kind == "solo" and each.status == "finished")
    players = ",".join(map(_player, each.players))
    return (
        f'"id":"{each.id}","kind":"{each.kind}","status":"{each.status}",'
        f'"visibility":"{"public" if is_public else "private"}","seats":{each.seats},"goal_discs":{each.goal_discs},'
        f'"created_at":"{stamp(each.created_at)}",'
        f'"ended_at":{"null" if each.ended_at is None else encode(stamp(each.ended_at))},'
        f'"closed_at":{"null" if each.closed_at is None else encode(stamp(each.closed_at))},'
        f'"version":{each.version},"players":[{players}],"turn":{"null" if each.turn is None else each.turn},'
        f'"you":{"null" if each.seat is None else each.seat}'
    )


def _player(player: Sitting) -> str:
    name, bot = encode(public_name(player.name)), encode(signed(player.name))
    return f'{{"seat":{player.seat},"id":{encode(player.id)},"name":{name},"bot":{bot}}}'


_NO_CLOCK = '"left":null,"runs_out_at":null,"stands_still_because":null'


def _clock(each: ListedTable, at: datetime) -> str:
    """Return the clock's fields of a row: the reader's time left, and when the time of the player to move runs out."""
    if each.clock is None:
        return _NO_CLOCK
    left, runs_out_at, reason = map(encode, clock_of(each, at))
    return f'"left":{left},"runs_out_at":{runs_out_at},"stands_still_because":{reason}'
