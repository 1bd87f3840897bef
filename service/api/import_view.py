"""The JSON of an import, with its table and without; and the examples of it in the OpenAPI document."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from engine import simulate
from engine.moves import to_json
from engine.record import canonical, stamp
from engine.text import parse
from service.access.links import import_link
from service.api import game_view, made_moves
from service.api.made_moves import MadeMove
from service.api.past_states import replay_at
from service.commands.imports import verified_record
from service.config import Settings
from service.queries import legal
from service.queries.imported_games import loaded, record_of, stored_summary, summary
from service.queries.loaded import LoadedTable
from service.store.imports import Import

Object = dict[str, Any]

_OF_TABLE = (
    "rules", "status", "version", "turn", "selection_track", "pile_size", "moon_track", "displays", "solo", "last_move",
    "result",
)  # fmt: skip
_OF_PLAYERS = ("seat", "name", "discs_left", "left", "position", "space", "height")


def import_json(settings: Settings, kept: Import, account: str | None) -> Object:
    """Return an import as lists have it, for an account or for anybody."""
    mine = kept.account == account
    address = f"{settings.base_url}/imports/{kept.id}"
    return {
        "id": kept.id,
        "imported_at": stamp(kept.imported_at),
        "imported_by": kept.account,
        "shared": kept.shared,
        **stored_summary(kept),
        "page": import_link(settings, kept.account, kept.id) if mine else address,
    }


def game_json(shown: Object, table: bytes) -> Object:
    """Return an import with its table, from its JSON and the view of the table."""
    view = json.loads(table)
    players = [{name: player[name] for name in _OF_PLAYERS} for player in view["players"]]
    return {**shown, **{name: view[name] for name in _OF_TABLE}, "players": players}


def log_json(kept: Import, table: LoadedTable) -> list[Object]:
    """Return the entries of an import as its record has them, or as much of that as its text tells."""
    line = record_of(kept)
    if line is not None:
        entries: list[Object] = json.loads(line)["log"]
        return entries
    timed = stored_summary(kept)["timed"]
    return [
        {
            "seq": entry.seq,
            "at": stamp(entry.at) if timed else None,
            "seat": entry.seat,
            "move": to_json(parse(entry.move)),
            "prev": None,
            "hash": None,
        }
        | ({"by": entry.by} if entry.by else {})
        for entry in table.entries
    ]


def move_json(shown: Object, kept: Import, table: LoadedTable, made: MadeMove, code: str) -> Object:
    """Return an entry of an import with the table before and after it.

    Args:
        shown: the JSON of the import.
        kept: the import.
        table: the import as a loaded table.
        made: the entry.
        code: the code of the language to tell it in.
    """
    entry = log_json(kept, table)[made.entry.seq - 1]
    timed = entry["at"] is not None
    return {
        **made_moves.move_summary(table, made, code, timed=timed),
        "at": entry["at"],
        "prev": entry["prev"],
        "hash": entry["hash"],
        "before": game_json(shown, made.before),
        "after": game_json(shown, made.after),
    }


class _Examples:
    """The examples of an import: a record, its import, and what is shown of that."""

    def __init__(self) -> None:
        (line,) = simulate.records(1, 2, "an import", "greedy", 5)
        verified = verified_record(line)
        kept = Import(
            id="7mQxWc3TnBzK",
            account="Hq4mXw9TcRzB",
            imported_at=datetime(2026, 11, 27, 20, 56, 0, 123_000, tzinfo=UTC),
            digest=bytes(32),
            content=verified.content,
            is_record=True,
            summary=canonical(summary(verified.game)).decode(),
            shared=False,
        )
        table = loaded(kept)
        self.record = json.loads(line)
        self.entry = {
            "id": kept.id,
            "imported_at": stamp(kept.imported_at),
            "imported_by": kept.account,
            "shared": kept.shared,
            **stored_summary(kept),
            "page": f"https://nova-luna.example.org/imports/{kept.id}?link=…",
        }
        self.page = {"items": [self.entry], "next": None}
        game = replay_at(table, 3)
        self.game = game_json(self.entry, game_view.render(table, game))
        self.legal = {"version": 3, "seat": game.state.turn, **legal.moves(game.state, game.state.turn)}
        self.move = move_json(self.entry, kept, table, made_moves.made_move(table, 3), "en")
        self.log = {"items": log_json(kept, table)[:3], "next": None}


IMPORTED = _Examples()
