"""Random games as a text can have them: with bots, hosts, leaving, marks, comments, signs and variations."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from engine import State, record
from engine.draw import Draw
from engine.errors import TilesNotShown
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move
from engine.notation import NotatedGame
from engine.notation.model import Entry, Variation

_NAMES = (None, "Ada", "Zoë", "", 'a "b" \\ c', "two\nlines\u202e\ufeff", "\x00\x7f\x85", "[A]", "# no comment", "  ")
_BY = (None, None, "bot:greedy", "bot:x#y")
_DATA: tuple[Any, ...] = (
    None,
    0,
    -3,
    "— “é” # \x7f \u2028 \n",
    [1, [True, None]],
    {"b": {}, "a": [{"z": ""}]},
    False,
    "",
)
_KINDS = ("nudge", "#", "!", "by", "at", "data", "thanks#2", "x" * 64)
_TEXTS = ("", "why?", "  indented", "# twice", "(", "[A]", "= discs", "*", "é\u2028\ufeff.", "1. A 1@0,0")
_SIGNS = ("", "", "", "", "!", "?", "!!", "??", "!?", "?!")
_DEEPEST = 8


def random_record(rng: Random) -> record.Object:
    """Return a valid record without a clock: a match or a solo, finished or running, on any draw."""
    seats = rng.randint(1, 4)
    seed = rng.randbytes(32)
    game = f"game {rng.randrange(1000)}"
    subject = "daily" if rng.random() < 0.2 else game
    draw = Draw(seed, subject, tuple(rng.choice(("", "42", '"\\~')) for _ in range(seats)))
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(milliseconds=rng.randrange(10**10))
    created = at
    at += timedelta(milliseconds=rng.randrange(3))
    header = record.header(
        game=game,
        kind="solo" if seats == 1 else "match",
        goal_discs=21 if seats == 1 else rng.randint(5, 20),
        created_at=record.stamp(created),
        started_at=record.stamp(at),
        subject=subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )
    state = record.start(header, draw.tiles)
    entries: list[record.Object] = []
    prev = record.digest(header)
    most = rng.choice((0, 5, 20, 400, 400, 400))
    who = [rng.sample(_BY, rng.choice((1, 1, 2))) for _ in range(seats)]
    while state.turn is not None and len(entries) < most:
        seat, move, by = _next(rng, state, who)
        state.advance(seat, move)
        at += timedelta(milliseconds=rng.choice((0, 1, 10**7)))
        entries.append(record.entry(len(entries) + 1, record.stamp(at), seat, move, by, prev))
        prev = entries[-1]["hash"]
    shown = state.result is not None and (subject == game or rng.random() < 0.5)
    names = [rng.choice(_NAMES) for _ in range(seats)]
    return record.build(header=header, names=names, entries=entries, state=state, server_seed=seed if shown else None)


def _next(rng: Random, state: State, who: list[list[str | None]]) -> tuple[int | None, Move, str | None]:
    chance = rng.random()
    there = [seat for seat in range(state.seats) if seat not in getattr(getattr(state, "moon", None), "left", ())]
    if chance < 0.005:
        return None, END, rng.choice((None, "host"))
    if chance < 0.015:
        return rng.choice(there), RESIGN, rng.choice(_BY)
    if chance < 0.025:
        return rng.choice(there), TIMEOUT, None
    if chance < 0.1:
        mark = Mark(rng.choice(_KINDS), rng.choice(_DATA))
        by = rng.choice((*_BY, "host"))
        return None if by == "host" else rng.randrange(state.seats), mark, by
    assert state.turn is not None
    return state.turn, rng.choice(state.legal_moves()), rng.choice(who[state.turn])


def annotated(rng: Random, game: NotatedGame, density: float = 0.1) -> NotatedGame:
    """Return a game with random comments, signs and variations."""
    state = game.setup.start()
    entries = []
    for entry in game.entries:
        before = state.clone()
        state.advance(entry.seat, entry.move)
        signed = replace(entry, sign="" if isinstance(entry.move, Mark) else rng.choice(_SIGNS))
        entries.append(replace(signed, notes=_notes(rng, before, entry.seq, 1, density)))
    setup = replace(game.setup, own={"X": "", "XSite": 'Lyon "é"\n'} if rng.random() < density else {})
    return replace(game, setup=setup, comments=_comments(rng, density), entries=tuple(entries))


def _comments(rng: Random, density: float) -> tuple[str, ...]:
    return tuple(rng.choice(_TEXTS) for _ in range(rng.randint(1, 2) if rng.random() < density else 0))


def _notes(rng: Random, before: State, seq: int, depth: int, density: float) -> tuple[str | Variation, ...]:
    notes: list[str | Variation] = list(_comments(rng, density))
    while depth <= _DEEPEST and rng.random() < (density if depth == 1 else 0.15):
        variation = _variation(rng, before.clone(), seq, depth, density)
        notes += [variation, *_comments(rng, density)] if variation.entries else []
    return tuple(notes)


def _variation(rng: Random, state: State, seq: int, depth: int, density: float) -> Variation:
    entries = []
    for number in range(seq, seq + rng.randint(1, 4)):
        if state.turn is None:
            break
        before = state.clone()
        seat, move = (
            state.turn,
            rng.choice((*rng.sample(state.legal_moves(), 1), *rng.choice(((), (), (RESIGN, TIMEOUT))))),
        )
        try:
            step = state.advance(seat, move)
        except TilesNotShown:
            break
        entries.append(
            Entry(
                number,
                seat,
                move,
                sign=rng.choice(_SIGNS),
                covered=step.covered,
                put_out=tuple(tile for _, tile in step.refilled),
                notes=_notes(rng, before, number, depth + 1, density),
            )
        )
    return Variation(_comments(rng, density), tuple(entries))
