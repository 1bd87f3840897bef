"""``/v1/games``: tables for two to four players, listed, made, shown and closed."""

from collections.abc import Callable
from typing import Any

from flask import Response

from engine.game import goal_discs
from service.api import game_answers
from service.api.at_table import at_table, documents_role
from service.api.auth import signed_in
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, documents_query, query
from service.api.callers import with_caller_if_any
from service.api.context import bounds, now
from service.api.documented import View, refuses
from service.api.etags import conditional
from service.api.flask_adapter import answered
from service.api.game_answers import CREATED_HEADERS, TAG_HEADERS
from service.api.game_examples import GAME, Examples
from service.api.game_schemas import GamePage, GameShown
from service.api.idempotent import idempotent
from service.api.move_schemas import ViewQuery
from service.api.paging import LINK_HEADER
from service.api.show_table import show_table
from service.api.table_lists import page
from service.api.table_schemas import TableGiven, TableQuery
from service.commands import tables
from service.queries.table import LoadedTable
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("games", __name__, description="Tables for two to four players, and the games at them.")


def documents_view(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Decorator, below the route: documents all that `show_table` reads, refuses and answers."""

    def decorator(view: View) -> View:
        shown = blueprint.answers(200, GameShown, example=examples.view, headers=TAG_HEADERS)(view)
        return documents_role(documents_query(conditional(shown), ViewQuery), Role.READER)

    return decorator


@blp.route("/v1/games", methods=["GET"])
@with_caller_if_any
@query(TableQuery)
@blp.response(200, GamePage, example=GAME.page, headers=LINK_HEADER)
def list_games(caller: Bearer, query: dict[str, Any]) -> Any:
    """Games, newest first.

    All public ones, and with a token your own private ones too. Of those that are open, and of those that were closed before
    their game started, the list has the newest 5 that one player made, beside your own; so a page may have fewer games than
    asked for and a `next` all the same.
    """
    return page("match", caller, query)


@blp.route("/v1/games", methods=["POST"])
@signed_in
@body(TableGiven, example={"seats": 2, "discs": "full", "visibility": "public"})
@refuses(409, 429)
@idempotent
@blp.response(201, GameShown, example=GAME.open, headers=CREATED_HEADERS)
def create_game(account: str, body: dict[str, Any]) -> Any:
    """Open a table.

    You sit at seat 0. The answer shows the commitment to the draw's seed, before anybody joins. A private game is
    known to those only who sit at it, and joined by invitation. A table that does not start within 30 days is closed.
    An account may have 20 tables open (409 `too_many_open_tables`), sit at 200 whose games are not over (409
    `too_many_games`), and open 200 in a day, solos included (429 `too_many_tables`).
    """
    seats, discs = body["seats"], body["discs"]
    with transaction() as session:
        table = tables.create(
            session,
            account,
            kind="match",
            seats=seats,
            goal_discs=goal_discs(seats, discs),
            visibility=body["visibility"],
            hints=body["hints"],
            now=now(),
            bounds=bounds(),
        )
        return game_answers.fresh_view(table.id, account, 201, f"/v1/games/{table.id}")


@blp.route("/v1/games/<id:game_id>", methods=["GET"])
@documents_view(blp, GAME)
def get_game(game_id: str) -> Response:
    """A game, with all that a player at the table sees.

    With `at` as it was at that version. `If-None-Match` with its ETag is answered with 304 while nothing has changed.
    """
    return answered(show_table, kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>", methods=["DELETE"])
@at_table("match", Role.MAKER)
@refuses(409)
@blp.response(204)
def close_game(account: str, table: LoadedTable) -> None:
    """Close a table before its game starts.

    Only who made it may do so. The others at it are told by mail.
    """
    with transaction() as session:
        tables.close(session, account, table.table.id, now())
