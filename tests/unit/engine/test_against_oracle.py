"""Games made by hypothesis, move by move in the engine and in the oracle: legal moves, illegal ones, and nonsense.

After every move both states must have the same plain values, the same moves must be legal, and the facts of the move
must agree. A refused move must be refused by both for the same reason, and must not change the engine's state.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.errors import GameOver, IllegalMove, MalformedMove
from engine.game import Match
from engine.moves import Place, from_json, to_json
from engine.solo import Solo
from tests.oracle import display as displays
from tests.oracle import draw, moves, rules, tracks
from tests.oracle.tiles import TILES
from tests.support.plain import plain

# ---------------------------------------------------------------------------------------------------------------
# What is played
# ---------------------------------------------------------------------------------------------------------------

tables = st.fixed_dictionaries(
    {
        "seats": st.integers(1, 4),
        "goal_discs": st.integers(5, 20),
        "entropy": st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=8),
    }
)

small = st.integers(-4, 4)
numbers = st.one_of(small, st.integers(), st.sampled_from([2**31, 2**53 - 1, 2**53, -(2**63), 10**40]))
not_numbers = st.one_of(st.booleans(), st.floats(), st.text(max_size=2), st.none(), st.just([]), st.just({}))
values = st.one_of(numbers, not_numbers)


def placements(tile: st.SearchStrategy, x: st.SearchStrategy, y: st.SearchStrategy) -> st.SearchStrategy:
    """Return a strategy for placements with such values."""
    return st.fixed_dictionaries({"type": st.just("place"), "tile": tile, "x": x, "y": y})


bare_moves = st.sampled_from(["refill", "refill", "resign", "timeout"]).map(lambda kind: {"type": kind})
nonsense = st.one_of(
    placements(values, values, values),
    st.dictionaries(st.sampled_from(["type", "tile", "x", "y", "kind", "z"]), values, max_size=4),
    st.builds(
        lambda move, name, value: {**move, name: value},
        bare_moves,
        st.sampled_from(["x", "seat", "kind"]),
        small,
    ),
    st.sampled_from([{"type": "pass"}, {"type": "Place", "tile": 1, "x": 0, "y": 0}, {"type": "mark"}, {}]),
    not_numbers,
)
nobody = st.one_of(st.none(), st.integers(4, 99), st.integers(-3, -1), st.sampled_from([True, 0.0, "0", 2**70]))

# How many legal moves are drawn, of which the best is made: one makes the game random, more look for goals.
legal_moves = st.tuples(
    st.just("moves"),
    st.sampled_from([0, 1, 2, 5, 10, 20, 40, 80]),
    st.sampled_from([1, 2, 5, 12]),
    st.integers(0, 2**32),
)

actions = st.one_of(
    legal_moves,
    legal_moves,
    st.just(("refill",)),
    st.just(("attempt", 0, {"type": "refill"})),
    # Attempts: (how many seats after the one to move, or somebody else), and what.
    st.tuples(st.just("attempt"), st.integers(0, 3), placements(st.integers(1, 68), small, small)),
    st.tuples(st.just("offered tile"), st.integers(0, 2), st.tuples(numbers, numbers)),
    st.tuples(st.just("attempt"), st.integers(0, 3), bare_moves),
    st.tuples(st.just("attempt"), st.integers(0, 3), nonsense),
    st.tuples(st.just("stranger"), nobody, st.one_of(bare_moves, placements(st.integers(1, 68), small, small))),
    st.tuples(st.just("stranger"), st.one_of(st.none(), st.integers(0, 3)), st.just({"type": "mark", "kind": "nudge"})),
    st.tuples(st.just("stranger"), st.one_of(st.none(), st.integers(0, 3)), st.just({"type": "end"})),
)


# ---------------------------------------------------------------------------------------------------------------
# How it is played
# ---------------------------------------------------------------------------------------------------------------


class Play:
    """One game in both, compared after each move."""

    def __init__(self, seats: int, goal_discs: int, entropy: str) -> None:
        tiles, stack = draw.draw(bytes(32), "oracle", [entropy] + [""] * (seats - 1))
        self.engine: engine.State
        if seats == 1:
            self.engine, self.oracle = Solo(tiles), rules.new_solo(tiles)
        else:
            self.engine = Match(seats, goal_discs, tiles, stack)
            self.oracle = rules.new_match(seats, goal_discs, tiles, stack)
        self.last_turn = self.oracle["turn"]
        self.agree()

    def agree(self) -> None:
        """Compare the states, and the moves that may follow."""
        assert plain(self.engine) == rules.plain(self.oracle)
        legal, expected = self.engine.legal_moves(), rules.legal(self.oracle)
        found = [to_json(move) for move in legal]
        assert len(legal) == len(found)
        assert sorted(found, key=repr) == sorted(expected, key=repr)
        assert found == sorted(found, key=self.place_in_order)
        if expected:
            assert legal.tiles == tracks.choices(self.oracle)
            assert legal.cells == displays.open_cells(self.oracle["displays"][self.oracle["turn"]])
            assert legal.refill == rules.may_refill(self.oracle)

    def place_in_order(self, move: dict[str, Any]) -> tuple[int, ...]:
        """Return a move's place in the engine's list: by choice, then by when the cell opened; refills last."""
        if move["type"] == "refill":
            return (3,)
        display = self.oracle["displays"][self.oracle["turn"]]
        beside = displays.sides((move["x"], move["y"]))
        opened = [number for number, placed in enumerate(display) if (placed["x"], placed["y"]) in beside]
        return tracks.choices(self.oracle).index(move["tile"]), min(opened, default=0)

    def act(self, action: tuple[Any, ...]) -> None:
        """Carry out one of the actions above."""
        kind, *details = action
        self.last_turn = self.last_turn if self.oracle["turn"] is None else self.oracle["turn"]
        if kind == "moves":
            self.play_on(*details)
        elif kind == "refill":
            self.play_until_refilled()
        elif kind == "attempt":
            seats_further, move = details
            self.attempt((self.last_turn + seats_further) % self.oracle["seats"], move)
        elif kind == "offered tile":
            choice, (x, y) = details
            offered = tracks.choices(self.oracle) or [1]
            self.attempt(self.last_turn, {"type": "place", "tile": offered[choice % len(offered)], "x": x, "y": y})
        else:
            self.attempt(*details)

    def play_on(self, count: int, picks: int, seed: int) -> None:
        """Make up to `count` legal moves, each the one of `picks` random moves that meets most goals."""
        random = Random(seed)
        for _ in range(count):
            legal = rules.legal(self.oracle)
            if not legal:
                return
            picked = [random.choice(legal) for _ in range(picks)]
            self.attempt(self.oracle["turn"], max(picked, key=self.goals_met_by))

    def play_until_refilled(self) -> None:
        """Make the first legal moves until a refill is allowed, and then the refill."""
        while not rules.may_refill(self.oracle) and self.oracle["pile"] and self.oracle["turn"] is not None:
            shown = self.oracle["shown"]
            self.attempt(self.oracle["turn"], rules.legal(self.oracle)[0])
            if self.oracle["shown"] > shown:
                return
        self.attempt(self.last_turn if self.oracle["turn"] is None else self.oracle["turn"], {"type": "refill"})

    def goals_met_by(self, move: dict[str, Any]) -> int:
        """Return the number of uncovered goals that would be met after this move."""
        if move["type"] != "place":
            return 0
        placed = {"tile": move["tile"], "x": move["x"], "y": move["y"], "covered": []}
        return len(displays.met_goals([*self.oracle["displays"][self.oracle["turn"]], placed]))

    def attempt(self, seat: Any, move: Any) -> None:
        """Try a move, legal or not: both accept it and agree on what follows, or both refuse it for the same reason."""
        before, in_place = self.engine.clone(), self.engine.clone()
        by_engine, step = engine_says(partial(engine.apply, self.engine), seat, move)
        by_oracle, after = oracle_says(self.oracle, seat, move)
        assert by_engine == by_oracle
        assert engine_says(in_place.advance, seat, move)[0] == by_oracle
        assert self.engine == before
        if step is None or after is None:
            assert in_place == before
            return
        assert in_place == step.state
        facts = what_happened(self.oracle, after, seat, move)
        assert isinstance(step.state, Match | Solo)
        self.engine, self.oracle = step.state, after
        self.agree()
        assert what_the_engine_says_happened(step) == facts
        for tile, goal in step.covered:
            self.hold_counting(seat, tile, goal)

    def hold_counting(self, seat: int, tile: int, goal: int) -> None:
        """Compare the tiles that count for a goal, and how many of each color are still lacking."""
        counting = displays.counting(self.oracle["displays"][seat], tile, goal)
        assert sorted(self.engine.displays[seat].counting(tile, goal)) == counting
        asked = TILES[tile].goals[goal]
        have = [TILES[id].color for id in counting]
        lacking = {color: max(0, asked.count(color) - have.count(color)) for color in asked}
        lacks = self.engine.displays[seat].lacks(tile, goal)
        assert {color: lacks.get(color, 0) for color in asked} == lacking

    def hold_all_counting(self) -> None:
        """Compare this for every goal of every tile on every display."""
        for seat, display in enumerate(self.oracle["displays"]):
            for placed in display:
                for goal in range(len(TILES[placed["tile"]].goals)):
                    self.hold_counting(seat, placed["tile"], goal)


def engine_says(make: Callable[..., engine.Step], seat: object, move: object) -> tuple[str, engine.Step | None]:
    """Return the engine's verdict on a move: "played" and the step, or why not."""
    try:
        return "played", make(seat, from_json(move))
    except MalformedMove:
        return "malformed", None
    except GameOver:
        return "over", None
    except IllegalMove as error:
        return error.rule, None


