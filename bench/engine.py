"""The engine beside python-chess (goals E1 to E3), in CPU time.

Both are pure Python, and both validate every move. A move of the one is not a ply of the other; what is compared is what
a service has to do for a move of its game. Each goes through what it offers to everybody.
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
"""Moves and plies of a replay."""
LONGEST = 300
"""Plies after which random chess ends where nobody asks whether it is over; about its usual length."""

Deck = tuple[list[int], list[int]]
"""A draw: the tiles, and the starting pile."""

#: Anderssen-Kieseritzky 1851, Anderssen-Dufresne 1852, Byrne-Fischer 1956, Kasparov-Topalov 1999: 40 plies of each.
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


def measure(rounds: int = ROUNDS, turns: int = TURNS) -> Iterator[Finding]:
    """E1, E2 and E3, one after the other; each is measured so many times in turn in a round."""
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
    replays()  # the engine keeps the texts that it has parsed, and the service replays the same ones over and over
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
    """CPU time of one thread hardly depends on others, so a build can hold it."""
    return replace(finding, floor=finding.goal and finding.goal.loose)


def _draw(number: int) -> Deck:
    chance = random.Random(number)
    return chance.sample(range(1, 69), 68), chance.sample(range(2), 2)


def _playout(state: Match, chance: random.Random) -> int:
    """Plays to the end by chance; how many moves that were."""
    moves = 0
    while state.turn is not None:
        state.advance(state.turn, chance.choice(state.legal_moves()))
        moves += 1
    return moves


def _playouts(decks: list[Deck], chance: random.Random) -> float:
    """Two players with 20 discs each, from the set-up to the end; seconds a move."""
    moves = 0

    def play() -> None:
        nonlocal moves
        for deck in decks:
            moves += _playout(Match(2, 20, *deck), chance)

    return cpu_seconds(play) / moves


def _random_chess(chance: random.Random) -> float:
    """From the first position to the end; seconds a ply."""
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
    """The legal moves, a choice and a push alone: a mate or a stalemate ends it, or so many plies; seconds a ply."""
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
    """The first moves of a random game, in their notation. (The shortest ones have 50.)"""
    state = Match(2, 20, *deck)
    moves: list[str] = []
    while state.turn is not None and len(moves) < LENGTH:
        move = chance.choice(state.legal_moves())
        moves.append(text.render(move))
        state.advance(state.turn, move)
    return moves


def _replays(games: list[tuple[Deck, list[str]]]) -> float:
    """As the service replays its log: text parsed, move validated and made; seconds a move."""

    def replay() -> None:
        for deck, moves in games:
            state = Match(2, 20, *deck)
            for move in moves:
                state.advance(state.turn, text.parse(move))

    return cpu_seconds(replay) / sum(len(moves) for _, moves in games)


def _plies(chance: random.Random) -> list[str]:
    """The first plies of a random game of chess, in their notation."""
    board = chess.Board()
    plies: list[str] = []
    while len(plies) < LENGTH and (moves := list(board.legal_moves)):
        plies.append(board.san_and_push(chance.choice(moves)))
    return plies


def _san_replays(games: list[list[str]]) -> float:
    """Text parsed, move validated and made; seconds a ply."""

    def replay() -> None:
        for plies in games:
            board = chess.Board()
            for ply in plies:
                board.push_san(ply)

    return cpu_seconds(replay) / sum(map(len, games))


def _middle(deck: Deck, chance: random.Random) -> Match:
    """A game after half of the moves that chance would give it."""
    half = _playout(Match(2, 20, *deck), chance) // 2
    state = Match(2, 20, *deck)
    for _ in range(half):
        state.advance(state.turn, chance.choice(state.legal_moves()))
    return state


def _clones(states: list[Match]) -> float:
    """Seconds a clone."""

    def clone() -> None:
        for state in states:
            for _ in range(CLONES):
                state.clone()

    return cpu_seconds(clone) / len(states) / CLONES


def _playouts_from(states: list[Match], chance: random.Random) -> float:
    """Seconds a playout; the states stay as they are."""
    copies = [state.clone() for state in states]

    def play() -> None:
        for state in copies:
            _playout(state, chance)

    return cpu_seconds(play) / len(states)
