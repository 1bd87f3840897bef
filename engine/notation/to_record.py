"""The record of a game whose text is complete."""

from __future__ import annotations

from engine import record
from engine.notation.model import NotatedGame


def record_line(game: NotatedGame) -> bytes:
    """Return the line of a game's record.

    Raises:
        ValueError: the text is not complete, so that no record follows from it.
    """
    if not game.complete:
        raise ValueError("a record follows only from a text with all times, Game, and Commitment or Seed")
    return record.line(build(game))


def head(game: NotatedGame) -> str:
    """Return the hash of a complete game's last entry, or that of its header if it has none."""
    built = build(game)
    return str(built["log"][-1]["hash"] if built["log"] else record.digest(_header(game)))


def build(game: NotatedGame) -> record.Object:
    """Return the record of a complete game."""
    setup, header, entries = game.setup, _header(game), []
    prev = record.digest(header)
    for entry in game.entries:
        assert entry.at is not None
        entries.append(record.entry(entry.seq, entry.at, entry.seat, entry.move, entry.by, prev))
        prev = entries[-1]["hash"]
    return {
        "format": header["format"],
        "rules": header["rules"],
        "game": header["game"],
        "players": [{"seat": seat, "name": name} for seat, name in enumerate(setup.names)],
        "draw": header["draw"]
        | {"server_seed": setup.seed.hex() if setup.seed is not None else None, "tiles": list(setup.tiles)},
        "log": entries,
        "result": game.result.to_json() if game.result is not None else None,
    }


def _header(game: NotatedGame) -> record.Object:
    setup = game.setup
    assert setup.game is not None and setup.created is not None and setup.started is not None
    assert setup.subject is not None and setup.commitment is not None
    return record.header(
        game=setup.game,
        kind="solo" if setup.seats == 1 else "match",
        goal_discs=setup.discs,
        created_at=setup.created,
        started_at=setup.started,
        subject=setup.subject,
        commitment=setup.commitment,
        entropy=setup.entropy,
        stack=setup.stack,
        version=setup.rules,
    )
