"""A player's display: where a tile may go (2.6), chains (3.2) and goals (3.1 to 3.4).

A display is a list of {"tile", "x", "y", "covered"} in the order of placement. Every question is answered from the
whole list.
"""

from typing import Any

from tests.oracle.tiles import TILES

Cell = tuple[int, int]


def sides(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with this one; cells at a corner do not count."""
    x, y = cell
    return [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]


def tiles_by_cell(display: list[dict[str, Any]]) -> dict[Cell, int]:
    """Return the tile in each cell."""
    return {(placed["x"], placed["y"]): placed["tile"] for placed in display}


def open_cells(display: list[dict[str, Any]]) -> list[Cell]:
    """Return where the next tile may go (2.6), row by row from the top, each from the left."""
    taken = tiles_by_cell(display)
    if not taken:
        return [(0, 0)]
    touching = {side for cell in taken for side in sides(cell) if side not in taken}
    return sorted(touching, key=lambda cell: (cell[1], cell[0]))


def chain(colors: dict[Cell, str], start: Cell) -> set[Cell]:
    """Return all cells of one color that are joined to this cell at sides, including itself (3.2), by a flood fill."""
    found = {start}
    todo = [start]
    while todo:
        for cell in sides(todo.pop()):
            if cell not in found and colors.get(cell) == colors[start]:
                found.add(cell)
                todo.append(cell)
    return found


def touching_chains(colors: dict[Cell, str], cell: Cell) -> set[Cell]:
    """Return every cell in a chain that touches this cell at a side, each once (3.2), without the cell itself (3.3)."""
    cells: set[Cell] = set()
    for side in sides(cell):
        if side in colors and side not in cells:
            cells |= chain(colors, side)
    return cells - {cell}


def is_met(goal: str, colors_around: list[str]) -> bool:
    """Return whether there are, for every color that the goal asks for, enough tiles in the chains around it (3.1)."""
    return all(colors_around.count(color) >= goal.count(color) for color in set(goal))


def met_goals(display: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Return all goals that are met and not covered, as (index in the display, goal index), in the order of 3.5."""
    colors = {cell: TILES[tile].color for cell, tile in tiles_by_cell(display).items()}
    met = []
    for place, placed in enumerate(display):
        goals = TILES[placed["tile"]].goals
        if len(placed["covered"]) == len(goals):
            continue
        around = [colors[cell] for cell in touching_chains(colors, (placed["x"], placed["y"]))]
        for index, goal in enumerate(goals):
            if index not in placed["covered"] and is_met(goal, around):
                met.append((place, index))
    return met


def counting(display: list[dict[str, Any]], tile: int, goal_index: int) -> list[int]:
    """Return the ids of the tiles that count for this goal, met or not: those of its colors in the chains around it."""
    cells = tiles_by_cell(display)
    colors = {cell: TILES[id].color for cell, id in cells.items()}
    own_cell = next(cell for cell, id in cells.items() if id == tile)
    goal = TILES[tile].goals[goal_index]
    return sorted(cells[cell] for cell in touching_chains(colors, own_cell) if colors[cell] in goal)


def total_cost(display: list[dict[str, Any]]) -> int:
    """Return the time cost of all tiles on the display."""
    return sum(TILES[placed["tile"]].cost for placed in display)
