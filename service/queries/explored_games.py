"""An exploration as a table is loaded, so that what shows a table shows it too; and its record.

It is no table: nobody else sits there, it has no clock, and nothing about it is counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from engine import exploration, record
from engine.bots import signature
from engine.moves import Mark
from engine.text import parse
from engine.tiles import COUNT
from service.language.people import public_name
from service.queries import replay
from service.queries.loaded import LoadedTable, Player, TableRow
from service.store.entries import NONE
from service.store.explorations import Exploration
from service.store.log import Entry, Progress


def read_moves(kept: Exploration) -> list[Entry]:
    """Return the moves that followed the position."""
    return [
        Entry(kept.seq + number, record.moment(at), seat, by, move)
        for number, (at, seat, by, move) in enumerate(json.loads(kept.moves), start=1)
    ]


def written_moves(entries: Iterable[Entry]) -> str:
    """Return the moves that followed the position in the form in which they are stored."""
    return json.dumps([[record.stamp(each.at), each.seat, each.by, each.move] for each in entries])


def loaded(kept: Exploration, origin: LoadedTable) -> LoadedTable:
    """Return an exploration as a loaded table; `origin` is its game, with the whole log."""
    assert origin.header is not None, "only games that have started are explored"
    header = exploration.header(origin.header, kept.id, kept.seq, kept.hash.hex(), kept.tiles)
    tiles = origin.tiles if kept.seed is None else exploration.drawn_anew(origin.tiles, kept.tiles, kept.seed)
    entries = NONE
    for entry in (*origin.entries[: kept.seq], *read_moves(kept)):
        entries = entries.and_then(entry)
    game = replay.replay(header, tiles, entries)
    table = LoadedTable(
        table=TableRow(
            0,
            kept.id,
            header["game"]["kind"],
            origin.table.seats,
            origin.table.goal_discs,
            "private",
            kept.account,
            origin.table.commitment,
            kept.created_at,
            0,
            None,
            None,
        ),
        players=tuple(_player(kept, seat) for seat in range(origin.table.seats)),
        header=header,
        progress=_progress(header, entries, game),
        server_seed=origin.server_seed if kept.tiles == COUNT else b"",
        entries=entries,
    )
    table.__dict__["tiles"] = tiles  # of which some may follow from no seed of the game
    table.replay = game
    return table


def seat_to_play(kept: Exploration, table: LoadedTable) -> int | None:
    """Return the seat that the account plays now; it plays every seat in turn unless there is a bot."""
    return table.state.turn if kept.seat is None else kept.seat


def line(table: LoadedTable, version: int | None = None) -> bytes:
    """Return the record of a loaded exploration, `nova-luna-exploration/1`, with an earlier `version` as it was there.

    A running one has no seed and the tiles that were shown so far.
    """
    assert table.header is not None
    state = replay.replay(table.header, table.tiles, table.entries[:version]).state
    prev, entries = record.digest(table.header), list[record.Object]()
    for each in table.entries[:version]:
        move = parse(each.move)
        entries.append(record.entry(each.seq, record.stamp(each.at), each.seat, move, each.by or None, prev))
        prev = entries[-1]["hash"]
    shows = state.result is not None and bool(table.server_seed)
    return record.line(
        exploration.build(
            header=table.header,
            names=[public_name(player.name) for player in table.players],
            entries=entries,
            state=state,
            server_seed=table.server_seed if shows else None,
        )
    )


def _player(kept: Exploration, seat: int) -> Player:
    """Return who plays a seat. People have no names here, since those whose game it was did not make these moves."""
    if kept.bot is not None and seat != kept.seat:
        return Player(seat, None, signature(kept.bot), "", kept.created_at)
    return Player(seat, kept.account, None, "", kept.created_at)


def _progress(header: record.Object, entries: Sequence[Entry], game: replay.Replay) -> Progress:
    started, result = record.moment(header["game"]["started_at"]), game.state.result
    last: datetime = entries[-1].at if entries else started
    head = replay.chained(record.digest(header), entries)
    acted = max((each.seq for each in entries if not isinstance(parse(each.move), Mark)), default=0)
    return Progress(
        status="running" if result is None else "finished",
        version=len(entries),
        head=bytes.fromhex(head),
        last_at=last,
        turn=game.state.turn,
        wait_seq=None,
        ended_at=None if result is None else last,
        result=None if result is None else record.canonical(result.to_json()).decode(),
        acted_seq=acted,
    )
