"""Play whole games with bots and return finished records: the same bytes for the same arguments on every machine.

Seeds, ids, times and the bots' randomness all come from the draw's stream under a key made of the arguments.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from engine import Solo, State, game, record, rules
from engine.bots import BOTS, Bot
from engine.draw import Draw, Stream
from engine.errors import SetupError
from engine.moves import RESIGN, TIMEOUT, Mark, Move
from engine.phrases import phrase
from engine.view import TableView

NAMES = ("Ada", "Ben", "Zoë", "Đorđe")
_WORDS = ("", "full moon", "42", "~tide~")
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_ODDS = 1 << 32
_DECIMAL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,30})?|\.[0-9]{1,30}")


def records(
    games: int,
    seats: int,
    seed: str,
    bot: str,
    discs: str | int = "full",
    leave: str = "0",
    version: str = rules.FIRST,
) -> Iterator[bytes]:
    """Yield the lines of `games` finished records, one after the other.

    Game k is the same whatever `games` is.

    Args:
        games: how many games to play.
        seats: 1 (solo) to 4.
        seed: any text.
        bot: a name in BOTS.
        discs: "full", "first_game" or a number; a solo has its own number, so only "full".
        leave: a decimal number from 0 to 1. Before each move, with this probability, a random seat of those still there
            resigns or times out, and with the same probability a mark is made.
        version: the version of the rules; the draws and the bots' dice are the same by each.

    Raises:
        UnknownRules: there is no such version.
        SetupError, ValueError: the arguments describe no game; raised before the first record.
    """
    if games < 0:
        raise ValueError("The number of games is 0 or more.")
    if bot not in BOTS:
        raise ValueError(f"There is no bot {bot!r}; there are {', '.join(BOTS)}.")
    chance, played = _chance(leave), rules.of(version)
    if seats == 1:
        goal_discs = played.solo_discs
        if discs != "full":
            why = phrase("A solo has %(discs)s discs, no other number.", discs=goal_discs)
            raise SetupError("bad_discs", why, "5.1")
    elif 2 <= seats <= 4:
        goal_discs = game.goal_discs(seats, discs)
    else:
        raise SetupError("bad_seats", "A game has 1 to 4 seats.", "1.2")
    arguments = f"nova-luna-simulate/1\x00{seed}\x00{seats}\x00{bot}\x00{goal_discs}\x00{chance}"
    return (_game(f"{arguments}\x00{number}", seats, goal_discs, bot, chance, version) for number in range(games))


def _chance(leave: str) -> int:
    """Return the probability as a number out of 2^32, which is exact, so that no machine's floating point matters."""
    if not _DECIMAL.fullmatch(leave) or Fraction(leave) > 1:
        raise ValueError(f"The chance of leaving is a decimal number from 0 to 1, not {leave!r:.40}.")
    return int(Fraction(leave) * _ODDS)


def _game(arguments: str, seats: int, goal_discs: int, bot: str, chance: int, version: str) -> bytes:
    key = hashlib.sha256(arguments.encode()).digest()
    rng = Stream(key, "simulate")
    server_seed = hashlib.sha256(key + b"server seed").digest()
    name = "sim" + key[:6].hex()
    draw = Draw(server_seed, name, tuple(_WORDS[rng.below(len(_WORDS))] for _ in range(seats)))
    created = _EPOCH + timedelta(milliseconds=rng.below(_ODDS))
    at = created + timedelta(milliseconds=rng.below(86_400_000))
    header = record.header(
        game=name,
        kind="solo" if seats == 1 else "match",
        goal_discs=goal_discs,
        created_at=record.stamp(created),
        started_at=record.stamp(at),
        subject=draw.subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
        version=version,
    )
    state = record.start(header, draw.tiles)
    view = TableView(state)
    choose = BOTS[bot]
    prev = record.digest(header)
    entries: list[record.Object] = []
    while state.turn is not None:
        seat, move, by = _next(state, view, choose, rng, chance, bot)
        state.advance(seat, move)
        at += timedelta(milliseconds=rng.below(36_000_000))
        entries.append(record.entry(len(entries) + 1, record.stamp(at), seat, move, by, prev))
        prev = entries[-1]["hash"]
    return record.line(
        record.build(header=header, names=NAMES[:seats], entries=entries, state=state, server_seed=server_seed)
    )


def _next(
    state: State, view: TableView, choose: Bot, rng: Stream, chance: int, bot: str
) -> tuple[int, Move, str | None]:
    """Return the next entry's seat, move and by: someone leaves, a mark, or the bot's move."""
    assert state.turn is not None
    by = f"bot:{bot}"
    if chance:
        there = [0] if isinstance(state, Solo) else sorted(state.moon.order)
        if rng.number() < chance:
            seat = there[rng.below(len(there))]
            return (seat, RESIGN, by) if rng.below(2) else (seat, TIMEOUT, None)
        if rng.number() < chance:
            return there[rng.below(len(there))], Mark("nudge", {"after": rng.below(48)}), None
    return state.turn, choose(view, state.legal_moves(), rng), by
