"""Read the explorations of an account, and the games that they go on from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, literal, select, tuple_
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from engine.tiles import COUNT
from service.errors import NotFound
from service.queries import explored_games, records
from service.queries.explored_games import line, loaded
from service.queries.table import LoadedTable, load
from service.store.accounts import Account
from service.store.explorations import Exploration
from service.store.tables import Seat, Table

_DRAWN_ANEW = Phrase(
    "The game was still running, so tiles were drawn anew for this exploration, and it is no variation of that game."
    " Its record has it, as JSON."
)
_HIDDEN = Phrase("The text would be that of the game with this variation, and you may not see that game any more.")


Place = tuple[datetime, str]
"""A place in the list of an account's explorations: when the one there was created, and its id."""


def own(session: Session, id: str, account: str, *, locked: bool = False) -> Exploration | None:
    """Return an exploration of an account; None for any other. If it is `locked`, others wait until the commit."""
    query = select(Exploration).where(Exploration.id == id, Exploration.account == account)
    return session.scalar((query.with_for_update() if locked else query).execution_options(populate_existing=True))


def origin_of(session: Session, kept: Exploration) -> str:
    """Return the id of the game that an exploration goes on from."""
    return session.scalars(select(Table.id).where(Table.key == kept.origin)).one()


def load_explored(session: Session, kept: Exploration) -> LoadedTable:
    """Return an exploration as a loaded table."""
    return loaded(kept, load_origin(session, kept))


def load_origin(session: Session, kept: Exploration) -> LoadedTable:
    """Return the game that an exploration goes on from."""
    origin = load(session, origin_of(session, kept))
    assert origin is not None, "tables are never deleted"
    return origin


def text_of(session: Session, kept: Exploration, origin: LoadedTable, table: LoadedTable, version: int) -> bytes:
    """Return the text of the game that is explored, with the exploration up to a version as a variation in it.

    Raises:
        NotFound: tiles were drawn anew, or the account may not see the game any more (`no_text`).
    """
    if kept.tiles < COUNT:
        raise NotFound("no_text", _DRAWN_ANEW)
    if not origin.may_be_read_by(kept.account):
        raise NotFound("no_text", _HIDDEN)
    return explored_games.text_of(kept, table, records.line(session, origin), version)


def lines(session: Session, account: str, before: Place | None, limit: int) -> tuple[bytes, Place | None]:
    """Return the records of the explorations of an account before a place in their list, a line each, newest first.

    The place of the last of them comes with them, None if there are no more.
    """
    found = [kept for kept, _, _ in page(session, account, before, limit)]
    place = (found[-1].created_at, found[-1].id) if found else None
    return b"".join(line(load_explored(session, kept)) for kept in found), place


def names_at(session: Session, keys: Sequence[int]) -> dict[int, tuple[str | None, ...]]:
    """Return the names of the players of games by the keys of their tables; that of a bot is its signature."""
    name = func.coalesce(Account.name, literal("bot:") + Seat.bot)
    query = select(Seat.game, name).outerjoin(Account, Account.id == Seat.account).where(Seat.game.in_(set(keys)))
    found: dict[int, tuple[str | None, ...]] = {}
    for key, each in session.execute(query.order_by(Seat.game, Seat.seat)):
        found[key] = (*found.get(key, ()), each)
    return found


def page(session: Session, account: str, before: Place | None, limit: int) -> list[tuple[Exploration, str, str]]:
    """Return the explorations of an account before a place in their list, the newest first.

    Each comes with the id and the kind of the game that it goes on from.
    """
    mine = select(Exploration, Table.id, Table.kind).join(Table, Table.key == Exploration.origin)
    mine = mine.where(Exploration.account == account)
    if before is not None:
        mine = mine.where(tuple_(Exploration.created_at, Exploration.id) < before)
    rows = session.execute(mine.order_by(Exploration.created_at.desc(), Exploration.id.desc()).limit(limit))
    return [(kept, id, kind) for kept, id, kind in rows]