def oracle_says(state: dict[str, Any], seat: Any, move: Any) -> tuple[str, dict[str, Any] | None]:
    """Return the oracle's verdict on a move: "played" and the state after it, or why not."""
    try:
        return "played", rules.play(state, seat, move)
    except moves.Malformed:
        return "malformed", None
    except rules.Illegal as error:
        return error.ruling, None


def what_happened(
    before: dict[str, Any], after: dict[str, Any], seat: int | None, move: dict[str, Any]
) -> dict[str, Any]:
    """Return the facts of a move, derived from the states before and after it."""
    placing = move["type"] == "place"
    space = before["spaces"].index(move["tile"]) if placing else None
    new = range(before["shown"], after["shown"])
    return {
        "tile": move["tile"] if placing else None,
        "space": space,
        "moved": (before["positions"][seat], after["positions"][seat]) if placing and before["positions"] else None,
        "covered": [goal for goal in covered_goals(after) if goal not in covered_goals(before)],
        "refilled": {(after["spaces"].index(after["tiles"][n]), after["tiles"][n]) for n in new},
        "by itself": after["shown"] > before["shown"] and move["type"] != "refill",
        "turn": after["turn"],
        "turn passed": after["turn"] is not None and after["turn"] != before["turn"],
        "ended": after["result"],
    }


