"""Play random games with the engine, without a database, as originals for copies."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import record, text
from engine.draw import Draw
from engine.moves import RESIGN, Move
from engine.solo import DISCS
from service.commands import projection
from service.ids import ALPHABET, LENGTH
from service.queries import replay
from service.store.log import Entry, Progress

_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
_SEATS = (2, 2, 2, 2, 2, 2, 3, 4, 1, 1)
_GOAL_DISCS = {1: DISCS, 2: 20, 3: 20, 4: 20}
_SPREAD = len(ALPHABET) ** LENGTH
_STEP = 1_618_033_988_749_894_848_203  # odd and not divisible by 7, so that different numbers give different ids


@dataclass(frozen=True, slots=True)
class Sample:
    """A finished game; `progress` is the projection after each number of entries, from none to all."""

    id: str
    kind: str
    seats: int
    goal_discs: int
    seed: bytes
    commitment: str
    header: dict[str, Any]
    entries: tuple[Entry, ...]
    progress: tuple[Progress, ...]


def id_of(number: int) -> str:
    """Return the id of the table with this number, in the service's form and distinct for each number."""
    rest = number * _STEP % _SPREAD
    letters = []
    for _ in range(LENGTH):
        rest, letter = divmod(rest, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)


def played(count: int, mean: float, chance: random.Random) -> Iterator[Sample]:
    """Play a number of games to the end, about `mean` entries each, with the ids of the numbers from 1.

    A random game that is not over in time ends because its players leave.
    """
    for number in range(1, count + 1):
        seats = _SEATS[number % len(_SEATS)]
        longest = max(2, round(mean * chance.uniform(0.6, 1.4)))
        yield _played(id_of(number), seats, longest, chance)


def header_of(draw: Draw, goal_discs: int, at: datetime) -> dict[str, Any]:
    """Return the record's header of a game with this draw, created and started at this time."""
    seats = len(draw.entropy)
    return record.header(
        game=draw.subject,
        kind="match" if seats > 1 else "solo",
        goal_discs=goal_discs,
        created_at=record.stamp(at),
        started_at=record.stamp(at),
        subject=draw.subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )


def _played(table: str, seats: int, longest: int, chance: random.Random) -> Sample:
    seed = chance.randbytes(32)
    draw = Draw(seed, table, ("",) * seats)
    header = header_of(draw, _GOAL_DISCS[seats], _BEGUN)
    game = replay.start(header, draw.tiles)
    entries: list[Entry] = []
    progress = [projection.begin(header, game.state)]
    while game.state.turn is not None:
        # At the end, all but one leave.
        is_late = len(entries) + max(1, seats - 1) >= longest
        move: Move = RESIGN if is_late else chance.choice(game.state.legal_moves())
        at = progress[-1].last_at + timedelta(milliseconds=chance.randrange(36_000_000))
        entries.append(Entry(len(entries) + 1, at, game.state.turn, "", text.render(move)))
        progress.append(projection.after(progress[-1], entries[-1], game.advance(entries[-1])))
    return Sample(
        id=table,
        kind=header["game"]["kind"],
        seats=seats,
        goal_discs=_GOAL_DISCS[seats],
        seed=seed,
        commitment=draw.commitment,
        header=header,
        entries=tuple(entries),
        progress=tuple(progress),
    )
