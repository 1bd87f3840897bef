"""The notation of a record's game."""

from __future__ import annotations

from engine import record
from engine.moves import from_json
from engine.notation.model import Entry, NotatedGame, Setup


def from_record(whole: record.Object) -> NotatedGame:
    """Return the game of a record, which must be valid: `engine.audit` tells."""
    game, draw = whole["game"], whole["draw"]
    setup = Setup(
        game=game["id"],
        seats=game["seats"],
        discs=game["goal_discs"],
        names=tuple(player["name"] for player in whole["players"]),
        created=game["created_at"],
        started=game["started_at"],
        subject=draw["subject"],
        commitment=draw["commitment"],
        entropy=tuple(draw["entropy"]),
        seed=bytes.fromhex(draw["server_seed"]) if draw["server_seed"] is not None else None,
        stack=tuple(draw["stack"]),
        tiles=tuple(draw["tiles"]),
        rules=whole["rules"],
    )
    state = setup.start()
    entries = []
    head = None
    for value in whole["log"]:
        move = from_json(value["move"])
        step = state.advance(value["seat"], move)
        put_out = tuple(tile for _, tile in step.refilled)
        entries.append(
            Entry(
                value["seq"],
                value["seat"],
                move,
                value.get("by"),
                value["at"],
                covered=step.covered,
                put_out=put_out,
            )
        )
        head = value["hash"]
    if head is None:
        names = ("algorithm", "subject", "commitment", "entropy", "stack")
        header = {name: whole[name] for name in ("format", "rules", "game")}
        head = record.digest(header | {"draw": {name: draw[name] for name in names}})
    return NotatedGame(setup, (), tuple(entries), state.result, state.wheel.shown, head)
