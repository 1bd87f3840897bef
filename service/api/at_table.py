"""Who is calling, and at which table: looked up together by the one read of the hot path.

The decorator here stands where others have `signed_in`. It refuses in this order: no valid token (401), no such table
for this reader (404), not one of those who may do this (403).
"""

from collections.abc import Callable, Collection
from enum import Enum
from functools import wraps
from typing import Any

from flask import request
from werkzeug.exceptions import HTTPException

from service.api.auth import bearer_hash, needs_token, takes_token, token_missing, unknown_token
from service.api.bodies import json_body
from service.api.context import kept_tables, now, straight
from service.api.documented import View, annotate
from service.api.handed import handed_on
from service.commands.tables import check_maker, not_seated, unknown
from service.errors import Unreadable
from service.queries.table import Asking, LoadedTable, Reading, read
from service.store.idempotency import Slot

Known = Callable[[str], Collection[str]]

PATH_NAMES = {"match": "game_id", "solo": "session_id"}
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


def _always() -> bool:
    return True


def never() -> bool:
    """For `from_start`: what is kept of the table will always do."""
    return False


def at_table(
    kind: str,
    role: Role = Role.READER,
    *,
    known: Known = lambda table_id: (),
    from_start: Callable[[], bool] = _always,
    slot: Callable[[], Slot | None] | None = None,
) -> Callable[[View], View]:
    """Decorator, outermost but for the route: hands the view `account=` and `table=` in place of the path's id.

    A reader's and a holder's `account` is None without a token. A guest's and a holder's view gets the id as `table_id=`
    instead of a table that they may not see yet.

    Args:
        known: gives the tags of the table's states whose log the view can do without.
        from_start: whether the view needs the log from its start; else what this process keeps of the table will do.
        slot: gives where the answer to this request would be kept if it came before (its account is looked up); the view
            gets the answer, or None, as `answered=`.
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            table_id = kwargs.pop(PATH_NAMES[kind])
            reading = _read(table_id, known(table_id), from_start(), slot and slot())
            account, table, answered = reading.account, reading.table, reading.answered
            if slot:
                kwargs["answered"] = answered
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


def _read(table_id: str, known: Collection[str], from_start: bool, slot: Slot | None) -> Reading:
    """The token's account and the table, in one round trip and without a transaction."""
    asking = Asking(bearer_hash(), now(), slot)
    reading = handed_on(request.environ)
    if reading is None:
        reader = read if from_start else kept_tables().read
        reading = reader(straight(), table_id, asking, known)
    if asking.token is not None and reading.account is None:
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
