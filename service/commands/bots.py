"""Choose the moves of the seats that a bot plays, from the start or in place of its player (CLOCKS.md 6.5)."""

from __future__ import annotations

import hashlib

from engine import State
from engine.bots import BOTS, signature
from engine.draw import Stream
from engine.moves import Move
from engine.view import TableView
from service.queries.table import LoadedTable

NAME = "greedy"
"""The bot that plays on this service."""

BY = signature(NAME)
"""The `by` of the entries with its moves."""


def move(table: LoadedTable) -> Move:
    """Return the bot's move for the player to move of a running game."""
    assert table.progress is not None, "it is running"
    return chosen(table.state, table.progress.head)


def chosen(state: State, head: bytes) -> Move:
    """Return the bot's move for the player to move, from what that player may see.

    Equal moves are chosen among by `head`, the hash of the last entry, so the same game gives the same moves.
    """
    rng = Stream(hashlib.sha256(head).digest(), BY)
    return BOTS[NAME](TableView(state), state.legal_moves(), rng)
