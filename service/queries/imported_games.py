"""An imported game as a table is loaded, so that what shows a table shows it too.

It never was a table: nobody has a seat, names are as they were given, and nothing about it is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engine import audit, notation, record
from engine.bots import signed
from engine.moves import Mark, from_json
from engine.notation import NotatedGame
from engine.phrases import Phrase
from engine.story import MoveRow, Story, rows, untimed
from engine.text import render
from service.access import names
from service.language.visible import cut
from service.queries import moves_csv, stories
from service.queries.loaded import LoadedTable, Player, TableRow
from service.store.entries import Entries
from service.store.imports import Import
from service.store.log import Progress

_CAUTION = Phrase("An imported game, which was not played here")
_NO_COMMITMENT = "0" * 64
_EPOCH = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
_MICROSECOND = timedelta(microseconds=1)


def game_of(kept: Import) -> NotatedGame:
    """Return the game of an import."""
    if kept.is_record:
        return notation.from_record(json.loads(kept.content))
    return notation.read(kept.content.encode())


def record_of(kept: Import) -> bytes | None:
    """Return the record of an import as a line; None if it is a text from which no record follows."""
    if kept.is_record:
        return kept.content.encode()
    game = game_of(kept)
    return notation.record_line(game) if game.complete else None


def text_of(kept: Import) -> bytes:
    """Return the text of an import, `nova-luna-text/1`; that of a text has its comments and variations."""
    return notation.text(game_of(kept)).encode()


def content_of(kept: Import, at: int, *, as_text: bool) -> bytes | None:
    """Return the record or the text of an import, at an earlier version as it was there; None if it has no record."""
    is_past = at < stored_summary(kept)["version"]
    if as_text:
        return text_at(kept, at) if is_past else text_of(kept)
    line = record_of(kept)
    return record_at(line, at) if line is not None and is_past else line


def record_at(line: bytes, at: int) -> bytes:
    """Return the line of a record as it was at an earlier version: that of a running game, without its seed."""
    found = json.loads(line)
    state, entries = record.start(found, found["draw"]["tiles"]), found["log"][:at]
    for entry in entries:
        state.advance(entry["seat"], from_json(entry["move"]))
    given = [player["name"] for player in found["players"]]
    built = record.build(header=audit.header(found), names=given, entries=entries, state=state, server_seed=None)
    return record.line(built)


def text_at(kept: Import, at: int) -> bytes:
    """Return the text of an import up to an earlier version, with its comments, but without variations.

    What would be drawn later is not in it, as in the text of a running game.
    """
    game, line = game_of(kept), record_of(kept)
    state = game.setup.start()
    for entry in game.entries[:at]:
        state.advance(entry.seat, entry.move)
    earlier = replace(
        game,
        setup=replace(game.setup, seed=None, tiles=game.setup.tiles[: state.wheel.shown]),
        entries=tuple(replace(entry, notes=_comments(entry)) for entry in game.entries[:at]),
        result=None,
        shown=state.wheel.shown,
        head=None if line is None else notation.from_record(json.loads(record_at(line, at))).head,
    )
    return notation.text(earlier).encode()


def _comments(entry: notation.Entry) -> tuple[str, ...]:
    return tuple(note for note in entry.notes if isinstance(note, str))


def summary(game: NotatedGame) -> dict[str, Any]:
    """Return the JSON of a game in a list of imports."""
    setup = game.setup
    return {
        "kind": "solo" if setup.seats == 1 else "match",
        "seats": setup.seats,
        "goal_discs": setup.discs,
        "names": list(setup.names),
        "version": len(game.entries),
        "started_at": setup.started,
        "timed": game.timed,
        "has_record": game.complete,
        "result": None if game.result is None else game.result.to_json(),
    }


def stored_summary(kept: Import) -> dict[str, Any]:
    """Return the summary of an import."""
    found: dict[str, Any] = json.loads(kept.summary)
    found["names"] = [_short(name) for name in found["names"]]
    return found


def loaded(kept: Import) -> LoadedTable:
    """Return an import as a loaded table. A text without times happened when it was imported."""
    game = game_of(kept)
    setup, at = game.setup, record.stamp(kept.imported_at)
    times = [record.moment(entry.at or at) for entry in game.entries]
    header = record.header(
        game=setup.game or kept.id,
        kind="solo" if setup.seats == 1 else "match",
        goal_discs=setup.discs,
        created_at=setup.created or at,
        started_at=setup.started or at,
        subject=setup.subject or kept.id,
        commitment=setup.commitment or _NO_COMMITMENT,
        entropy=setup.entropy,
        stack=setup.stack,
        version=setup.rules,
    )
    started = record.moment(setup.started or at)
    table = LoadedTable(
        table=TableRow(
            0,
            kept.id,
            header["game"]["kind"],
            setup.seats,
            setup.discs,
            "public" if kept.shared else "private",
            kept.account,
            bytes.fromhex(header["draw"]["commitment"]),
            record.moment(setup.created or at),
            int(kept.shared),  # all that changes, so that it is in the ETag
            None,
            None,
        ),
        players=tuple(Player(seat, None, _plain(name), "", started) for seat, name in enumerate(setup.names)),
        header=header,
        progress=_progress(game, kept, times, started),
        server_seed=setup.seed or b"",
        entries=Entries(
            0,
            b"".join([((time - _EPOCH) // _MICROSECOND).to_bytes(8, "big", signed=True) for time in times]),
            [entry.seat for entry in game.entries],
            [entry.by or "" for entry in game.entries],
            [render(entry.move) for entry in game.entries],
        ),
    )
    table.__dict__["tiles"] = setup.tiles  # which stand in for what would follow from a seed
    table.caution = _CAUTION
    return table


def story_of(kept: Import) -> Story:
    """Return the story of an import; without times there is no tempo in it.

    Raises:
        ValueError: the game is not over.
    """
    story = stories.of_table(loaded(kept))
    return story if stored_summary(kept)["timed"] else untimed(story)


def csv_of(kept: Import) -> bytes:
    """Return the moves of an import as CSV; of a text without times, there are none in it."""
    table = loaded(kept)
    made: Iterable[MoveRow] = rows(*stories.replayed(table))
    timed: bool = stored_summary(kept)["timed"]
    if not timed:
        made = (row._replace(think=None) for row in made)
    played_by = [player.name for player in table.players]
    return moves_csv.HEAD + moves_csv.written(moves_csv.values(kept.id, table.table.kind, played_by, made, timed=timed))


def _plain(name: str | None) -> str | None:
    """Return a name as it was given, but none that would stand for a bot of this service."""
    return None if signed(name) is not None else _short(name)


def _short(name: str | None) -> str | None:
    """Return a name in the length of a player's; releases before the limit stored imports with longer ones."""
    return None if name is None else cut(name, names.MAX_LENGTH)


def _progress(game: NotatedGame, kept: Import, times: Sequence[datetime], started: datetime) -> Progress:
    over = game.result is not None
    last = times[-1] if times else started
    head = bytes.fromhex(game.head) if game.head is not None else kept.digest
    acted = max((entry.seq for entry in game.entries if not isinstance(entry.move, Mark)), default=0)
    result = None if game.result is None else record.canonical(game.result.to_json()).decode()
    status, ended = ("finished", last) if over else ("running", None)
    return Progress(status, len(game.entries), head, last, None, None, ended, result, acted)
