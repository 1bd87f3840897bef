"""Who is calling, and at which table: looked up together by the one read of the hot path.

The decorator here stands where others have `signed_in`. It refuses in this order: no valid token (401), no such table
for this reader (404), not one of those who may do this (403).
"""

from collections.abc import Callable, Collection
from enum import Enum
from functools import wraps
from typing import Any

from werkzeug.exceptions import HTTPException

from service.api.auth import bearer_hash, needs_token, takes_token, token_missing, unknown_token
from service.api.bodies import json_body
from service.api.context import now
from service.api.documented import View, annotate
from service.commands.tables import check_maker, not_seated, unknown
from service.errors import Unreadable
from service.queries.table import LoadedTable, Reading, read
from service.store.base import db

Known = Callable[[str], Collection[str]]

_PATH = {"match": "game_id", "solo": "session_id"}
"""How the routes name the id of a table of each kind."""


class Role(Enum):
    """Who may call: anybody who may see the table; its players; its maker; or whoever brings an invitation too, signed
    in (a guest) or not (a holder)."""

    READER = "reader"
    PLAYER = "player"
    MAKER = "maker"
    GUEST = "guest"
    HOLDER = "holder"


_NEED_NO_TOKEN = (Role.READER, Role.HOLDER)
_MAY_BRING_INVITATION = (Role.GUEST, Role.HOLDER)


def at_table(kind: str, role: Role = Role.READER, known: Known = lambda table_id: ()) -> Callable[[View], View]:
    """Decorator, outermost but for the route: hands the view `account=` and `table=` in place of the path's id.

    A reader's and a holder's `account` is None without a token. A guest's and a holder's view gets the id as `table_id=`
    instead of a table that they may not see yet. `known` gives the tags of a table's states whose log the view can do without.
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            table_id = kwargs.pop(_PATH[kind])
            account, table = _read(table_id, known(table_id))
            if account is None and role not in _NEED_NO_TOKEN:
                raise token_missing()
            seen = table is not None and table.table.kind == kind and table.may_be_read_by(account)
            if role in _MAY_BRING_INVITATION:
                if not seen and not _brings_invitation():
                    raise unknown()
                return view(account=account, table_id=table_id, **kwargs)
            if table is None or not seen:
                raise unknown()
            _check(role, table, account)
            return view(account=account, table=table, **kwargs)

        refuses = (404,) if role in (*_NEED_NO_TOKEN, Role.GUEST) else (403, 404)
        documented = annotate(wrapper, refuses=refuses)
        return takes_token(documented) if role in _NEED_NO_TOKEN else needs_token(documented)

    return decorator


def _read(table_id: str, known: Collection[str]) -> Reading:
    """The token's account and the table, in one round trip and without a transaction."""
    token = bearer_hash()
    with db.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        reading = read(connection, table_id, token, now(), known)
    if token is not None and reading.account is None:
        raise unknown_token()
    return reading


def _check(role: Role, table: LoadedTable, account: str | None) -> None:
    if role is Role.PLAYER and table.seat_of(account) is None:
        raise not_seated()
    if role is Role.MAKER:
        check_maker(table.table.maker, account)


def _brings_invitation() -> bool:
    """Whether the body names one: then the command says whether it is good. Any body without one says nothing of a
    table that the caller may not see, so the answer is 404 before its form is looked at."""
    try:
        data = json_body()
    except (Unreadable, HTTPException):
        return False
    return isinstance(data, dict) and isinstance(data.get("invitation"), str)
