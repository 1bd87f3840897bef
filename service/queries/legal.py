"""What a seat may do now, in a bounded form: any of the tiles may go to any of the cells."""

from __future__ import annotations

from typing import Any

from engine import Match, State
from engine.moves import Place
from service.language.cell_letters import lettered

NONE: dict[str, Any] = {"tiles": [], "cells": [], "refill": False, "resign": False}
"""What nobody may do: before the start, after the end."""


def moves(state: State, seat: int | None) -> dict[str, Any]:
    """The legal moves of a seat as plain data.

    `tiles` are the choices, nearest the marker first; `cells` the places for any of them, in reading order, with the
    letters that pictures and mails show; `refill` and `resign` whether these are allowed. All is empty or false for a seat that may not move; resigning needs no turn.
    """
    stays = seat is not None and state.result is None and not has_left(state, seat)
    if seat is None or seat != state.turn:
        return {**NONE, "resign": stays}
    legal = state.legal_moves()
    cells = [{"x": x, "y": y, "letter": letter} for letter, (x, y) in lettered(legal.cells)]
    return {"tiles": list(legal.tiles), "cells": cells, "refill": legal.refill, "resign": stays}


def letters(state: State, seat: int, place: Place) -> str | None:
    """The letters of the open cell that a placement names; None if no such cell is open."""
    cell = (place.x, place.y)
    return next((each for each, open_cell in lettered(state.displays[seat].open_cells()) if open_cell == cell), None)


def has_left(state: State, seat: int) -> bool:
    """Whether the seat has left the running game (4.3); a solo ends with its player's leaving."""
    return isinstance(state, Match) and seat in state.moon.left
