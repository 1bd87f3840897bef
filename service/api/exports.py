"""``…/games.ndjson`` and ``…/moves.csv``: all records of a player's games, or all their moves, in one response."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app, request
from marshmallow import fields

from engine.phrases import Phrase
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import identified, with_caller, with_caller_if_any
from service.api.compression import takes_gzip
from service.api.context import client_ip, context_of, pool
from service.api.downloads import counted_as
from service.api.export_forms import MOVES, RECORDS, ExportForm
from service.api.export_stream import Export
from service.api.openapi_annotations import refuses
from service.api.requests import refuse
from service.api.schema import RequestSchema
from service.api.validators import Matching, OneOf
from service.commands import blocks
from service.ids import ALPHABET, LENGTH
from service.queries import exports, people
from service.store.callers import Bearer

_TEXT = {
    "type": "string",
    "description": "Lines of JSON, each with a line feed: a record (`Record`) each and, if nothing is missing,"
    ' `{"complete":true,"format":"nova-luna-export/1","records":12,"unreadable":0}` at the end.',
}

_TABLE = {
    "type": "string",
    "description": "CSV (RFC 4180): the names of the columns, a line for each move and, if nothing is missing, one"
    " with `complete` in `type`.",
}

blp = Blueprint(
    "exports", __name__, description="All records of a player's games in one response, to be kept or studied."
)


class ExportQuery(RequestSchema):
    """The options of an export."""

    after = fields.String(
        validate=Matching(rf"[{ALPHABET}]{{{LENGTH}}}\Z", Phrase("Must be the id of a game.")),
        metadata={
            "description": "The id of the last game that you have completely: `game.id` of its record. The response"
            " begins with the next.",
            "pattern": f"^[{ALPHABET}]{{{LENGTH}}}$",
        },
    )
    status = fields.String(
        validate=OneOf(exports.STATUSES), metadata={"description": "Only the records of running, or of finished games."}
    )


@blp.route("/v1/me/games.ndjson", methods=["GET"])
@with_caller
@refuses(429)
@query(ExportQuery)
@blp.answers(200, _TEXT, content_type=RECORDS.media_type)
def export_own_games(caller: Bearer, query: dict[str, Any]) -> Response:
    """Download the records of all your games and solo sessions that have started.

    The response is a stream of lines, each of them a record like that of `GET /v1/games/{game_id}/record`, in the order
    in which the tables were opened. The last line has `complete` instead, and in `unreadable` how many games are left
    out because their data are damaged, which should be none. Where that line is missing, the connection was lost or ten
    minutes were over: ask again, with the id of the last game that you have in `after`. A finished game's record never
    changes, except for names. Two downloads at once are allowed (429 `too_many_downloads`).
    """
    return _stream(caller, None, query, RECORDS)


@blp.route("/v1/players/<id:player_id>/games.ndjson", methods=["GET"])
@with_caller_if_any
@refuses(404, 429)
@query(ExportQuery)
@blp.answers(200, _TEXT, content_type=RECORDS.media_type)
def export_games_of_player(caller: Bearer, player_id: str, query: dict[str, Any]) -> Response:
    """Download the records of all games of a player that you may see and that have started.

    These are the public ones and, with an access token, those at whose table you sit, too. The form is that of `GET
    /v1/me/games.ndjson`.
    """
    _check_player(caller, player_id)
    return _stream(caller, player_id, query, RECORDS)


@blp.route("/v1/me/moves.csv", methods=["GET"])
@with_caller
@refuses(429)
@query(ExportQuery)
@blp.answers(200, _TABLE, content_type=MOVES.media_type)
def export_own_moves(caller: Bearer, query: dict[str, Any]) -> Response:
    """Download the moves of all your games and solo sessions as CSV.

    The games and their order are those of `GET /v1/me/games.ndjson`, the columns those of `GET
    /v1/games/{game_id}/moves.csv`. The last line has `complete` in `type`, and the number of games in `seq`; if games
    are left out because their data are damaged, the line before it has `unreadable` and their number. Where the last
    line is missing, ask again, with the id of the last game but one in `after`: the last may have been cut off. Two
    downloads at once are allowed (429 `too_many_downloads`).
    """
    return _stream(caller, None, query, MOVES)


@blp.route("/v1/players/<id:player_id>/moves.csv", methods=["GET"])
@with_caller_if_any
@refuses(404, 429)
@query(ExportQuery)
@blp.answers(200, _TABLE, content_type=MOVES.media_type)
def export_moves_of_player(caller: Bearer, player_id: str, query: dict[str, Any]) -> Response:
    """Download the moves of all games of a player that you may see as CSV.

    The form is that of `GET /v1/me/moves.csv`, the games are those of `GET /v1/players/{player_id}/games.ndjson`.
    """
    _check_player(caller, player_id)
    return _stream(caller, player_id, query, MOVES)


def _check_player(caller: Bearer, player: str) -> None:
    """Refuse an invalid access token, and a player who is not there."""
    account, is_there = people.exists(pool(), caller, player)
    identified(caller, account)
    if not is_there:
        raise blocks.unknown_player()


def _stream(caller: Bearer, player: str | None, query: dict[str, Any], form: ExportForm) -> Response:
    account, after = exports.place_of(pool(), caller, player, query.get("after", ""))
    identified(caller, account)
    if after is None and "after" in query:
        refuse("query", {"after": [Phrase("Must be the id of a game in this list.")]})
    body = Export(
        context_of(current_app),
        caller,
        player,
        query.get("status"),
        after or 0,
        form,
        counted_as=counted_as(account or None, client_ip()),
        is_gzip=(is_gzip := takes_gzip(request.headers.get("Accept-Encoding", ""))),
    )
    headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-store"} | (
        {"Content-Encoding": "gzip"} if is_gzip else {}
    )
    return Response(body, headers=headers, content_type=form.content_type)
