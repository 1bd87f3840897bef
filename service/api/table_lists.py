"""Lists of games and of solo sessions. This module is on the hot path."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.api.callers import identified
from service.api.context import pool
from service.api.fields import moment
from service.api.json_response import encode, page_response
from service.api.paging import check_epoch, encode_cursor, place_of
from service.api.requests import token_missing
from service.queries.tables import Filters, ListedTable, listed, looked_at_until
from service.store.callers import Bearer


def page(kind: str, caller: Bearer, query: dict[str, Any]) -> Response:
    """Return a page of the tables of a kind that this caller may see, filtered by the query."""
    mine, my_turn, limit = query.get("mine", False), query.get("my_turn", False), query["limit"]
    if caller.token is None and (mine or my_turn):
        raise token_missing()
    place = place_of(query, int)
    before = place.parts[0] if place else None
    filters = Filters(kind, query.get("status"), mine, my_turn)
    account, epoch, found = listed(pool(), caller, filters, before, limit + 1)
    identified(caller, account)
    check_epoch(place, epoch)
    following = found[limit - 1].key if len(found) > limit else None
    if following is None and (until := looked_at_until(pool(), filters, before)) is not None:
        found, following = [each for each in found if each.key >= until], until
    cursor = None if following is None else encode_cursor(following, of=epoch)
    return page_response([_shown(each) for each in found[:limit]], cursor)


def _shown(each: ListedTable) -> str:
    is_public = each.visibility == "public" or (each.kind == "solo" and each.status == "finished")
    players = ",".join([f'{{"seat":{seat},"name":{encode(name)}}}' for seat, name, _ in each.players])
    return (
        f'{{"id":"{each.id}","kind":"{each.kind}","status":"{each.status}",'
        f'"visibility":"{"public" if is_public else "private"}","seats":{each.seats},"goal_discs":{each.goal_discs},'
        f'"created_at":"{moment(each.created_at)}",'
        f'"ended_at":{"null" if each.ended_at is None else encode(moment(each.ended_at))},'
        f'"closed_at":{"null" if each.closed_at is None else encode(moment(each.closed_at))},'
        f'"version":{each.version},"players":[{players}],"turn":{"null" if each.turn is None else each.turn},'
        f'"you":{"null" if each.seat is None else each.seat}}}'
    )
