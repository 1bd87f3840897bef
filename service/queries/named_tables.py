"""Read who plays in some games, to name the games by their players."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.language.languages import Language
from service.language.people import People

_PLAYERS = text("""
    SELECT tables.id, array_agg(coalesce(accounts.name, 'bot:' || seats.bot) ORDER BY seats.seat),
           min(seats.seat) FILTER (WHERE seats.account = :account)
      FROM tables JOIN seats ON seats.game = tables.key LEFT JOIN accounts ON accounts.id = seats.account
     WHERE tables.id = ANY (:ids)
     GROUP BY tables.id
""")


def people_of(session: Session, ids: Collection[str], account: str | None, language: Language) -> dict[str, People]:
    """Return the players of the games with these ids, as an account calls them."""
    if not ids:
        return {}
    found = session.execute(_PLAYERS, {"ids": list(ids), "account": account})
    return {id: People(tuple(names), seat, language) for id, names, seat in found}
