"""Any legal move, each as likely as the other."""

from __future__ import annotations

from engine.draw import Stream
from engine.legal import LegalMoves
from engine.moves import Move
from engine.view import TableView


def choose(view: TableView, legal: LegalMoves, rng: Stream) -> Move:
    """A legal move by chance."""
    return legal[rng.below(len(legal))]
