"""A second implementation of the rulings: matches of 2 to 4 players, leaving, the host's end, marks, and solo.

A state is a dict of plain values. `play` never changes the state that it is given. `plain` leaves out the draw order,
which nobody at the table knows; the rest is compared with the engine's state value by value.
"""

import pickle
from typing import Any

from tests.oracle import display as displays
from tests.oracle.moves import check_form, check_seat
from tests.oracle.tiles import TILES
from tests.oracle.tracks import (
    SPACES,
    advance_disc,
    choices,
    fill_track,
    order_to_move,
    player_to_move,
    take_disc_off,
    tiles_on_track,
)

PHASE_1_DISCS = 8
SOLO_DISCS = 21


class Illegal(Exception):
    """The move breaks the ruling of this number; "over" if the game has ended."""

    def __init__(self, ruling: str) -> None:
        super().__init__(ruling)
        self.ruling = ruling


# ---------------------------------------------------------------------------------------------------------------
# Setup
# ---------------------------------------------------------------------------------------------------------------


def new_match(seats: int, goal_discs: int, tiles: list[int], stack: list[int]) -> dict[str, Any]:
    """Return a match at its start.

    `tiles` is the draw order as far as known; `stack` is the starting pile, bottom first.
    """
    if seats not in (2, 3, 4) or not 5 <= goal_discs <= 20:
        raise Illegal("1.2")
    state = _new_table("match", seats, goal_discs, tiles)
    state["positions"] = [0] * seats
    state["stacks"] = [[0, list(stack)]]  # 1.3
    state["turn"] = player_to_move(state)
    return state


def new_solo(tiles: list[int]) -> dict[str, Any]:
    """Return a solo at its start, without a moon track (5.1)."""
    state = _new_table("solo", 1, SOLO_DISCS, tiles)
    state["phase"] = 1
    return state


def _new_table(kind: str, seats: int, goal_discs: int, tiles: list[int]) -> dict[str, Any]:
    state = {
        "kind": kind,
        "seats": seats,
        "goal_discs": goal_discs,
        "marker": 0,
        "spaces": [0] * SPACES,
        "pile": len(TILES),
        "shown": 0,
        "displays": [[] for _ in range(seats)],
        "discs_left": [goal_discs] * seats,
        "positions": [],
        "stacks": [],
        "left": [],
        "turn": 0,
        "phase": None,
        "first_total": None,
        "result": None,
        "tiles": list(tiles),
    }
    fill_track(state)  # 1.1: the first 11 tiles lie on spaces 1 to 11
    return state


