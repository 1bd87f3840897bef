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
