"""Each move of an exploration, its moves as CSV, and its story with plots."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.api import made_moves
from service.api.at_exploration import at_exploration, at_state
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.context import settings
from service.api.etags import conditional
from service.api.exploration_schemas import ExploredMoveSchema
from service.api.exploration_view import EXPLORATION, move_json
from service.api.game_answers import PAST_HEADERS, TAG_HEADERS
from service.api.json_response import json_response
from service.api.made_move_schemas import MadeMoveQuery
from service.api.openapi_annotations import refuses
from service.api.past_states import AskedState
from service.api.show_story import PLOTS_POLICY, SCHEMES_OF_PLOTS, SVG
from service.api.story_schemas import EXAMPLE, StoryPlotQuery, StorySchema, story_json
from service.errors import Conflict
from service.language.languages import language
from service.language.people import People
from service.pictures.plots.story import StoryScene, draw_story
from service.queries import explorations as reading
from service.queries import explored_games, moves_csv
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.explorations import Exploration

blp = Blueprint("explored-views", __name__, description="The course of explorations, and each of their moves.")

_TEXT: dict[str, Any] = {"type": "string"}


@blp.route("/v1/explorations/<id:exploration_id>/moves/<int:seq>", methods=["GET"])
@at_exploration
@query(MadeMoveQuery)
@conditional
@blp.response(200, ExploredMoveSchema, example=EXPLORATION.made, headers=PAST_HEADERS)
def get_exploration_move(account: str, kept: Exploration, seq: int, query: dict[str, Any]) -> Any:
    """Get a move of an exploration: its effect, and the table before and after it, in the form of a game's move.

    The moves up to `origin.seq` are those of the game.
    """

    def show(table: LoadedTable, asked: AskedState) -> Response:
        shown = move_json(settings().base_url, kept, table, made_moves.made_move(table, seq), query["language"])
        return json_response(shown)

    made_moves.check_made(reading.load_explored(db.session(), kept), seq)
    return at_state(kept, {**query, "at": seq}, show, for_reader=True)


@blp.route("/v1/explorations/<id:exploration_id>/moves.csv", methods=["GET"])
@at_exploration
@conditional
@blp.response(200, _TEXT, content_type=moves_csv.MEDIA_TYPE, headers=TAG_HEADERS)
def get_exploration_moves_csv(account: str, kept: Exploration) -> Any:
    """Get the moves of an exploration as CSV, as those of a game; `kind` is `exploration`, and `game` its id."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        headers = {"Content-Disposition": f'attachment; filename="nova-luna-exploration-{kept.id}.csv"'}
        return Response(explored_games.csv_of(kept, table), headers=headers, content_type=moves_csv.CONTENT_TYPE)

    return at_state(kept, {}, show)


@blp.route("/v1/explorations/<id:exploration_id>/story", methods=["GET"])
@at_exploration
@refuses(409)
@conditional
@blp.response(200, StorySchema, example=EXAMPLE, headers=TAG_HEADERS)
def get_exploration_story(account: str, kept: Exploration) -> Any:
    """Get the story of an exploration that is over, including the moves of the game, as that of a game.

    There is no tempo in it: nobody waited for what was explored.
    """

    def show(table: LoadedTable, asked: AskedState) -> Response:
        return json_response(story_json(explored_games.story_of(table)))

    _check_over(kept)
    return at_state(kept, {}, show)


@blp.route("/v1/explorations/<id:exploration_id>/story.svg", methods=["GET"])
@at_exploration
@refuses(409)
@query(StoryPlotQuery)
@conditional
@blp.answers(200, _TEXT, content_type=SVG, headers=TAG_HEADERS)
def get_exploration_story_plots(account: str, kept: Exploration, query: dict[str, Any]) -> Any:
    """Get the story of an exploration as plots, in SVG; they say that it is an exploration."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        words = language(query["language"])
        people = People(table.names, language=words)
        assert table.caution is not None
        scene = StoryScene(
            explored_games.story_of(table),
            people,
            SCHEMES_OF_PLOTS[query["scheme"]],
            caution=words.say(table.caution),
        )
        headers = {"Content-Security-Policy": PLOTS_POLICY, "Content-Language": query["language"]}
        return Response(draw_story(scene), headers=headers, content_type=f"{SVG}; charset=utf-8")

    _check_over(kept)
    return at_state(kept, {}, show)


def _check_over(kept: Exploration) -> None:
    if kept.status != "finished":
        raise Conflict(
            "not_over", "An exploration has a story once it is over; this one is running.", version=kept.version
        )
