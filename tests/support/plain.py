"""The engine's state as plain values, through its public names alone, to be compared with the oracle's."""

from typing import Any

from engine.game import Match
from engine.solo import Solo
from engine.table import Table


def plain(state: Table) -> dict[str, Any]:
    """Return the state with the same keys and values as `tests.oracle.rules.plain`."""
    moon = state.moon if isinstance(state, Match) else None
    return {
        "kind": state.kind,
        "seats": state.seats,
        "goal_discs": state.goal_discs,
        "marker": state.wheel.marker,
        "spaces": list(state.wheel.spaces()),
        "pile": state.wheel.pile_size,
        "shown": state.wheel.shown,
        "displays": [
            [{"tile": tile, "x": x, "y": y, "covered": sorted(covered)} for tile, x, y, covered in display.placed()]
            for display in state.displays
        ],
        "discs_left": list(state.discs_left),
        "positions": _positions(state) if isinstance(state, Match) else [],
        "stacks": [[position, list(seats)] for position, seats in moon.stacks()] if moon else [],
        "left": list(moon.left) if moon else [],
        "turn": state.turn,
        "phase": state.phase if isinstance(state, Solo) else None,
        "first_total": state.first_total if isinstance(state, Solo) else None,
        "result": None if state.result is None else state.result.to_json(),
    }


def _positions(match: Match) -> list[int | None]:
    """Return the number of spaces that each seat's disc has come; None for a player who left."""
    return [None if seat in match.moon.left else match.moon.position[seat] for seat in range(match.seats)]
