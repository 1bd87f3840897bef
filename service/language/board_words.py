"""What a picture of a table says: the few words on it, and all that can be seen on it told to somebody who listens."""

from __future__ import annotations

from collections.abc import Iterator

from engine import State
from engine.game import Match
from engine.solo import Solo
from engine.tiles import COLORS, LETTERS, TILES
from engine.track import RING
from service.language.cell_letters import lettered
from service.language.people import People
from service.language.story import outcome
from service.language.words import capital, cell, counted, goal, listed


def pile(size: int) -> tuple[str, str]:
    """The draw pile: its number, and of what."""
    return str(size), "tile in the pile" if size == 1 else "tiles in the pile"


def discs_left(count: int) -> str:
    """The goal discs that a player has left."""
    return f"{count} {'disc' if count == 1 else 'discs'} left"


def to_move() -> str:
    """What stands beside the player whose turn it is."""
    return "to move"


def gone() -> str:
    """What stands beside a player who left the game."""
    return "left the game"


def at_space(position: int) -> str:
    """Where a player's disc is on the moon track: its distance from the start and, where that differs, the space."""
    space = position % RING
    return f"space {space}" if space == position else f"space {space}, {position} from the start"


def place(number: int) -> str:
    """A player's place at the end."""
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def nothing_placed() -> str:
    """What stands where an empty display would be."""
    return "no tiles yet"


def version(number: int) -> str:
    """The state that is shown."""
    return f"after move {number}" if number else "at the start"


def colors() -> tuple[tuple[str, str], ...]:
    """The letter and the word of each colour."""
    return tuple(zip(LETTERS, COLORS, strict=True))


def solo_line(state: Solo) -> str:
    """Where a solo stands, in a few words."""
    if state.result is not None and state.score is not None:
        return f"score {state.score}"
    return "phase 1" if state.first_total is None else f"phase 2, first total {state.first_total}"


def title(people: People, number: int) -> str:
    """The name of a picture."""
    return f"Nova Luna, {people.all()}, {version(number)}"


def standing(state: State, people: People) -> str:
    """Whose turn it is, or how the game ended."""
    if state.result is not None:
        return outcome(state.result, people)
    assert state.turn is not None
    return f"It is the turn of {people.called(state.turn)}."


def wheel(state: State) -> Iterator[str]:
    """The selection track: marker, choices, the other tiles clockwise, the draw pile."""
    spaces = state.wheel.spaces()
    yield f"The marker is on space {state.wheel.marker} of the selection track."
    choices = state.wheel.choices() if state.result is None else []
    for rank, number in enumerate(choices, 1):
        yield f"Choice {rank}, on space {spaces.index(number)}: {_tile(number)}."
    others = [number for number in state.wheel.ring if number not in choices]
    if others:
        yield "Further clockwise: " + "; ".join(_tile(number) for number in others) + "."
    if not state.wheel.ring:
        yield "There are no tiles on it."
    yield capital(f"{counted(state.wheel.pile_size, 'tile')} left in the draw pile.")


def moon(state: State, people: People) -> Iterator[str]:
    """The moon track: the stacks, the one furthest back first; nothing in a solo."""
    if not isinstance(state, Match):
        return
    for position, seats in state.moon.stacks():
        where = f"Space {position % RING} of the moon track"
        if len(seats) == 1:
            yield f"{where}: {people.called(seats[0])}."
        else:
            yield f"{where}, from the bottom: {listed(people.called(seat) for seat in seats)}."
    for seat in state.moon.left:
        yield f"{people.called(seat)} left the game."


def display(state: State, seat: int, people: People, *, letters: bool) -> Iterator[str]:
    """A player's display: discs left, each tile with its goals, and with `letters` the open cells."""
    shown = state.displays[seat]
    yield f"{people.called(seat)} has {counted(state.discs_left[seat], 'goal disc')} left to place."
    tiles = [
        f"{_tile(number, tuple(covered))} at {cell(x, y)}"
        for number, x, y, covered in sorted(shown.placed(), key=lambda placed: (placed[2], placed[1]))
    ]
    if tiles:
        yield f"On the display: {'; '.join(tiles)}."
    else:
        yield "The display is empty."
    if letters:
        cells = ", ".join(f"{letter} {cell(*at)}" for letter, at in lettered(shown.open_cells()))
        yield f"Open cells: {cells}."


def _tile(number: int, covered: tuple[int, ...] = ()) -> str:
    """A tile with its goals: `tile 17, red, time cost 4, goals 2 blue (covered) and 1 red`."""
    found = TILES[number]
    goals = [
        goal(asked).replace(" and ", " with ") + (" (covered)" if index in covered else "")
        for index, asked in enumerate(found.goals)
    ]
    wanted = f"{'goal' if len(goals) == 1 else 'goals'} {listed(goals)}" if goals else "no goal"
    return f"tile {number}, {found.color}, time cost {found.cost}, {wanted}"