def plain(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state without the draw order."""
    return {key: value for key, value in state.items() if key != "tiles"}


# ---------------------------------------------------------------------------------------------------------------
# Moves
# ---------------------------------------------------------------------------------------------------------------


def may_refill(state: dict[str, Any]) -> bool:
    """Return whether a refill is allowed.

    In a match it is with 1 or 2 tiles left and a pile (2.2), in a solo in phase 1 from the eighth disc on (5.2).
    """
    if state["kind"] == "solo":
        return state["phase"] == 1 and discs_placed(state) == PHASE_1_DISCS
    return len(tiles_on_track(state)) in (1, 2) and state["pile"] > 0


def discs_placed(state: dict[str, Any]) -> int:
    """Return the number of goal discs that the player of a solo has placed."""
    return sum(len(placed["covered"]) for placed in state["displays"][0])


def legal(state: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the legal moves except resigning: tiles clockwise, for each the cells, then the refill."""
    if state["result"] is not None:
        return []
    cells = displays.open_cells(state["displays"][state["turn"]])
    moves = [{"type": "place", "tile": tile, "x": x, "y": y} for tile in choices(state) for x, y in cells]
    if may_refill(state):
        moves.append({"type": "refill"})
    return moves


def play(state: dict[str, Any], seat: int | None, move: dict[str, Any]) -> dict[str, Any]:
    """Return the state after this move; raise Malformed, or Illegal with the number of the ruling."""
    check_form(move)
    check_seat(state, seat, move)
    if state["result"] is not None:
        raise Illegal("over")
    after = _copy(state)
    if move["type"] == "mark":
        return after
    if move["type"] == "end":
        _finish(after, "ended")
    elif move["type"] in ("resign", "timeout"):
        assert seat is not None  # by check_seat
        _leave(after, seat)
    elif seat is None or seat != state["turn"]:
        raise Illegal("2.1")
    elif move["type"] == "refill":
        _refill(after)
    else:
        _place(after, seat, move["tile"], (move["x"], move["y"]))
    return after


def _copy(state: dict[str, Any]) -> dict[str, Any]:
    """Return an independent copy of the state, by way of its bytes."""
    copy: dict[str, Any] = pickle.loads(pickle.dumps(state))
    return copy


def _refill(state: dict[str, Any]) -> None:
    """Make a refill that the player asks for (2.2, 5.2)."""
    if not may_refill(state):
        raise Illegal(_ruling_on_refills(state))
    if state["kind"] == "solo":
        _begin_phase_2(state)
    else:
        fill_track(state)


def _ruling_on_refills(state: dict[str, Any]) -> str:
    """Return the number of the ruling that a refill would break."""
    if state["kind"] == "match":
        return "2.2"
    return "5.2" if state["phase"] == 1 else "5.5"


def _place(state: dict[str, Any], seat: int, tile: int, cell: tuple[int, int]) -> None:
    """Take the tile, move the marker, advance, place and cover goals (2.4); then see how the game continues."""
    if tile not in choices(state):
        raise Illegal("2.3")
    if cell not in displays.open_cells(state["displays"][seat]):
        raise Illegal("2.6")
    state["marker"] = state["spaces"].index(tile)
    state["spaces"][state["marker"]] = 0
    if state["kind"] == "match":
        advance_disc(state, seat, TILES[tile].cost)
    state["displays"][seat].append({"tile": tile, "x": cell[0], "y": cell[1], "covered": []})
    _cover(state, seat)
    if state["discs_left"][seat] == 0:
        _finish(state, "discs")  # 4.1, 5.5; also when the last tile was taken (5.6)
    elif not tiles_on_track(state):
        _track_is_empty(state)
    if state["kind"] == "match" and state["result"] is None:
        state["turn"] = player_to_move(state)


def _track_is_empty(state: dict[str, Any]) -> None:
    """Refill automatically (2.2, 5.2), or end because there are no tiles (4.2, 5.5)."""
    if state["kind"] == "solo":
        if state["phase"] == 1:
            _begin_phase_2(state)
        else:
            _finish(state, "tiles")
    elif state["pile"] > 0:
        fill_track(state)
    else:
        _finish(state, "tiles")


def _cover(state: dict[str, Any], seat: int) -> None:
    """Cover each met goal in the order of placement, while there are discs to place (3.5)."""
    for place, goal_index in displays.met_goals(state["displays"][seat]):
        if state["phase"] == 1 and discs_placed(state) == PHASE_1_DISCS:
            return  # 5.2, 5.4: the others wait
        if state["discs_left"][seat] == 0:
            return
        covered = state["displays"][seat][place]["covered"]
        covered.append(goal_index)
        covered.sort()
        state["discs_left"][seat] -= 1


def _begin_phase_2(state: dict[str, Any]) -> None:
    """Store the first total, refill, and cover the goals that waited (5.3, 5.4)."""
    missing = PHASE_1_DISCS - discs_placed(state)
    state["first_total"] = displays.total_cost(state["displays"][0]) + 10 * missing
    state["phase"] = 2
    fill_track(state)
    _cover(state, 0)
    if state["discs_left"][0] == 0:
        _finish(state, "discs")


def _leave(state: dict[str, Any], seat: int) -> None:
    """Remove a player, in turn or out of turn (4.3, 5.6)."""
    if state["kind"] == "solo":
        _finish(state, "left")
        return
    if seat in state["left"]:
        raise Illegal("4.3")
    take_disc_off(state, seat)
    state["positions"][seat] = None
    state["left"].append(seat)
    if state["seats"] - len(state["left"]) == 1:
        _finish(state, "left")
    else:
        state["turn"] = player_to_move(state)


# ---------------------------------------------------------------------------------------------------------------
# End
# ---------------------------------------------------------------------------------------------------------------


def _finish(state: dict[str, Any], reason: str) -> None:
    """End the game, and store the record's result object."""
    if state["kind"] == "solo":
        state["result"] = _solo_result(state, reason)
    else:
        ranking = None if reason == "ended" else _ranking(state)
        state["result"] = {"reason": reason, "ranking": ranking, "discs_left": list(state["discs_left"])}
    state["turn"] = None


def _ranking(state: dict[str, Any]) -> list[int]:
    """Return the ranking by 4.1 to 4.3.

    Fewest discs left come first, and ties go to who would have moved next; those who left follow, the last to leave
    first.
    """
    stayed = order_to_move(state)
    left: list[int] = state["left"]
    return [*sorted(stayed, key=lambda seat: (state["discs_left"][seat], stayed.index(seat))), *reversed(left)]


def _solo_result(state: dict[str, Any], reason: str) -> dict[str, Any]:
    """Return the totals (5.6, 5.7); the second total and the score only if the game was played to its end."""
    second_total = score = None
    if reason in ("discs", "tiles"):
        second_total = displays.total_cost(state["displays"][0]) + 10 * state["discs_left"][0]
        score = state["first_total"] + second_total
    return {
        "reason": reason,
        "first_total": state["first_total"],
        "second_total": second_total,
        "score": score,
        "discs_left": list(state["discs_left"]),
    }
