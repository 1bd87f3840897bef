"""Compare the engine with python-chess (goals E1 to E3), in CPU time.

Both are pure Python, and both validate every move. Their moves are different things; what is compared is the work of a
service for one move of its game. Each library is used through its public functions.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import chess

from bench.rounds import ROUNDS, Finding, Goal, Measure, Pairs, costs, cpu_seconds, in_turn, speeds
from engine import Match, text

TURNS = 4

PLAYOUTS, CHESS_GAMES = 60, 6
REPLAYS, CHESS_REPLAYS = 120, 60
MIDDLES, CLONES = 100, 10
LENGTH = 40
"""The number of moves or plies in a replay."""

LONGEST = 300
"""Plies after which random chess ends if nobody checks for the end; about its usual length."""

Deck = tuple[list[int], list[int]]
"""A draw: the tiles, and the starting pile."""

PLAYED = (
    (
        "e4 e5 f4 exf4 Bc4 Qh4+ Kf1 b5 Bxb5 Nf6 Nf3 Qh6 d3 Nh5 Nh4 Qg5 Nf5 c6 g4 Nf6 "
        "Rg1 cxb5 h4 Qg6 h5 Qg5 Qf3 Ng8 Bxf4 Qf6 Nc3 Bc5 Nd5 Qxb2 Bd6 Bxg1 e5 Qxa1+ Ke2 Na6"
    ),
    (
        "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5 d4 exd4 O-O d3 Qb3 Qf6 e5 Qg6 Re1 Nge7 "
        "Ba3 b5 Qxb5 Rb8 Qa4 Bb6 Nbd2 Bb7 Ne4 Qf5 Bxd3 Qh5 Nf6+ gxf6 exf6 Rg8 Rad1 Qxf3 Rxe7+ Nxe7"
    ),
    (
        "Nf3 Nf6 c4 g6 Nc3 Bg7 d4 O-O Bf4 d5 Qb3 dxc4 Qxc4 c6 e4 Nbd7 Rd1 Nb6 Qc5 Bg4 "
        "Bg5 Na4 Qa3 Nxc3 bxc3 Nxe4 Bxe7 Qb6 Bc4 Nxc3 Bc5 Rfe8+ Kf1 Be6 Bxb6 Bxc4+ Kg1 Ne2+ Kf1 Nxd4+"
    ),
    (
        "e4 d6 d4 Nf6 Nc3 g6 Be3 Bg7 Qd2 c6 f3 b5 Nge2 Nbd7 Bh6 Bxh6 Qxh6 Bb7 a3 e5 "
        "O-O-O Qe7 Kb1 a6 Nc1 O-O-O Nb3 exd4 Rxd4 c5 Rd1 Nb6 g3 Kb8 Na5 Ba8 Bh3 d5 Qf4+ Ka7"
    ),
)
"""Anderssen-Kieseritzky 1851, Anderssen-Dufresne 1852, Byrne-Fischer 1956, Kasparov-Topalov 1999: 40 plies of each."""


def measure(rounds: int = ROUNDS, turns: int = TURNS) -> Iterator[Finding]:
    """Measure E1, E2 and E3; each is repeated several times in turn in a round."""
    games = [_draw(number) for number in range(max(PLAYOUTS, REPLAYS, MIDDLES))]

    def compare(ours: Measure, other: Measure) -> Pairs:
        return in_turn(ours, other, rounds, turns)

    playouts = partial(_playouts, games[:PLAYOUTS], random.Random(0))
    chance = random.Random(1)
    played = compare(playouts, partial(_random_chess, chance))
    yield _floored(speeds("E1 random playout: random chess until is_game_over()", Goal(5), "moves/s", played))
    played = compare(playouts, partial(_random_chess_unasked, chance))
    yield speeds("   the same: random chess that is never asked whether it is over", None, "moves/s", played)

    replays = partial(_replays, [(deck, _moves(deck, random.Random(2))) for deck in games[:REPLAYS]])
    replays()  # the engine caches parsed texts, and the service replays the same ones over and over
    random_games = [_plies(random.Random(number)) for number in range(CHESS_REPLAYS)]
    replayed = compare(replays, partial(_san_replays, random_games))
    name = f"E2 replay of {LENGTH} random moves: push_san of {LENGTH} random plies"
    yield _floored(speeds(name, Goal(2), "moves/s", replayed))
    famous = [game.split() for game in PLAYED]
    replayed = compare(replays, partial(_san_replays, famous * (CHESS_REPLAYS // len(famous))))
    yield speeds(f"   the same: push_san of {LENGTH} plies of famous games", None, "moves/s", replayed)

    middles = [_middle(deck, random.Random(3)) for deck in games[:MIDDLES]]
    spent = compare(partial(_clones, middles), partial(_playouts_from, middles, random.Random(4)))
    yield _floored(costs("E3 clone: random playout from the middle", Goal(0.3, at_most=True), spent))


def _floored(finding: Finding) -> Finding:
    """Add a floor for builds, since the CPU time of one thread hardly depends on other processes."""
    return replace(finding, floor=finding.goal and finding.goal.loose)


def _draw(number: int) -> Deck:
    chance = random.Random(number)
    return chance.sample(range(1, 69), 68), chance.sample(range(2), 2)


def _playout(state: Match, chance: random.Random) -> int:
    """Play random moves to the end, and return their number."""
    moves = 0
    while state.turn is not None:
        state.advance(state.turn, chance.choice(state.legal_moves()))
        moves += 1
    return moves


def _playouts(decks: list[Deck], chance: random.Random) -> float:
    """Play random games of two players with 20 discs each; return the seconds per move."""
    moves = 0

    def play() -> None:
        nonlocal moves
        for deck in decks:
            moves += _playout(Match(2, 20, *deck), chance)

    return cpu_seconds(play) / moves


def _random_chess(chance: random.Random) -> float:
    """Play random games of chess; return the seconds per ply."""
    plies = 0

    def play() -> None:
        nonlocal plies
        for _ in range(CHESS_GAMES):
            board = chess.Board()
            while not board.is_game_over():
                board.push(chance.choice(list(board.legal_moves)))
            plies += len(board.move_stack)

    return cpu_seconds(play) / plies


def _random_chess_unasked(chance: random.Random) -> float:
    """Play random chess with legal moves, a choice and a push only; return the seconds per ply.

    A game ends by a mate or a stalemate, or after `LONGEST` plies.
    """
    plies = 0

    def play() -> None:
        nonlocal plies
        for _ in range(CHESS_GAMES):
            board = chess.Board()
            while len(board.move_stack) < LONGEST and (moves := list(board.legal_moves)):
                board.push(chance.choice(moves))
            plies += len(board.move_stack)

    return cpu_seconds(play) / plies


def _moves(deck: Deck, chance: random.Random) -> list[str]:
    """Return the first moves of a random game in text notation; the shortest games have 50."""
    state = Match(2, 20, *deck)
    moves: list[str] = []
    while state.turn is not None and len(moves) < LENGTH:
        move = chance.choice(state.legal_moves())
        moves.append(text.render(move))
        state.advance(state.turn, move)
    return moves


def _replays(games: list[tuple[Deck, list[str]]]) -> float:
    """Replay games as the service replays its log: parse, validate and make each move; return the seconds per move."""

    def replay() -> None:
        for deck, moves in games:
            state = Match(2, 20, *deck)
            for move in moves:
                state.advance(state.turn, text.parse(move))

    return cpu_seconds(replay) / sum(len(moves) for _, moves in games)


def _plies(chance: random.Random) -> list[str]:
    """Return the first plies of a random game of chess in SAN."""
    board = chess.Board()
    plies: list[str] = []
    while len(plies) < LENGTH and (moves := list(board.legal_moves)):
        plies.append(board.san_and_push(chance.choice(moves)))
    return plies


def _san_replays(games: list[list[str]]) -> float:
    """Replay games of chess: parse, validate and make each ply; return the seconds per ply."""

    def replay() -> None:
        for plies in games:
            board = chess.Board()
            for ply in plies:
                board.push_san(ply)

    return cpu_seconds(replay) / sum(map(len, games))


def _middle(deck: Deck, chance: random.Random) -> Match:
    """Return a game after half of the moves of a random playout."""
    half = _playout(Match(2, 20, *deck), chance) // 2
    state = Match(2, 20, *deck)
    for _ in range(half):
        state.advance(state.turn, chance.choice(state.legal_moves()))
    return state


def _clones(states: list[Match]) -> float:
    """Clone states; return the seconds per clone."""

    def clone() -> None:
        for state in states:
            for _ in range(CLONES):
                state.clone()

    return cpu_seconds(clone) / len(states) / CLONES


def _playouts_from(states: list[Match], chance: random.Random) -> float:
    """Play random games from copies of these states; return the seconds per game."""
    copies = [state.clone() for state in states]

    def play() -> None:
        for state in copies:
            _playout(state, chance)

    return cpu_seconds(play) / len(states)
