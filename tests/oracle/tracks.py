"""The two tracks: which tiles can be taken (1.1, 2.2, 2.3), and whose turn it is (2.1, 2.5)."""

from typing import Any

SPACES = 12


def clockwise(state: dict[str, Any]) -> list[int]:
    """The eleven spaces after the marker's, clockwise."""
    return [(state["marker"] + step) % SPACES for step in range(1, SPACES)]


def tiles_on_track(state: dict[str, Any]) -> list[int]:
    """The tiles that lie on the track, clockwise from the marker."""
    return [state["spaces"][space] for space in clockwise(state) if state["spaces"][space]]


def fill_track(state: dict[str, Any]) -> None:
    """2.2: fill every empty space but the marker's, clockwise from the marker, while the pile lasts."""
    for space in clockwise(state):
        if state["spaces"][space] == 0 and state["pile"] > 0:
            state["spaces"][space] = state["tiles"][state["shown"]]
            state["shown"] += 1
            state["pile"] -= 1


def choices(state: dict[str, Any]) -> list[int]:
    """2.3: the next three tiles clockwise from the marker, fewer if fewer lie there."""
    return tiles_on_track(state)[:3]


def order_to_move(state: dict[str, Any]) -> list[int]:
    """2.1: who would move next, and after that: furthest back first, on one space the last to arrive first."""
    return [seat for _, stack in state["stacks"] for seat in reversed(stack)]


def player_to_move(state: dict[str, Any]) -> int:
    """2.1: whose turn it is."""
    return order_to_move(state)[0]


def take_disc_off(state: dict[str, Any], seat: int) -> None:
    """Take the disc off the moon track."""
    for _, stack in state["stacks"]:
        if seat in stack:
            stack.remove(seat)
    state["stacks"] = [[position, stack] for position, stack in state["stacks"] if stack]


def advance_disc(state: dict[str, Any], seat: int, cost: int) -> None:
    """2.4, 2.5: advance the disc by the time cost; on a taken space it lands on top."""
    take_disc_off(state, seat)
    state["positions"][seat] += cost
    here = state["positions"][seat]
    for position, stack in state["stacks"]:
        if position == here:
            stack.append(seat)
            return
    state["stacks"].append([here, [seat]])
    state["stacks"].sort()
