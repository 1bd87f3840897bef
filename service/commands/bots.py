"""Choose the moves of a seat that a bot plays in place of its player (CLOCKS.md 6.5)."""

from __future__ import annotations

import hashlib

from engine.bots import BOTS
from engine.draw import Stream
from engine.moves import Move
from engine.view import TableView
from service.queries.table import LoadedTable

_NAME = "greedy"

BY = f"bot:{_NAME}"
"""The `by` of the entries with its moves."""


def move(table: LoadedTable) -> Move:
    """Return the bot's move for the player to move, from what that player may see.

    Equal moves are chosen among by the hash of the last entry, so the same game gives the same moves.
    """
    assert table.progress is not None, "it is running"
    rng = Stream(hashlib.sha256(table.progress.head).digest(), BY)
    state = table.state
    return BOTS[_NAME](TableView(state), state.legal_moves(), rng)
