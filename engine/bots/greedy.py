"""A bot that looks one placement ahead: it covers the most goals for the least time, and refills if there are none."""

from __future__ import annotations

from engine.draw import Stream
from engine.legal import LegalMoves
from engine.moves import REFILL, Move, Place
from engine.prospects import coverable
from engine.tiles import COSTS
from engine.view import TableView


def choose(view: TableView, legal: LegalMoves, rng: Stream) -> Move:
    """Return the placement that covers the most goals, of these the cheapest tile, of these a random one.

    If no placement covers a goal and a refill is allowed, return the refill.
    """
    assert view.turn is not None
    display = view.displays[view.turn]
    discs = view.discs_left[view.turn]
    best: list[Move] = []
    best_worth = (-1, 0)
    for tile in legal.tiles:
        covered = coverable(display, tile, discs)
        for x, y in legal.cells:
            worth = (covered.get((x, y), 0), -COSTS[tile])
            if worth > best_worth:
                best, best_worth = [], worth
            if worth == best_worth:
                best.append(Place(tile, x, y))
    if legal.refill and best_worth[0] == 0:
        return REFILL
    return best[rng.below(len(best))]
