"""A running game, as an example for those who have not played yet."""

from __future__ import annotations

from functools import cache

from engine.bots.greedy import choose
from engine.draw import Draw, Stream
from engine.game import FULL, Match
from engine.view import TableView
from service.language.languages import Language
from service.language.people import People
from service.pictures.palette import DARK
from service.pictures.scene import Scene

_SEED = bytes(32)
_MOVES_EACH = 7


@cache
def example(seats: int, language: Language) -> Scene:
    """Return a match of `seats` players after some moves, as the player to move sees it; always the same one."""
    draw, chance = Draw(_SEED, "example", ("",) * seats), Stream(_SEED, "example")
    state = Match(seats, FULL, draw.tiles, draw.stack)
    view, last, moves = TableView(state), None, _MOVES_EACH * seats
    for _ in range(moves):
        assert state.turn is not None, "nobody has won by then"
        step = state.advance(state.turn, choose(view, state.legal_moves(), chance))
        last = (step.tile, step.seat) if step.tile is not None and step.seat is not None else None
    people = People((None,) * seats, None, language)
    return Scene(state, people, moves, last, None, DARK, only_shipped_type=True)
