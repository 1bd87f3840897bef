"""The memory of a game is freed at once when nobody uses it any more.

A server caches many games, and replaces one with each move.
"""

import subprocess
import sys

# In a process of its own: what else runs in a test's, such as a counter of coverage, leaves garbage that holds games.
PLAYED = """
import gc
import random

from engine import Match

gc.collect()
gc.disable()
chance = random.Random(1)
state = Match(2, 20, chance.sample(range(1, 69), 68), (0, 1))
while state.turn is not None:
    state = state.clone()
    state.advance(state.turn, chance.choice(state.legal_moves()))
del state
print(gc.collect())
"""


def test_a_game_that_nobody_wants_leaves_nothing_to_the_garbage_collector() -> None:
    played = subprocess.run([sys.executable, "-c", PLAYED], capture_output=True, text=True, check=True)
    assert played.stdout == "0\n"
