"""A bot that chooses any legal move with equal probability."""

from __future__ import annotations

from engine.draw import Stream
from engine.legal import LegalMoves
from engine.moves import Move
from engine.view import TableView


def choose(view: TableView, legal: LegalMoves, rng: Stream) -> Move:
    """Return a random legal move."""
    return legal[rng.below(len(legal))]
