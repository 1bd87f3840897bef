"""The two tracks: which tiles can be taken (1.1, 2.2, 2.3), and whose turn it is (2.1, 2.5)."""

from typing import Any

SPACES = 12


def clockwise(state: dict[str, Any]) -> list[int]:
    """Return the eleven spaces after the marker's, clockwise."""
    return [(state["marker"] + step) % SPACES for step in range(1, SPACES)]


def tiles_on_track(state: dict[str, Any]) -> list[int]:
    """Return the tiles on the track, clockwise from the marker."""
    return [state["spaces"][space] for space in clockwise(state) if state["spaces"][space]]


def fill_track(state: dict[str, Any]) -> None:
    """Fill every empty space but the marker's, clockwise from the marker, while the pile lasts (2.2)."""
    for space in clockwise(state):
        if state["spaces"][space] == 0 and state["pile"] > 0:
            state["spaces"][space] = state["tiles"][state["shown"]]
            state["shown"] += 1
            state["pile"] -= 1


def choices(state: dict[str, Any]) -> list[int]:
    """Return the next three tiles clockwise from the marker, fewer if fewer lie there (2.3)."""
    return tiles_on_track(state)[:3]


def order_to_move(state: dict[str, Any]) -> list[int]:
    """Return the seats in the order in which they would move (2.1).

    The disc furthest back comes first, and of discs on one space the last to arrive.
    """
    return [seat for _, stack in state["stacks"] for seat in reversed(stack)]


def player_to_move(state: dict[str, Any]) -> int:
    """Return the seat whose turn it is (2.1)."""
    return order_to_move(state)[0]


def take_disc_off(state: dict[str, Any], seat: int) -> None:
    """Take a disc off the moon track."""
    for _, stack in state["stacks"]:
        if seat in stack:
            stack.remove(seat)
    state["stacks"] = [[position, stack] for position, stack in state["stacks"] if stack]


def advance_disc(state: dict[str, Any], seat: int, cost: int) -> None:
    """Advance a disc by the time cost; on a taken space it lands on top (2.4, 2.5)."""
    take_disc_off(state, seat)
    state["positions"][seat] += cost
    here = state["positions"][seat]
    for position, stack in state["stacks"]:
        if position == here:
            stack.append(seat)
            return
    state["stacks"].append([here, [seat]])
    state["stacks"].sort()
