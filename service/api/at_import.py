"""Look up an import for a view, and show the state of it that a query asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import Response

from service.api.auth import bearer_hash, takes_token
from service.api.authorization import identify
from service.api.context import now, pool
from service.api.openapi_annotations import View, annotate
from service.api.past_states import AskedState
from service.api.viewed_states import state_response
from service.commands.imports import unknown
from service.queries import imported_games, imports
from service.queries.table import LoadedTable
from service.store.accounts import account_of_token
from service.store.base import db
from service.store.imports import Import


def at_import(view: View) -> View:
    """Look up the caller and an import that they may see, and pass them to the view as `account=` and `kept=`.

    This decorator stands directly below the route. An invalid access token is refused (401), and so is an import that
    is not there or that the caller may not see (404).
    """

    @wraps(view)
    def wrapper(import_id: str, **kwargs: Any) -> Any:
        token = bearer_hash()
        account = None
        if token is not None:
            account = account_of_token(pool(), token, now())
            identify(account, token, needs_token=True)
        kept = imports.visible(db.session(), import_id, account)
        if kept is None:
            raise unknown()
        return view(kept=kept, account=account, **kwargs)

    return takes_token(annotate(wrapper, refuses=(404,)))


def at_state(
    kept: Import,
    query: Mapping[str, Any],
    show: Callable[[LoadedTable, AskedState], Response],
    *,
    for_reader: bool = False,
    suffix: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response with the state of an import that a query asks for (`viewed_states.state_response`)."""
    table = imported_games.loaded(kept)
    return state_response(table, query, show, for_reader=for_reader, suffix=suffix, headers=headers)