def covered_goals(state: dict[str, Any]) -> list[tuple[int, int]]:
    """Return all covered goals as (tile, goal index), in the order of 3.5."""
    return [(placed["tile"], goal) for display in state["displays"] for placed in display for goal in placed["covered"]]


def what_the_engine_says_happened(step: engine.Step) -> dict[str, Any]:
    """Return the same facts as the engine gives them."""
    return {
        "tile": step.tile,
        "space": step.space,
        "moved": step.moved,
        "covered": list(step.covered),
        "refilled": set(step.refilled),
        "by itself": step.by_itself,
        "turn": step.turn,
        "turn passed": step.turn_passed,
        "ended": None if step.ended is None else step.ended.to_json(),
    }


@settings(max_examples=300, deadline=None)
@given(table=tables, plan=st.lists(actions, min_size=3, max_size=12))
def test_the_engine_agrees_with_the_oracle(table: dict[str, Any], plan: list[tuple[Any, ...]]) -> None:
    play = Play(**table)
    for action in plan:
        play.act(action)
    play.hold_all_counting()


@settings(max_examples=100, deadline=None)
@given(table=tables, before=legal_moves, tile=values, x=values, y=values)
def test_a_place_with_senseless_values_is_refused_by_the_state_itself(
    table: dict[str, Any], before: tuple[Any, ...], tile: Any, x: Any, y: Any
) -> None:
    """This holds not only in parsers: a `Place` made in Python with any values changes nothing if it is not legal."""
    play = Play(**table)
    play.act(before)
    unchanged = play.engine.clone()
    if {"type": "place", "tile": tile, "x": x, "y": y} not in rules.legal(play.oracle):
        try:
            play.engine.advance(play.last_turn, Place(tile, x, y))
        except (MalformedMove, IllegalMove):
            pass
        else:
            raise AssertionError("it was accepted")
    assert play.engine == unchanged
