"""Examples of responses for the OpenAPI document, made by the code that makes real ones, so that they stay current."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import State, record, text
from engine.clock.terms import ABANDONED_AFTER, PRESETS, Terms
from engine.draw import Draw
from engine.moves import Mark, Move, to_json
from service.api import clock_view, game_view, made_moves, seat_goals
from service.api.example_players import PLAYER_IDS
from service.api.game_view import covered, moved
from service.clocks.entries import after, begin
from service.clocks.game_clock import ClockEntry
from service.clocks.more_time import with_word
from service.language.languages import ENGLISH
from service.queries import clock_values, legal, replay
from service.queries.table import LoadedTable, Player, TableRow
from service.store.entries import NONE
from service.store.log import Entry, Progress

_AT = datetime(2026, 11, 27, 20, 56, 0, 123_000, tzinfo=UTC)
_MOVES = 3


def sample(kind: str, table_id: str, names: tuple[str, ...], taken: int | None = None) -> LoadedTable:
    """Return a table with a seat for each name; only as many as `taken` sit there, or all."""
    draw = Draw(hashlib.sha256(table_id.encode()).digest(), table_id, ("",) * len(names))
    goal_discs = 21 if kind == "solo" else 20
    visibility = "private" if kind == "solo" else "public"
    header = record.header(
        game=table_id,
        kind=kind,
        goal_discs=goal_discs,
        created_at=record.stamp(_AT),
        started_at=record.stamp(_AT + timedelta(hours=1)),
        subject=table_id,
        commitment=draw.commitment,
        entropy=draw.entropy,
        stack=draw.stack,
    )
    return LoadedTable(
        table=TableRow(
            1,
            table_id,
            kind,
            len(names),
            goal_discs,
            visibility,
            "",
            bytes.fromhex(draw.commitment),
            _AT,
            len(names),
            None,
            None,
        ),
        players=tuple(Player(seat, PLAYER_IDS[name], name, "", _AT) for seat, name in enumerate(names[:taken])),
        header=header,
        progress=None,
        server_seed=draw.server_seed,
        entries=NONE,
    )


def _played(table: LoadedTable) -> list[dict[str, Any]]:
    """Play some legal moves in the table's replay and return the entries in the form of the record."""
    assert table.header is not None
    entries: list[dict[str, Any]] = []
    prev = record.digest(table.header)
    for seq in range(1, _MOVES + 1):
        state, at = table.state, _AT + timedelta(hours=1 + seq)
        move = _first(state)
        seat = state.turn
        entry = Entry(seq, at, seat, "", text.render(move))
        table.replay.advance(entry)
        table.entries = table.entries.and_then(entry)
        entries.append(record.entry(seq, record.stamp(at), seat, move, None, prev))
        prev = entries[-1]["hash"]
    return entries


def _first(state: State) -> Move:
    return state.legal_moves()[0]


def _view(table: LoadedTable, game: replay.Replay | None) -> Any:
    return json.loads(game_view.for_reader(game_view.render(table, game), clock_view.render(table, 0, None), 0))


def _made(table: LoadedTable, hashes: list[str]) -> dict[str, Any]:
    """Return the last move of a table as its response has it, to the player at seat 0."""
    made = made_moves.made_move(table, len(hashes))
    told = made_moves.to_json(table, made, [bytes.fromhex(each) for each in hashes], "en")
    clock = clock_view.render(table, 0, None)
    views = {"before": made.before, "after": made.after}
    return {**told, **{name: json.loads(game_view.for_reader(view, clock, 0)) for name, view in views.items()}}


def _listed(view: dict[str, Any]) -> dict[str, Any]:
    same = (
        "id",
        "kind",
        "status",
        "visibility",
        "seats",
        "goal_discs",
        "created_at",
        "ended_at",
        "closed_at",
        "version",
    )
    players = [{name: player[name] for name in ("seat", "id", "name", "bot")} for player in view["players"]]
    seats = {"players": players, "turn": view["turn"]["seat"], "you": view["you"]}
    return {
        **{name: view[name] for name in same},
        **seats,
        "left": None,
        "runs_out_at": None,
        "stands_still_because": None,
    }


def _page(item: Any) -> dict[str, Any]:
    return {"items": [item], "next": None}


class Examples:
    """The examples of one kind of table: an open table, a running one, and the latter's moves and record."""

    def __init__(self, kind: str, table_id: str, *names: str) -> None:
        table = sample(kind, table_id, names)
        self.open = _view(sample(kind, table_id, names, taken=1), None)
        self.started = _view(table, table.replay)
        entries = _played(table)
        self.view = _view(table, table.replay)
        self.page = _page(_listed(self.view))
        self.log = _page(entries[0])
        self.goals = seat_goals.to_json(table, _MOVES, entries[-1]["seat"], ENGLISH)
        self.made = _made(table, [entry["hash"] for entry in entries])
        self.record = record.build(
            header=table.header or {}, names=names, entries=entries, state=table.state, server_seed=None
        )
        turn = table.state.turn
        self.legal = {"version": _MOVES, "seat": turn, **legal.moves(table.state, turn)}
        move = _first(table.state)
        self.move = {**to_json(move), "expected_version": _MOVES}
        step = table.state.clone().advance(turn, move)
        self.tried = {
            "version": _MOVES, "seat": turn, "move": to_json(move), "notation": text.render(move), "moved": moved(step),
            "covered": covered(step), "discs_left": step.state.discs_left[turn or 0], "refills": False,
            "turn": step.turn, "result": None,
        }  # fmt: skip


def _clocked(example: str, *names: str) -> dict[str, Any]:
    """Return the view of a started match with a clock, in which a player has offered more time."""
    terms, starts, offers = Terms(PRESETS["days-3"]), _AT + timedelta(hours=1), _AT + timedelta(hours=5)
    table = sample("match", example, names)
    table.table = table.table._replace(clock=record.canonical(terms.to_json()).decode())
    seat, mark = table.state.turn, Mark("clock", terms.to_json())
    assert seat is not None, "the game has started"
    table.replay.advance(Entry(1, starts, seat, "", text.render(mark)))
    clock = begin(terms, ABANDONED_AFTER, table.seat_facts, seat, starts)
    clock = after(clock, ClockEntry(1, starts, seat, None, mark), seat, table.seat_facts)
    clock = with_word(clock, (seat + 1) % 3, timedelta(days=2), offers)
    table.progress = Progress("running", 1, b"", starts, seat, 0, None, None, clock=clock_values.rendered(clock))
    view = game_view.render(table, table.replay)
    return dict(json.loads(game_view.for_reader(view, clock_view.render(table, 0, offers), 0)))


CLOCKED = _clocked("5nRkTw9YcQxJ", "Ann", "Ben", "Cleo")
"""The example of a game with a clock."""

GAME = Examples("match", "3kTmWq8ZbNpR", "Ann", "Ben")
SOLO = Examples("solo", "8vGhCz4MxWtE", "Ann")
