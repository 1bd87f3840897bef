"""The memory of a game is freed at once when nobody uses it any more.

A server caches many games, and replaces one with each move.
"""

import gc
import random

from engine import Match


def test_a_game_that_nobody_wants_leaves_nothing_to_the_garbage_collector() -> None:
    gc.disable()
    while gc.collect():  # garbage of other tests, and everything it held
        pass
    try:
        chance = random.Random(1)
        state = Match(2, 20, chance.sample(range(1, 69), 68), (0, 1))
        while state.turn is not None:
            state = state.clone()
            state.advance(state.turn, chance.choice(state.legal_moves()))
        del state
        assert gc.collect() == 0
    finally:
        gc.enable()
