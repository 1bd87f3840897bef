"""The engine's state as plain values, through its public names only, to be compared with the oracle's."""

from engine.game import Match
from engine.solo import Solo


def plain(state: Match | Solo) -> dict:
    """The same keys and values as `tests.oracle.rules.plain`."""
    is_match = state.kind == "match"
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
        "positions": _positions(state) if is_match else [],
        "stacks": [[position, list(seats)] for position, seats in state.moon.stacks()] if is_match else [],
        "left": list(state.moon.left) if is_match else [],
        "turn": state.turn,
        "phase": None if is_match else state.phase,
        "first_total": None if is_match else state.first_total,
        "result": None if state.result is None else state.result.to_json(),
    }


def _positions(match: Match) -> list[int | None]:
    """How far each seat's disc has come; None for one who left."""
    return [None if seat in match.moon.left else match.moon.position[seat] for seat in range(match.seats)]
