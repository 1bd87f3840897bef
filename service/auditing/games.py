"""Compare what is stored about one game with what its set-up and its log give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy.orm import Session

from engine import audit, forms, record, text
from engine.draw import Draw, commitment
from engine.errors import EngineError, RecordError
from engine.moves import to_json
from engine.table import Step
from engine.tiles import COUNT
from service.auditing.clocks import due_at
from service.auditing.differences import COUNTER, MISSING, PROJECTION, SEATS, STATUS, TABLE, UNREADABLE, AuditDifference
from service.auditing.stored_games import StoredGame
from service.commands import projection, stored_projection
from service.store.log import Progress

_ALL_TILES = list(range(1, COUNT + 1))
_HEADER = ("format", "rules", "game", "draw")


def differences(session: Session, game: StoredGame) -> list[AuditDifference]:
    """Return where the stored data of a game differ from what they must be, up to the first fault of its log.

    The session is in the snapshot in which the game was read. A game that cannot be replayed is a difference, too.
    """
    found: list[AuditDifference] = []
    try:
        for difference in _differences(session, game):
            found.append(AuditDifference(game.table.id, *difference))
    except RecordError as error:
        found.append(AuditDifference(game.table.id, error.entry, error.code, error.why))
    except (EngineError, ValueError, LookupError, TypeError, AssertionError) as error:
        why = f"the game can't be replayed: {type(error).__name__}"
        found.append(AuditDifference(game.table.id, None, UNREADABLE, why))
    return found


_Found = tuple[int | None, str, str] | tuple[int | None, str, str, str]


def _differences(session: Session, game: StoredGame) -> Iterator[_Found]:
    table = game.table
    if game.seed is None:
        yield None, MISSING, "the seed of its draw is missing"
        return
    if commitment(game.seed) != table.commitment.hex():
        yield None, TABLE, "commitment is not the one that was made to its seed"
    if game.header is None:
        yield from _unstarted(game)
        return
    header = _header(game.header)
    yield from _set_up(game, header)
    progress = _replayed(game, header)
    yield from _clock_of_table(game)
    if game.progress is None:
        yield None, MISSING, "it has no row in progress"
    else:
        yield from _projection(session, game, progress)
    yield from _status(game, progress.status)
    yield from _counters(game, progress.version)


def _unstarted(game: StoredGame) -> Iterator[_Found]:
    """Yield what is wrong with a table whose game has not started."""
    table = game.table
    if game.progress is not None or game.entries:
        yield None, MISSING, "it has no set-up, but a log or a row in progress"
    if table.kind == "match" and table.closed_at is None and len(game.seats) >= table.seats:
        yield None, MISSING, "all seats are taken, but it has no set-up"
    if any(seat.seat not in range(table.seats) for seat in game.seats):
        yield None, SEATS, "a seat is taken that there is not"
    yield from _status(game, "open" if table.closed_at is None else "closed")
    yield from _counters(game, 0)


def _header(stored: str) -> dict[str, Any]:
    """Return the header; raise RecordError unless it is written as the chain needs it, and of the right form."""
    try:
        header = json.loads(stored)
    except ValueError:
        raise RecordError(0, "the header is no JSON") from None
    if not isinstance(header, dict) or sorted(header) != sorted(_HEADER) or not isinstance(header["draw"], dict):
        raise RecordError(0, f"the header has not exactly the fields {', '.join(_HEADER)}")
    if record.canonical(header).decode() != stored:
        raise RecordError(0, "the header is not written in its RFC 8785 form")
    forms.head(_record(header, _ALL_TILES, []))
    return header


def _record(header: dict[str, Any], tiles: list[int], entries: list[record.Object]) -> record.Object:
    """Return the record of a game with all its tiles and no seed, which is verified apart from it."""
    return {
        "format": header["format"],
        "rules": header["rules"],
        "game": header["game"],
        "players": [{"seat": seat, "name": None} for seat in range(len(header["draw"].get("entropy") or ()))],
        "draw": {**header["draw"], "server_seed": None, "tiles": tiles},
        "log": entries,
        "result": None,
    }


def _set_up(game: StoredGame, header: dict[str, Any]) -> Iterator[_Found]:
    """Yield where the table and its seats are not those of the header."""
    table, told, draw = game.table, header["game"], header["draw"]
    stored = {
        "id": table.id,
        "kind": table.kind,
        "seats": table.seats,
        "goal_discs": table.goal_discs,
        "created_at": record.stamp(table.created_at),
    }
    for name, value in stored.items():
        if value != told[name]:
            yield None, TABLE, f"{name} is {value}, and in the header {told[name]}"
    if table.commitment.hex() != draw["commitment"]:
        yield None, TABLE, "commitment is not that of the header"
    if table.closed_at is not None:
        yield None, TABLE, "closed_at is set, although its game has started"
    if [seat.seat for seat in game.seats] != list(range(told["seats"])):
        yield None, SEATS, f"seats {[seat.seat for seat in game.seats]} are taken, and must be all {told['seats']}"
        return
    for seat, entropy in zip(game.seats, draw["entropy"], strict=True):
        if seat.entropy != entropy:
            yield None, SEATS, f"the text for the draw of seat {seat.seat} is not that of the header"
        if (seat.account is None) == (seat.bot is None):
            yield None, SEATS, f"seat {seat.seat} must have either a player or a bot"


def _replayed(game: StoredGame, header: dict[str, Any]) -> Progress:
    """Return the progress that the header and the log give; raise RecordError at the first fault of them."""
    assert game.seed is not None
    draw = Draw(game.seed, header["draw"]["subject"], tuple(header["draw"]["entropy"]))
    if draw.commitment != header["draw"]["commitment"]:
        raise RecordError(0, "the seed is not the one that the commitment was made to", "draw")
    if list(draw.stack) != header["draw"]["stack"]:
        raise RecordError(0, "the starting pile is not what the draw gives", "draw")
    progress = projection.begin(header, record.start(header, draw.tiles))

    def follow(step: Step) -> None:
        nonlocal progress
        progress = projection.after(progress, game.entries[progress.version], step)

    audit.replayed(_record(header, list(draw.tiles), _entries(game, header)), follow)
    return progress


def _entries(game: StoredGame, header: dict[str, Any]) -> list[record.Object]:
    prev, found = record.digest(header), []
    for entry, hashed in zip(game.entries, game.hashes, strict=True):
        try:
            move = to_json(text.parse(entry.move))
        except EngineError as error:
            raise RecordError(entry.seq, error.detail) from None
        body = {"seq": entry.seq, "at": record.stamp(entry.at), "seat": entry.seat, "move": move, "prev": prev}
        if entry.by:
            body["by"] = entry.by
        prev = body["hash"] = hashed.hex()
        found.append(body)
    return found


def _clock_of_table(game: StoredGame) -> Iterator[_Found]:
    """Yield whether the table's clock is another one than that of entry 1."""
    first = game.entries[0].move if game.entries else ""
    told = first.removeprefix("mark clock ") if first.startswith("mark clock ") else None
    if game.table.clock != told:
        yield None, TABLE, f"clock is {game.table.clock}, and in entry 1 {told}"


