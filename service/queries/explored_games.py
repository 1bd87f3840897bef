"""An exploration as a table is loaded, so that what shows a table shows it too; and its record.

It is no table: nobody else sits there, it has no clock, and nothing about it is counted.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from engine import exploration, notation, record
from engine.bots import signature
from engine.moves import End, Mark
from engine.phrases import Phrase, phrase
from engine.story import Story, rows, untimed
from engine.text import parse
from engine.tiles import COUNT
from service.errors import NotFound
from service.language.people import public_name
from service.queries import moves_csv, replay, stories
from service.queries.loaded import LoadedTable, Player, TableRow
from service.store.entries import NONE
from service.store.explorations import Exploration
from service.store.log import Entry, Progress

KIND = "exploration"
"""What an exploration says that it is where a game says `match` or `solo`."""


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
    table.caution = (
        phrase("An exploration from move %(number)s on, not the game itself", number=kept.seq)
        if kept.seq
        else Phrase("An exploration from the start on, not the game itself")
    )
    return table


def seat_to_play(kept: Exploration, table: LoadedTable) -> int | None:
    """Return the seat that the account plays now; it plays every seat in turn unless there is a bot."""
    return table.state.turn if kept.seat is None else kept.seat


def line(table: LoadedTable, version: int | None = None) -> bytes:
    """Return the record of a loaded exploration, `nova-luna-exploration/1`, with an earlier `version` as it was there.

    A running one has no seed and the tiles that were shown so far.

    Raises:
        NotFound: the version is one of the game, before the exploration began (`no_record`).
    """
    assert table.header is not None
    began: int = table.header["origin"]["seq"]
    if version is not None and version < began:
        raise NotFound(
            "no_record",
            phrase(
                "The exploration begins at version %(version)s of its game, so it has no record of an earlier one; the"
                " game has.",
                version=began,
            ),
        )
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


def story_of(table: LoadedTable) -> Story:
    """Return the story of an exploration; there is no tempo in it, as nobody waited for what was explored.

    Raises:
        ValueError: it is not over.
    """
    return untimed(stories.of_table(table))


def csv_of(kept: Exploration, table: LoadedTable) -> bytes:
    """Return the moves of an exploration as CSV; nobody waited for those that the game does not have."""
    made = (row if row.seq <= kept.seq else row._replace(think=None) for row in rows(*stories.replayed(table)))
    names = [public_name(player.name) for player in table.players]
    return moves_csv.HEAD + moves_csv.written(moves_csv.values(kept.id, KIND, names, made))


def text_of(kept: Exploration, table: LoadedTable, game_line: bytes, version: int) -> bytes:
    """Return the text of the game that is explored, with the exploration as a variation in it.

    Args:
        kept: an exploration whose tiles are all those of the game.
        table: the exploration as a loaded table.
        game_line: the record of the game, which is over.
        version: the last move of the exploration that is shown.
    """
    assert table.header is not None and kept.tiles == COUNT
    game = notation.from_record(json.loads(game_line))
    replayed, explored = replay.start(table.header, table.tiles), list[notation.Entry]()
    for entry in table.entries[:version]:
        step = replayed.advance(entry)
        if entry.seq > kept.seq and not isinstance(step.move, End):
            put_out = tuple(tile for _, tile in step.refilled)
            explored.append(notation.Entry(entry.seq, entry.seat, step.move, covered=step.covered, put_out=put_out))
    if explored:
        entries = list(game.entries)
        entries[kept.seq] = dataclasses.replace(
            entries[kept.seq], notes=(notation.Variation((f"Exploration {kept.id}",), tuple(explored)),)
        )
        game = dataclasses.replace(game, entries=tuple(entries))
    return notation.text(game).encode()


def _player(kept: Exploration, seat: int) -> Player:
    """Return the player of a seat, without the names of people: those whose game it was did not make these moves."""
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
