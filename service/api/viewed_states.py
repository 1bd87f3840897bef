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
) -> Response:
    """Return the response with the state of a table that a query asks for; 304 if the client has it.

    Args:
        table: the table.
        query: the query, with `at` and `head`, or without.
        show: makes the response from the table.
        for_reader: see `service.api.past_states.state_asked_for`.
    """
    asked = state_asked_for(table, query, for_reader=for_reader)
    unchanged: Response | None = not_modified(asked.tag)
    return show(table, asked) if unchanged is None else unchanged


def legal_moves_response(table: LoadedTable, asked: AskedState) -> Response:
    """Return the legal moves of the player to move in a state."""
    state = replay_at(table, asked.version).state
    shown = {"version": asked.version, "seat": state.turn, **legal.moves(state, state.turn)}
    return json_response(shown, asked.headers())