def _projection(session: Session, game: StoredGame, progress: Progress) -> Iterator[_Found]:
    """Yield the columns of the projection that are not what the log gives."""
    kept = game.progress
    assert kept is not None
    table = stored_projection.with_clock(session, game.table.id, progress) if progress.status == "running" else None
    expected = progress if table is None or table.progress is None else table.progress
    accounts = {seat.seat: seat.account for seat in game.seats}
    for column, why in stored_projection.differences(kept, expected, accounts):
        yield None, PROJECTION, why, column
    if table is None or kept.clock_due_at is None:
        return
    if (latest := due_at(session, table)) is not None and kept.clock_due_at > latest:
        yield None, PROJECTION, f"clock_due_at is {kept.clock_due_at} and must not be after {latest}"


def _status(game: StoredGame, status: str) -> Iterator[_Found]:
    """Yield the copies of status and kind, by which lists are read, that are not those of the game."""
    table = game.table
    if table.status != status:
        yield None, STATUS, f"lists take it for {table.status} and must take it for {status}"
    for seat in game.seats:
        if seat.status != status:
            yield None, STATUS, f"lists of seat {seat.seat} take it for {seat.status} and must take it for {status}"
        if seat.kind != table.kind:
            yield None, STATUS, f"lists of seat {seat.seat} take it for a {seat.kind}, and it is a {table.kind}"


def _counters(game: StoredGame, version: int) -> Iterator[_Found]:
    """Yield counters that are lower than events have reported, which clients remember."""
    table = game.table
    least = max(1 if game.header is not None else 0, table.told_revision or 0)
    if table.revision < least:
        yield None, COUNTER, f"revision is {table.revision}, and has been {least}"
    if table.facts < 0:
        yield None, COUNTER, f"facts is {table.facts}, and counts from 0"
    if (table.told_version or 0) > version:
        yield None, COUNTER, f"the log has {version} entries, and events have told of {table.told_version}"
