"""Describe a seat's legal moves in a compact form, in which every tile may go to every cell."""

from __future__ import annotations

from typing import Any

from engine import Match, State
from engine.moves import Place
from service.language.cell_letters import lettered

NONE: dict[str, Any] = {"tiles": [], "cells": [], "refill": False, "resign": False}
"""The legal moves before the start and after the end: none."""


def moves(state: State, seat: int | None) -> dict[str, Any]:
    """Return the legal moves of a seat as plain data.

    Returns:
        `tiles`, the choices, nearest the marker first; `cells`, the places for any of them in reading order, with the
        letters that pictures and mails show; `refill` and `resign`, whether these are allowed. A seat that may not move
        gets empty lists and false; resigning needs no turn.
    """
    stays = seat is not None and state.result is None and not has_left(state, seat)
    if seat is None or seat != state.turn:
        return {**NONE, "resign": stays}
    legal = state.legal_moves()
    cells = [{"x": x, "y": y, "letter": letter} for letter, (x, y) in lettered(legal.cells)]
    return {"tiles": list(legal.tiles), "cells": cells, "refill": legal.refill, "resign": stays}


def letters(state: State, seat: int, place: Place) -> str | None:
    """Return the letters of the open cell that a placement names, or None if no such cell is open."""
    cell = (place.x, place.y)
    return next((each for each, open_cell in lettered(state.displays[seat].open_cells()) if open_cell == cell), None)


def has_left(state: State, seat: int) -> bool:
    """Return whether the seat has left the running game (ruling 4.3). A solo ends when its player leaves."""
    return isinstance(state, Match) and seat in state.moon.left
