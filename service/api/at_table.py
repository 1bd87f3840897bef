"""The decorator of Flask views that look up the caller and a table; see `service.api.authorization`."""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any

from flask import current_app
from werkzeug.exceptions import HTTPException

from service.api.auth import needs_token, takes_token
from service.api.authorization import Role, find_table, identify, is_visible, read_table
from service.api.context import context_of
from service.api.flask_adapter import current_request
from service.api.openapi_annotations import View, annotate
from service.commands.tables import unknown
from service.errors import Unreadable

Known = Callable[[], Collection[str]]

PATH_NAMES = {"match": "game_id", "solo": "session_id"}
"""The name of the path parameter with the id of a table, by the table's kind."""


def _none() -> Collection[str]:
    return ()


def at_table(
    kind: str, role: Role = Role.READER, *, known: Known = _none, whole_log: bool = True
) -> Callable[[View], View]:
    """Look up the caller and the table, and pass them to the view as `account=` and `table=` in place of the path's id.

    This decorator stands directly below the route. In the roles READER and HOLDER, `account` is None without an access
    token. In the roles GUEST and HOLDER, the view gets `table_id=` instead of a table, which the caller may not see
    yet.

    Args:
        kind: the kind of the tables at this address.
        role: who may call the view.
        known: returns the tags of the table's states for which the view needs no log.
        whole_log: whether the view needs the log from its start; otherwise the part that this process has cached
            will do.
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
    """Document who may call a view whose handler checks that itself."""
    documented = annotate(view, refuses=(403, 404) if role in (Role.PLAYER, Role.MAKER) else (404,))
    return needs_token(documented) if role.needs_token else takes_token(documented)


def _brings_invitation() -> bool:
    """Return whether the body names an invitation.

    If it does, the command checks the invitation. If not, the caller may not learn of the table, so the answer is 404
    before the body is validated.
    """
    try:
        data = current_request().json()
    except (Unreadable, HTTPException):
        return False
    return isinstance(data, dict) and isinstance(data.get("invitation"), str)
