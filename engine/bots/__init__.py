"""Computer players.

Each is a function `choose(view, legal, rng) -> Move`. It is given what its seat may see, the legal moves (at least one)
and a stream of random numbers, and changes nothing but the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.bots import greedy, random
from engine.draw import Stream
from engine.legal import LegalMoves
from engine.moves import Move
from engine.view import TableView

Bot = Callable[[TableView, LegalMoves, Stream], Move]

BOTS: Mapping[str, Bot] = {"random": random.choose, "greedy": greedy.choose}
"""The bots by name."""

_SIGNED = "bot:"


def signature(name: str) -> str:
    """Return the text with which a bot signs its moves in a log: `bot:greedy`."""
    return f"{_SIGNED}{name}"


def signed(text: str | None) -> str | None:
    """Return the name of the bot with this signature, or None if the text is no bot's signature."""
    return text.removeprefix(_SIGNED) if text is not None and text.startswith(_SIGNED) else None
