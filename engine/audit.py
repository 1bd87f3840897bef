"""Verify a record offline: its spelling, header, draw, chain, every move, its clock, and the result.

An error is reported for the earliest entry that it can be traced to; entry 0 is the header with the draw and the tiles.
"""

from __future__ import annotations

from collections.abc import Callable

from engine import State, Step, forms
from engine.clock.audit import ClockAudit, concerns
from engine.draw import Draw
from engine.errors import EngineError, MoveError, RecordError, TilesNotShown, with_ruling
from engine.moves import Move, Place
from engine.record import Object, digest, start
from engine.tiles import COUNT

_HEADER_DRAW = ("algorithm", "subject", "commitment", "entropy", "stack")


def check(line: bytes) -> None:
    """Verify the line of one record, including its line feed.

    A running game's record is verified as far as its tiles are shown.

    Raises:
        RecordError: the record is broken; the error says where and why.
    """
    record = forms.parse(line)
    check_end(record, replayed(record))


def check_end(record: Object, state: State) -> None:
    """Verify the length of a record's tile list and its result; `state` is the one after its log.

    Raises:
        RecordError: one of them is broken.
    """
    _shown(record, state)
    forms.result(record)
    expected = state.result.to_json() if state.result is not None else None
    if record["result"] != expected:
        raise RecordError("result", f"the log leads to {expected}, not to {record['result']!s:.200}")


def replayed(record: Object, follow: Callable[[Step], object] | None = None) -> State:
    """Verify a parsed record but for its spelling, the length of its tile list and its result; return its last state.

    Args:
        record: the record. One that is made of what a service stores may have all tiles and the seed while it runs.
        follow: called with the step of each entry that was found right.

    Raises:
        RecordError: the record is broken; the error says where and why.
    """
    forms.head(record)
    settled(record)
    return play(record, header(record), follow)


def settled(record: Object) -> None:
    """Verify the draw of a record whose header is right, its players, and that its log is a list.

    Raises:
        RecordError: one of them is broken.
    """
    _draw(record)
    forms.players(record)
    _form_of_log(record)


def header(record: Object) -> Object:
    """Return the part of a record that counts as entry 0."""
    return {
        "format": record["format"],
        "rules": record["rules"],
        "game": record["game"],
        "draw": {name: record["draw"][name] for name in _HEADER_DRAW},
    }


def _draw(record: Object) -> None:
    draw = record["draw"]
    seed = draw["server_seed"]
    if seed is None:
        return
    made = Draw(bytes.fromhex(seed), draw["subject"], tuple(draw["entropy"]))
    if made.commitment != draw["commitment"]:
        raise RecordError(0, "the server seed is not the one that the commitment was made to", "draw")
    if list(made.tiles) != draw["tiles"]:
        raise RecordError(0, "the tile list is not what the draw gives", "draw")
    if list(made.stack) != draw["stack"]:
        raise RecordError(0, "the starting pile is not what the draw gives", "draw")


def _form_of_log(record: Object) -> None:
    if not isinstance(record["log"], list):
        raise RecordError("record", "the log is a list of entries")


def play(
    record: Object, whole: Object, follow: Callable[[Step], object] | None = None, clocked: int | None = None
) -> State:
    """Verify the chain and the clock of a record that is right so far, play every move, and return the final state.

    Args:
        record: the record.
        whole: the header, to whose hash the chain is tied.
        follow: called with the step of each entry that was found right.
        clocked: the number of entries to which a clock applies, with more to come after them; None: to the whole log.

    Raises:
        RecordError: an entry is broken.
    """
    game, draw = record["game"], record["draw"]
    log = record["log"][:clocked]
    try:
        state = start(whole, draw["tiles"])
    except EngineError as error:
        raise RecordError(0, error.phrase) from None
    clock = ClockAudit({**record, "log": log}, state) if concerns(log) else None
    prev, at = digest(whole), game["started_at"]
    for seq, entry in enumerate(record["log"], start=1):
        move = forms.log_entry(entry, seq, game["seats"])
        hashed = digest({name: value for name, value in entry.items() if name != "hash"})
        if entry["prev"] != prev and hashed == entry["hash"]:
            # The entry's own hash is right, so what it follows was changed: only the header has no hash of its own.
            raise RecordError(
                seq - 1 if seq == 1 else seq, "the chain is broken: prev is not the hash before it", "chain"
            )
        if entry["prev"] != prev or hashed != entry["hash"]:
            raise RecordError(seq, "the entry is not the one that its hash was made of", "chain")
        if entry["at"] < at:
            raise RecordError(seq, "the time goes back", "time")
        step = _advance(state, entry["seat"], move, seq, draw["tiles"])
        if clock is not None and seq <= len(log):
            clock.check(entry, move, state)
        if follow is not None:
            follow(step)
        prev, at = entry["hash"], entry["at"]
    if clock is not None and clocked is None:
        clock.finish()
    return state


def _advance(state: State, seat: int | None, move: Move, seq: int, tiles: list[int]) -> Step:
    if isinstance(move, Place) and move.tile not in tiles:
        raise RecordError(0, f"the tile list lacks tile {move.tile}, which entry {seq} places", "draw")
    try:
        return state.advance(seat, move)
    except TilesNotShown as error:
        raise RecordError(0, f"the tile list is too short at entry {seq}: {error.detail}", "draw") from None
    except MoveError as error:
        raise RecordError(seq, with_ruling(error), "rules") from None


def _shown(record: Object, state: State) -> None:
    """Check the length of the tile list: all 68 tiles if the seed is given, otherwise exactly those shown so far."""
    draw, over = record["draw"], state.result is not None
    if draw["server_seed"] is not None:
        if not over and record["result"] is None:
            raise RecordError(0, "the game still runs, yet its seed is shown", "draw")
        return
    if over and record["result"] is not None and draw["subject"] == record["game"]["id"]:
        raise RecordError(0, "the game is over and its draw was its own, yet the seed is not shown", "draw")
    if len(draw["tiles"]) != state.wheel.shown:
        raise RecordError(
            0, f"the log shows {state.wheel.shown} of the {COUNT} tiles, the tile list has {len(draw['tiles'])}", "draw"
        )
