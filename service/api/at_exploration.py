"""Look up an exploration for a view, and show the state of it that a query asks for; only its account may see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from flask import Response

from service.api.auth import signed_in
from service.api.openapi_annotations import View, annotate
from service.api.past_states import AskedState
from service.api.viewed_states import state_response
from service.commands.explorations import unknown
from service.queries import explorations
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.explorations import Exploration


def at_exploration(view: View) -> View:
    """Look up the caller and an exploration of theirs, and pass them to the view as `account=` and `kept=`.

    This decorator stands directly below the route. A request without a valid access token is refused (401), and so is
    an exploration that is not there or is another account's (404).
    """

    @wraps(view)
    def wrapper(account: str, exploration_id: str, **kwargs: Any) -> Any:
        kept = explorations.own(db.session(), exploration_id, account)
        if kept is None:
            raise unknown()
        return view(account=account, kept=kept, **kwargs)

    return signed_in(annotate(wrapper, refuses=(404,)))


def at_state(
    kept: Exploration,
    query: Mapping[str, Any],
    show: Callable[[LoadedTable, AskedState], Response],
    *,
    for_reader: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response with the state of an exploration that a query asks for (`viewed_states.state_response`)."""
    table = explorations.load_explored(db.session(), kept)
    return state_response(table, query, show, for_reader=for_reader, headers=headers)
