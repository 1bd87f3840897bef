"""``/v1/games``: list, open, show and close tables for two to four players."""

from collections.abc import Callable
from typing import Any

from flask import Response

from engine.clock.terms import NoClock, Terms
from engine.game import goal_discs
from service.api import game_answers
from service.api.at_table import at_table, documents_role
from service.api.auth import signed_in
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, documents_query, query
from service.api.callers import with_caller_if_any
from service.api.context import bounds, now
from service.api.etags import conditional, takes_if_match
from service.api.flask_adapter import answered, current_request
from service.api.game_answers import CREATED_HEADERS, PAST_HEADERS
from service.api.game_examples import GAME, Examples
from service.api.game_schemas import GamePage, GameSchema
from service.api.idempotent import idempotent
from service.api.move_schemas import ViewQuery
from service.api.openapi_annotations import View, refuses
from service.api.paging import PAGE_HEADERS
from service.api.show_table import show_table
from service.api.table_lists import page
from service.api.table_schemas import GameQuery, GameRequest
from service.commands import matches, tables
from service.queries.table import LoadedTable
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("games", __name__, description="Tables for two to four players, and the games at them.")


def documents_view(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Document everything that `show_table` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        shown = blueprint.answers(200, GameSchema, example=examples.view, headers=PAST_HEADERS)(view)
        return documents_role(documents_query(conditional(shown), ViewQuery), Role.READER)

    return decorator


@blp.route("/v1/games", methods=["GET"])
@with_caller_if_any
@query(GameQuery)
@refuses(410)
@conditional
@blp.response(200, GamePage, example=GAME.page, headers=PAGE_HEADERS)
def list_games(caller: Bearer, query: dict[str, Any]) -> Any:
    """List games, newest first, or your own by when time runs out.

    The list has all public games and, with an access token, your own private ones. Of the games that are open, and of
    those that were closed before they started, it has only the newest 5 of each player who made them, and all of your
    own; open games of players whom you have blocked, or who have blocked you, are left out. Filters can be combined. A
    page examines a limited number of games, so it may have fewer than `limit`, and still a `next`.
    """
    return page("match", caller, query)


@blp.route("/v1/games", methods=["POST"])
@signed_in
@body(GameRequest, example={"seats": 2, "discs": "full", "visibility": "public"})
@refuses(409, 429)
@idempotent
@blp.response(201, GameSchema, example=GAME.open, headers=CREATED_HEADERS)
def create_game(account: str, body: dict[str, Any]) -> Any:
    """Open a table.

    You take seat 0. The response shows the commitment to the draw's seed, before anybody joins. Only the players of a
    private game can see it, and others join by invitation. A table whose game does not start within 30 days is closed.

    So many of the seats as `bots` says are played by bots, the last ones; the game starts when people have taken the
    others, at once if you are the only one. Bots have no time to keep, and are sent no mail.

    `clock` and the fields after it are the table's clock. Everybody sees it in the game before they join, and it stays
    as it is. Without a clock, `ladder`, `quiet` and `absences` have no effect.

    An account may have 20 open tables (409 `too_many_open_tables`), sit at 200 tables whose games are not over (409
    `too_many_games`), and open 200 tables a day, solo sessions included (429 `too_many_tables`).
    """
    seats, discs = body["seats"], body["discs"]
    terms = Terms(body["clock"], body["ladder"], body["quiet"], body["absences"])
    with transaction() as session:
        table = matches.open_match(
            session,
            account,
            tables.TableSettings(
                seats=seats,
                goal_discs=goal_discs(seats, discs),
                visibility=body["visibility"],
                hints=body["hints"],
                terms=None if isinstance(terms.clock, NoClock) else terms,
                abandoned_after=body["abandoned_after"],
            ),
            bots=body["bots"],
            now=now(),
            bounds=bounds(),
        )
        return game_answers.fresh_view(table.id, account, 201, f"/v1/games/{table.id}")


@blp.route("/v1/games/<id:game_id>", methods=["GET"])
@documents_view(blp, GAME)
def get_game(game_id: str) -> Response:
    """Get a game, with everything that a player at the table may see.

    With `at`, you get it as it was at that version. If you send its ETag in `If-None-Match`, the answer is 304 as long
    as nothing has changed. The passing of time changes no ETag: `clock` says by `as_of` for what time it was computed,
    and gives the times to come. For a public game, the header `Link` has the address of the Atom feed of its moves.
    """
    return answered(show_table, kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>", methods=["DELETE"])
@at_table("match", Role.MAKER)
@refuses(409)
@takes_if_match
@blp.response(204)
def close_game(account: str, table: LoadedTable) -> None:
    """Close a table before its game starts.

    Only the player who made the table may do so. The other players are told by mail.
    """
    with transaction() as session:
        tables.close(session, account, table.table.id, now(), current_request().if_match())
