"""Read the text of a game."""

from __future__ import annotations

from dataclasses import replace

from engine.notation.checks import check_times, check_whole
from engine.notation.model import NotatedGame
from engine.notation.replay import play
from engine.notation.setup import settle
from engine.notation.source import parse_source
from engine.notation.to_record import head


def read(data: bytes) -> NotatedGame:
    """Return the game that a text describes, played to its end and checked.

    Raises:
        Refusal: the text is no game; it names the line and has a code.
    """
    source = parse_source(data)
    setup, by = settle(source)
    state = setup.start()
    entries = play(state, source.entries, by)
    setup = replace(setup, tiles=state.wheel.tiles)
    game = NotatedGame(setup, tuple(source.comments), tuple(entries), state.result, state.wheel.shown)
    check_times(source, game)
    check_whole(source, game)
    return replace(game, head=head(game)) if game.complete else game
