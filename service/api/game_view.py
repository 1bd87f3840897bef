"""A game's view: all that a player at the table sees, written by hand, as this is on the hot path.

A pure function of the table, its players' names and its entries up to a version: what a GET gave at that version,
`?at=` gives again, byte for byte, from any process. So nothing in here knows the clock, the revision, or what came
after. The state is read through the engine's `TableView`, which shows what a seat may see and no more.
`service.api.game_schemas` documents it.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from engine import record
from engine.draw import ALGORITHM
from engine.moves import to_json
from engine.step import Step
from engine.track import RING
from engine.view import TableView
from service.api.tile_view import TILES as SHOWN
from service.queries.replay import Replay
from service.queries.table import LoadedTable, Player
from service.store.log import Entry

Object = dict[str, Any]

_encode = json.JSONEncoder(separators=(",", ":")).encode  # making one takes longer than many a use


def render(table: LoadedTable, game: Replay | None) -> bytes:
    """The view without `you`, as UTF-8 JSON. `game` is the table's game at the version to be shown, None if it has
    none yet."""
    return (_encode(_open(table)) if game is None else _started(table, game)).encode()


def with_you(body: bytes, seat: int | None) -> bytes:
    """The whole view for a reader at this seat, None for somebody who has none."""
    return body[:-1] + b',"you":' + (b"null" if seat is None else b"%d" % seat) + b"}"


def _open(table: LoadedTable) -> Object:
    """A table whose game has not started, or never will."""
    row = table.table
    return {
        **_head(table, "closed" if row.closed_at else "open", row.visibility),
        "started_at": None,
        "ended_at": None,
        "closed_at": _stamp(row.closed_at),
        "closed_because": row.closed_because,
        "version": 0,
        "players": [
            {**_player(player), "discs_left": row.goal_discs, "left": False} | _nowhere() for player in table.players
        ],
        "turn": None,
        "selection_track": None,
        "pile_size": None,
        "moon_track": None,
        "displays": [],
        "solo": None,
        "last_move": None,
        "result": None,
        "draw": _draw(table, None, None),
    }


def _started(table: LoadedTable, game: Replay) -> str:
    """As JSON. The displays, which are most of it, are put together from texts made beforehand."""
    assert table.header is not None
    state = TableView(game.state)
    over = state.result is not None
    last = game.last
    shared = table.table.kind == "solo" and over
    before = {
        **_head(table, "finished" if over else "running", "public" if shared else table.table.visibility),
        "started_at": table.header["game"]["started_at"],
        "ended_at": _stamp(last[0].at) if over and last is not None else None,
        "closed_at": None,
        "closed_because": None,
        "version": 0 if last is None else last[0].seq,
        "players": _players(table, state),
        "turn": None if state.turn is None else {"seat": state.turn, "since": _stamp(game.turn_since)},
        "selection_track": _selection_track(state),
        "pile_size": state.pile_size,
        "moon_track": _moon_track(state),
    }
    displays = ",".join([_display(seat, state) for seat in range(state.seats)])
    after = {
        "solo": _solo(state),
        "last_move": None if last is None else _last_move(*last),
        "result": None if state.result is None else state.result.to_json(),
        "draw": _draw(table, table.header["draw"]["entropy"], table.server_seed.hex() if over else None),
    }
    return f'{_encode(before)[:-1]},"displays":[{displays}],{_encode(after)[1:]}'


def _head(table: LoadedTable, status: str, visibility: str) -> Object:
    row = table.table
    return {
        "id": row.id,
        "kind": row.kind,
        "status": status,
        "visibility": visibility,
        "seats": row.seats,
        "goal_discs": row.goal_discs,
        "created_at": record.stamp(row.created_at),
    }


def _stamp(at: datetime | None) -> str | None:
    return None if at is None else record.stamp(at)


def _player(player: Player) -> Object:
    return {
        "seat": player.seat,
        "name": player.name,
        "joined_at": record.stamp(player.joined_at),
        "reachable": player.reachable,
    }


def _nowhere() -> Object:
    return {"position": None, "space": None, "height": None}


def _players(table: LoadedTable, state: TableView) -> list[Object]:
    moon = state.moon
    left = moon.left if moon else []
    places = {
        seat: {"position": position, "space": position % RING, "height": height}
        for position, seats in (moon.stacks() if moon else [])
        for height, seat in enumerate(seats)
    }
    return [
        {**_player(player), "discs_left": state.discs_left[player.seat], "left": player.seat in left}
        | places.get(player.seat, _nowhere())
        for player in table.players
    ]


def _selection_track(state: TableView) -> Object:
    return {
        "marker": state.marker,
        "spaces": [tile or None for tile in state.spaces],
        "choices": [SHOWN[tile] for tile in state.choices],
    }


def _moon_track(state: TableView) -> Object | None:
    if state.moon is None:
        return None
    return {
        "stacks": [
            {"position": position, "space": position % RING, "seats": seats} for position, seats in state.moon.stacks()
        ]
    }


def _display(seat: int, state: TableView) -> str:
    placed = [_placed(*placed) for placed in state.displays[seat].placed()]
    return f'{{"seat":{seat},"tiles":[{",".join(placed)}]}}'


def _placed(number: int, x: int, y: int, covered: list[int]) -> str:
    head, goals = _TILE[number]
    return f'{head}"x":{x},"y":{y},"goals":[{goals[sum([1 << goal for goal in covered])]}]}}'


def _texts(number: int) -> tuple[str, list[str]]:
    """Of a placed tile: its JSON up to where it lies, and that of its goals for each set of those covered (as bits)."""
    goals = SHOWN[number]["goals"]
    head = _encode({name: SHOWN[number][name] for name in ("id", "color", "cost")})[:-1] + ","
    return head, [
        ",".join([_encode({**goal, "covered": bool(covered >> i & 1)}) for i, goal in enumerate(goals)])
        for covered in range(1 << len(goals))
    ]


_TILE = {number: _texts(number) for number in range(1, len(SHOWN))}


def _solo(state: TableView) -> Object | None:
    if state.phase is None:
        return None
    result = state.result
    return {
        "phase": state.phase,
        "first_total": state.first_total,
        "second_total": None if result is None else result.second_total,
        "score": None if result is None else result.score,
    }


def _last_move(entry: Entry, step: Step) -> Object:
    return {
        "seq": entry.seq,
        "at": record.stamp(entry.at),
        "seat": entry.seat,
        "by": entry.by or None,
        "move": to_json(step.move),
        "notation": entry.move,
        "moved": moved(step),
        "covered": covered(step),
        "refilled": [{"space": space, "tile": tile} for space, tile in step.refilled],
        "refilled_by_itself": step.by_itself,
        "turn_passed": step.turn_passed,
    }


def covered(step: Step) -> list[Object]:
    """The goals that a step covered, each with the ids of the tiles that count for it; `goal` is its index."""
    return [{"tile": tile, "goal": goal, "counting": step.counting(tile, goal)} for tile, goal in step.covered]


def moved(step: Step) -> Object | None:
    """How a step moved the player's disc on the moon track, in unwrapped positions."""
    return None if step.moved is None else {"from": step.moved[0], "to": step.moved[1]}


def _draw(table: LoadedTable, entropy: list[str] | None, server_seed: str | None) -> Object:
    return {
        "algorithm": ALGORITHM,
        "subject": table.table.id,
        "commitment": table.table.commitment.hex(),
        "entropy": entropy,
        "server_seed": server_seed,
    }
