"""Short games, which the faults are put into."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engine import record
from engine.draw import Draw
from engine.moves import END, RESIGN, Mark, Move

_MARK = Mark("thanks", {"a": [1, {"b": None}], "b": "é"})
_START = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)


def game(name: str, seats: int, script: str, *, shared: bool = False) -> record.Object:
    """Return the record of a game that is played by a script of words, one for each entry.

    Args:
        name: the game's id, which its draw follows from.
        seats: the number of players.
        script: `first` places the first choice on the first open cell, `bot` the same by a bot; `mark` and `host` make
            a mark; `resign` lets the last seat leave, and `end` lets the host end the game.
        shared: whether the draw is another one's, whose seed is not shown yet.
    """
    seed = name.encode().ljust(32, b".")
    draw = Draw(seed, "daily" if shared else name, ("",) * (seats - 1) + ("full moon",))
    header = record.header(
        game=name,
        kind="solo" if seats == 1 else "match",
        goal_discs=21 if seats == 1 else 20,
        created_at=record.stamp(_START),
        started_at=record.stamp(_START + timedelta(hours=1)),
        subject=draw.subject,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )
    state, entries, prev = record.start(header, draw.tiles), list[record.Object](), record.digest(header)
    leaving = seats - 1
    for word in script.split():
        seat, by = state.turn, None
        move: Move = state.legal_moves()[0]
        if word == "bot":
            by = "bot:greedy"
        elif word == "mark":
            move = _MARK
        elif word == "host":
            seat, move, by = None, Mark("said"), "host"
        elif word == "end":
            seat, move, by = None, END, "host"
        elif word == "resign":
            seat, move, leaving = leaving, RESIGN, leaving - 1
        state.advance(seat, move)
        at = record.stamp(_START + timedelta(hours=2 + len(entries)))
        entries.append(record.entry(len(entries) + 1, at, seat, move, by, prev))
        prev = entries[-1]["hash"]
    shown = state.result is not None and not shared
    names = ("Ann", None, "Zoë")[:seats]
    return record.build(header=header, names=names, entries=entries, state=state, server_seed=seed if shown else None)


GAMES = (
    game("left", 3, "first bot mark first resign resign"),
    game("running", 2, "first first mark host first"),
    game("ended", 2, "first mark bot host end"),
    game("solo", 1, "first mark first bot"),
    game("shared", 1, "first mark bot first resign", shared=True),
)
