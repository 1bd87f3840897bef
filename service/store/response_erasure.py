"""Erase a player's name and id from the responses stored for others under their `Idempotency-Key`.

A response that shows a table names everybody at it, so an erased person has to disappear from those, too. The responses
stay stored, so that a repeated request still does nothing twice.
"""

import json
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.record import stamp

_NAMING = text("""
    SELECT account, method, path, key, body FROM idempotency
    WHERE account <> :account AND (strpos(body, :id) > 0 OR strpos(body, CAST(:name AS text)) > 0)
     ORDER BY account, method, path, key FOR NO KEY UPDATE
""")

# The seats at these tables of others with the same name, in the form of a view. The responses of the previous release
# have no ids of players.
_NAMESAKES = text("""
    SELECT tables.id, seats.seat, seats.joined_at FROM tables
    JOIN seats ON seats.game = tables.key JOIN accounts ON accounts.id = seats.account
    WHERE tables.id = ANY(:tables) AND accounts.name = :name AND accounts.id <> :account
""")

_REWRITE = text("""
    UPDATE idempotency SET body = :body
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")


def erase_player(session: Session, account: str, name: str | None) -> None:
    """Replace this account's id and name by null in all responses stored for others; a namesake keeps the name."""
    named = None if name is None else json.dumps(name)
    naming = session.execute(_NAMING, {"account": account, "id": json.dumps(account), "name": named}).mappings().all()
    if not naming:
        return
    views: list[dict[str, Any]] = [json.loads(row["body"]) for row in naming]
    shown = [view["id"] for view in views if "id" in view]
    namesakes = {
        (table, seat, stamp(joined_at))
        for table, seat, joined_at in session.execute(_NAMESAKES, {"account": account, "name": name, "tables": shown})
    }
    for row, view in zip(naming, views, strict=True):
        for player in view.get("players", ()):
            if player.get("id") == account:
                player["id"] = player["name"] = None
            elif "id" not in player and player["name"] == name and _seated(view, player) not in namesakes:
                player["name"] = None
        session.execute(_REWRITE, {**row, "body": json.dumps(view, separators=(",", ":"))})


def _seated(view: dict[str, Any], player: dict[str, Any]) -> tuple[str, int, str]:
    """Return the mark that tells a player of a view from namesakes at the same table."""
    return view["id"], player["seat"], player["joined_at"]
