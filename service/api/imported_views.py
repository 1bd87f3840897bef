"""The goals, the story with its plots, and the moves as CSV of an imported game."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from flask import Response, current_app

from service.api.at_import import at_import
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.context import context_of
from service.api.etags import conditional, not_modified
from service.api.game_examples import GAME
from service.api.goal_schemas import SeatGoalsSchema
from service.api.import_schemas import ImportedGoalsQuery
from service.api.json_response import JSON
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.past_states import state_asked_for
from service.api.seat_goals import check_seat
from service.api.seat_goals import to_json as goals_json
from service.api.show_story import PLOTS_POLICY, SCHEMES_OF_PLOTS, SVG
from service.api.story_schemas import EXAMPLE, StoryPlotQuery, StorySchema, story_json
from service.errors import Conflict
from service.language.languages import language
from service.language.people import People
from service.pictures.plots.story import StoryScene, draw_story
from service.queries import imported_games, moves_csv
from service.queries.table import LoadedTable
from service.store.imports import Import

blp = Blueprint("imported-views", __name__, description="Goals and stories of imported games, and their moves as CSV.")

_TEXT: dict[str, Any] = {"type": "string"}
_TAG = {"ETag": {"description": "It stays the same as long as the names do.", "schema": _TEXT}}


@blp.route("/v1/imports/<id:import_id>/story", methods=["GET"])
@at_import
@refuses(409)
@conditional
@blp.response(200, StorySchema, example=EXAMPLE, headers=_TAG)
def get_imported_story(kept: Import, account: str | None) -> Response:
    """Get the story of an imported game that is over, as that of a game.

    Of a text without times, `at` is when it was imported, and there is no tempo.
    """
    return _kept(kept, ("story",), lambda: encode(story_json(_story(kept))).encode(), JSON)


@blp.route("/v1/imports/<id:import_id>/story.svg", methods=["GET"])
@at_import
@refuses(409)
@query(StoryPlotQuery)
@conditional
@blp.answers(200, _TEXT, content_type=SVG, headers=_TAG)
def get_imported_story_plots(kept: Import, account: str | None, query: dict[str, Any]) -> Response:
    """Get the story of an imported game as plots, in SVG."""

    def made() -> bytes:
        story = _story(kept)
        table, words = imported_games.loaded(kept), language(query["language"])
        people = People(tuple(player.name for player in table.players), language=words)
        assert table.caution is not None
        caution = words.say(table.caution)
        return draw_story(StoryScene(story, people, SCHEMES_OF_PLOTS[query["scheme"]], caution=caution)).encode()

    return _kept(kept, ("plots", *sorted(query.items())), made, SVG, PLOTS_POLICY)


@blp.route("/v1/imports/<id:import_id>/moves.csv", methods=["GET"])
@at_import
@conditional
@blp.response(200, _TEXT, content_type=moves_csv.MEDIA_TYPE, headers=_TAG)
def get_imported_moves_csv(kept: Import, account: str | None) -> Response:
    """Get the moves of an imported game as CSV, as those of a game; `game` is the id of the import.

    Of a text without times, `at` is empty.
    """
    return _kept(kept, ("csv",), lambda: imported_games.csv_of(kept), moves_csv.CONTENT_TYPE)


@blp.route("/v1/imports/<id:import_id>/seats/<int:seat>/goals", methods=["GET"])
@at_import
@query(ImportedGoalsQuery)
@conditional
@blp.response(200, SeatGoalsSchema, example=GAME.goals, headers=_TAG)
def list_imported_goals(kept: Import, account: str | None, seat: int, query: dict[str, Any]) -> Response:
    """List the goals on a player's display in an imported game, and why each is met or not, as in a game."""

    def made() -> bytes:
        table = imported_games.loaded(kept)
        at = _version(table, query)
        check_seat(table, seat)
        return encode(goals_json(table, at, seat, language(query["language"]))).encode()

    return _kept(kept, ("goals", seat, *sorted(query.items())), made, JSON)


def _kept(
    kept: Import, what: tuple[Any, ...], make: Callable[[], bytes], content_type: str, policy: str = ""
) -> Response:
    """Return the JSON of an import, rendered at its first use, or the 304 to this request. An import never changes."""
    tag = f'"{kept.digest.hex()[:16]}"'
    if (unchanged := not_modified(tag)) is not None:
        return unchanged
    drawings = context_of(current_app).drawings
    shown: Hashable = ("import", kept.id, kept.digest, *what)
    content = drawings.get(shown)
    if content is None:
        content = make()
        drawings.put(shown, content)
    headers = {"ETag": tag} | ({"Content-Security-Policy": policy} if policy else {})
    return Response(content, headers=headers, content_type=f"{content_type}; charset=utf-8" if policy else content_type)


def _story(kept: Import) -> Any:
    try:
        return imported_games.story_of(kept)
    except ValueError:
        raise Conflict("not_over", "A game has a story once it is over; this one is running.") from None


def _version(table: LoadedTable, query: dict[str, Any]) -> int:
    """Return the version to show; refuse one that the game has not reached."""
    return state_asked_for(table, query).version
