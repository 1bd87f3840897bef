"""Lists of tables: the same for games and solo sessions."""

from __future__ import annotations

from typing import Any

from service.api.auth import token_missing
from service.api.fields import moment
from service.api.paging import decode_cursor, encode_cursor
from service.api.paging import page as paged
from service.queries.tables import Filters, Listed, listed, looked_at_until
from service.store.base import db


def page(kind: str, account: str | None, query: dict[str, Any]) -> Any:
    """A page of tables of a kind for this reader, as the query's filters ask."""
    mine, my_turn, limit = query.get("mine", False), query.get("my_turn", False), query["limit"]
    if account is None and (mine or my_turn):
        raise token_missing()
    before: int | None = None
    if "cursor" in query:
        (before,) = decode_cursor(query["cursor"], int)
    filters = Filters(kind, query.get("status"), mine, my_turn)
    found = listed(db.session(), account, filters, before, limit + 1)
    following = encode_cursor(found[limit - 1].table.key) if len(found) > limit else None
    if following is None and (until := looked_at_until(db.session(), filters, before)) is not None:
        found, following = [each for each in found if each.table.key >= until], encode_cursor(until)
    return paged([_shown(each, account) for each in found[:limit]], following)


def _shown(each: Listed, account: str | None) -> dict[str, Any]:
    table = each.table
    public = table.visibility == "public" or (table.kind == "solo" and each.status == "finished")
    return {
        "id": table.id,
        "kind": table.kind,
        "status": each.status,
        "visibility": "public" if public else "private",
        "seats": table.seats,
        "goal_discs": table.goal_discs,
        "created_at": moment(table.created_at),
        "ended_at": None if each.ended_at is None else moment(each.ended_at),
        "closed_at": None if table.closed_at is None else moment(table.closed_at),
        "version": each.version,
        "players": [{"seat": player.seat, "name": player.name} for player in each.players],
        "turn": each.turn,
        "you": next((player.seat for player in each.players if account and player.account == account), None),
    }
