"""The JSON of an exploration, and the examples of it in the OpenAPI document."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from flask import Response

from engine import record
from engine.moves import Place, to_json
from engine.record import stamp
from engine.text import render
from service.api import game_view, made_moves
from service.api.game_answers import TAG_HEADERS
from service.api.game_examples import sample
from service.api.json_response import json_response
from service.api.made_moves import MadeMove
from service.api.make_move import tried
from service.api.past_states import replay_at
from service.config import Settings
from service.queries import legal, replay
from service.queries.explored_games import KIND, line, loaded, seat_to_play, written_moves
from service.queries.replay import Replay
from service.queries.table import LoadedTable
from service.store.explorations import Exploration
from service.store.log import Entry

Object = dict[str, Any]

CREATED_HEADERS = {
    **TAG_HEADERS,
    "Location": {"description": "The URL of the exploration.", "schema": {"type": "string"}},
}

_SAME = (
    "rules", "status", "seats", "goal_discs", "version", "turn", "selection_track", "pile_size", "moon_track",
    "displays", "solo", "last_move", "result",
)  # fmt: skip
_OF_PLAYERS = ("seat", "bot", "discs_left", "left", "position", "space", "height")


def summary(kept: Exploration, game: str, kind: str) -> Object:
    """Return an exploration as lists have it; `game` and `kind` are those of the game that it goes on from."""
    return {
        "id": kept.id,
        "kind": KIND,
        "origin": {"game": game, "kind": kind, "seq": kept.seq, "hash": kept.hash.hex(), "tiles": kept.tiles},
        "status": kept.status,
        "opponent": kept.bot,
        "created_at": stamp(kept.created_at),
        "version": kept.version,
    }


def exploration_json(base_url: str, kept: Exploration, table: LoadedTable, game: Replay | None = None) -> Object:
    """Return an exploration, of which `game` is the replay up to the version to show; None for the present one."""
    game = game or table.replay
    assert table.header is not None
    shown = json.loads(game_view.render(table, game))
    origin = table.header["origin"]
    draw = {**shown["draw"], "subject": table.header["draw"]["subject"]}
    if kept.seed is not None:
        draw["server_seed"] = None
    return {
        **summary(kept, origin["game"], table.table.kind),
        **{name: shown[name] for name in _SAME},
        "players": [{name: player[name] for name in _OF_PLAYERS} for player in shown["players"]],
        "draw": draw,
        "you": game.state.turn if kept.seat is None else kept.seat,
        "page": f"{base_url}/explorations/{kept.id}",
    }


def move_json(base_url: str, kept: Exploration, table: LoadedTable, made: MadeMove, code: str) -> Object:
    """Return a move of an exploration, with the exploration before and after it.

    Args:
        base_url: the public URL of the service.
        kept: the exploration.
        table: the exploration as a loaded table.
        made: the move.
        code: the code of the language to tell it in.
    """
    seq = made.entry.seq
    entry = json.loads(line(table))["log"][seq - 1]
    told = made_moves.move_summary(table, made, code)
    if seq > kept.seq:
        told["took_ms"] = None
    return {
        **told,
        "prev": entry["prev"],
        "hash": entry["hash"],
        "before": exploration_json(base_url, kept, table, replay_at(table, seq - 1)),
        "after": exploration_json(base_url, kept, table, replay_at(table, seq)),
    }


def answer(settings: Settings, kept: Exploration, table: LoadedTable, status: int = 200) -> Response:
    """Return the response with an exploration after a command; one that made something says where it is."""
    headers = {"ETag": f'"{table.tag}"'}
    if status == 201:
        headers["Location"] = f"/v1/explorations/{kept.id}?at={table.version}&head={table.head}"
    response = json_response(exploration_json(settings.base_url, kept, table), headers)
    response.status_code = status
    return response


class _Examples:
    """The examples of an exploration: at its beginning, and after a move."""

    def __init__(self) -> None:
        origin = sample("match", "3kTmWq8ZbNpR", ("Ann", "Ben"))
        assert origin.header is not None
        hashed = bytes.fromhex(record.digest(origin.header))
        at = datetime(2026, 11, 29, 15, 30, 0, 500_000, tzinfo=UTC)
        kept = Exploration(
            id="6pYtRw2NbKzX", account="", origin=0, seq=0, hash=hashed, tiles=68, seed=None, bot=None, seat=None,
            moves="[]", version=0, status="running", created_at=at,
        )  # fmt: skip
        base = "https://nova-luna.example.org"
        table = loaded(kept, origin)
        seat, state = seat_to_play(kept, table), table.state
        assert seat is not None
        self.begun = exploration_json(base, kept, table)
        self.legal = {"version": 0, "seat": seat, **legal.moves(state, seat)}
        move = Place(state.wheel.choices()[0], 0, 0)
        self.move = {**to_json(move), "expected_version": 0}
        self.tried = tried(0, seat, move, state.clone().advance(seat, move))
        kept.moves, kept.version = written_moves([Entry(1, at, seat, "", render(move))]), 1
        table = loaded(kept, origin)
        self.view = exploration_json(base, kept, table)
        self.made = move_json(base, kept, table, made_moves.made_move(table, 1), "en")
        self.page = {"items": [summary(kept, "3kTmWq8ZbNpR", "match")], "next": None}
        self.record = json.loads(line(table))
        self.log = {"items": self.record["log"], "next": None}
        assert replay.chained(record.digest(table.header), table.entries) == self.record["log"][-1]["hash"]


EXPLORATION = _Examples()
