"""Who is calling, and at which table, for Flask's views: see `service.api.authorization`."""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from flask import current_app
from werkzeug.exceptions import HTTPException

from service.api.auth import needs_token, takes_token
from service.api.authorization import Role, find_table, identify, is_visible, read_table
from service.api.context import context_of
from service.api.documented import View, annotate
from service.api.flask_adapter import current_request
from service.commands.tables import unknown
from service.errors import Unreadable

Known = Callable[[], Collection[str]]

PATH_NAMES = {"match": "game_id", "solo": "session_id"}
"""How the routes name the id of a table of each kind."""


def _none() -> Collection[str]:
    return ()


def at_table(
    kind: str, role: Role = Role.READER, *, known: Known = _none, whole_log: bool = True
) -> Callable[[View], View]:
    """Decorator, outermost but for the route: hands the view `account=` and `table=` in place of the path's id.

    A reader's and a holder's `account` is None without a token. A guest's and a holder's view gets the id as `table_id=`
    instead of a table that they may not see yet.

    Args:
        kind: the kind of the tables at this address.
        role: who may call.
        known: gives the tags of the table's states whose log the view can do without.
        whole_log: whether the view needs the log from its start; else what this process has cached of the table will do.
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            table_id = kwargs.pop(PATH_NAMES[kind])
            context, request = context_of(current_app), current_request()
            if role.may_bring_invitation:
                reading = read_table(context, request, table_id, role)
                identify(reading.account, request.token_hash(), needs_token=role.needs_token)
                if not is_visible(reading.access, kind) and not _brings_invitation():
                    raise unknown()
                return view(account=reading.account, table_id=table_id, **kwargs)
            found = find_table(context, request, kind, table_id, role, known=known(), whole_log=whole_log)
            return view(account=found.account, table=found.table, **kwargs)

        return documents_role(wrapper, role)

    return decorator


def documents_role(view: View, role: Role) -> View:
    """Document who may call a view, for one whose handler looks that up by itself."""
    documented = annotate(view, refuses=(403, 404) if role in (Role.PLAYER, Role.MAKER) else (404,))
    return needs_token(documented) if role.needs_token else takes_token(documented)


def _brings_invitation() -> bool:
    """Return whether the body names an invitation: then the command says whether it is good. Any body without one says
    nothing of a table that the caller may not see, so the answer is 404 before its form is looked at."""
    try:
        data = current_request().json()
    except (Unreadable, HTTPException):
        return False
    return isinstance(data, dict) and isinstance(data.get("invitation"), str)
