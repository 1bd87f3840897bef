"""The link to a table's page in a mail: it lets the player to move make that one move, and others only look."""

from __future__ import annotations

from service.access.links import MoveLink, move_link, table_link
from service.config import Settings
from service.queries.turn_context import Turn


def table_page(settings: Settings, account: str, table: str, turn: Turn | None = None) -> str:
    """Return the URL of a table's page for an account; `turn` is the table as the mail shows it, if it does.

    Whoever is to move is led to the choices, below a heading that can fill a phone.
    """
    if turn is None or turn.state.turn != turn.seat:
        return table_link(settings, account, table)
    return move_link(settings, MoveLink(account, table, turn.version, turn.head)) + "#move"
