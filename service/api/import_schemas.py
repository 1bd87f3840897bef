"""Schemas of imports: games that were played elsewhere."""

from __future__ import annotations

import json
from typing import Any

from marshmallow import fields

from engine import notation, simulate
from engine.record import stamp
from service.access.links import import_link
from service.api.fields import Flag
from service.api.game_schemas import KINDS, ResultSchema
from service.api.goal_schemas import GoalsQuery
from service.api.response_fields import flag, moment, nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.show_board import BoardQuery
from service.config import Settings
from service.queries.imported_games import summary, told
from service.store.imports import Import


class ImportSchema(ResponseSchema):
    """A game that was played elsewhere."""

    id = text()
    imported_at = moment()
    imported_by = text("The player id of whoever imported it.")
    shared = flag("Whether others may see it.")
    kind = text("", enum=KINDS)
    seats = whole()
    goal_discs = whole("The goal discs of each player.")
    names = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "By seat, as they were given; they are no accounts. Null where there is none."},
    )
    version = whole("The number of the last entry.")
    started_at = moment("Null for a text without times.", allow_none=True)
    timed = flag("Whether the times of the moves are known.")
    has_record = flag("Whether it is a record, or a complete text, from which its record follows.")
    result = nested(ResultSchema, "Null if the game is not over.", allow_none=True)
    page = text("The page on which the game can be replayed; your own link to it is for you alone.")


class ImportPage(ResponseSchema):
    """A page of imports, newest first."""

    items = nested(ImportSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class ImportChangeRequest(RequestSchema):
    """A change of an import."""

    shared = Flag(required=True, metadata={"description": "Whether others may see it, too."})


class ImportedBoardQuery(BoardQuery):
    """The options of a picture of an imported game, which has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)


class ImportedGoalsQuery(GoalsQuery):
    """The options of the goals in an imported game, which has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)


def import_json(settings: Settings, kept: Import, account: str | None) -> dict[str, Any]:
    """Return an import as the API has it for an account, or for anybody."""
    mine = kept.account == account
    address = f"{settings.base_url}/imports/{kept.id}"
    return {
        "id": kept.id,
        "imported_at": stamp(kept.imported_at),
        "imported_by": kept.account,
        "shared": kept.shared,
        **told(kept),
        "page": import_link(settings, kept.account, kept.id) if mine else address,
    }


def _examples() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record to import, and its import."""
    (line,) = simulate.records(1, 2, "an import", "greedy", 5)
    record = json.loads(line)
    made = {
        "id": "7mQxWc3TnBzK",
        "imported_at": "2026-11-27T20:56:00.123Z",
        "imported_by": "Hq4mXw9TcRzB",
        "shared": False,
        **summary(notation.from_record(record)),
        "page": "https://nova-luna.example.org/imports/7mQxWc3TnBzK?link=…",
    }
    return record, made


RECORD_EXAMPLE, IMPORT_EXAMPLE = _examples()
"""The examples of a record and its import for the OpenAPI document."""
