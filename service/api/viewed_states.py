"""Responses that explorations and imports share: a state of a table that is no game here, as a query asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response

from service.api.etags import not_modified
from service.api.json_response import json_response
from service.api.past_states import AskedState, replay_at, state_asked_for
from service.queries import legal
from service.queries.table import LoadedTable


def state_response(
    table: LoadedTable,
    query: Mapping[str, Any],
    show: Callable[[LoadedTable, AskedState], Response],
    *,
    for_reader: bool = False,
    suffix: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the response with the state of a table that a query asks for; 304 if the client has it.

    Both have the same ETag, caching and further headers, as RFC 9110, 15.4.5 requires.

    Args:
        table: the table.
        query: the query, with `at` and `head`, or without.
        show: makes the response from the table, without these headers.
        for_reader: see `service.api.past_states.state_asked_for`.
        suffix: ends the ETag.
        headers: further headers, such as `Vary`.
    """
    asked = state_asked_for(table, query, for_reader=for_reader)
    unchanged: Response | None = not_modified(asked.tag + suffix)
    response = show(table, asked) if unchanged is None else unchanged
    response.headers.update({**asked.headers(suffix), **(headers or {})})
    return response


def legal_moves_response(table: LoadedTable, asked: AskedState) -> Response:
    """Return the legal moves of the player to move in a state."""
    state = replay_at(table, asked.version).state
    shown = {"version": asked.version, "seat": state.turn, **legal.moves(state, state.turn)}
    return json_response(shown)
