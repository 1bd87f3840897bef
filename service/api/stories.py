"""The stories of finished games: ``/story`` and ``/story.svg``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response

from service.api.at_table import documents_role
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import documents_query
from service.api.etags import conditional
from service.api.flask_adapter import answered
from service.api.game_answers import TAG_HEADERS
from service.api.openapi_annotations import View, annotate
from service.api.show_story import SVG, show_story, show_story_plots
from service.api.story_schemas import EXAMPLE, StoryPlotQuery, StorySchema

blp = Blueprint("stories", __name__, description="The course of finished games: tempo, leads, turning points, plots.")

_DRAWING: dict[str, Any] = {"type": "string"}


def _documents_story() -> Callable[[View], View]:
    """Document everything that `show_story` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blp.answers(200, StorySchema, example=EXAMPLE, headers=TAG_HEADERS)(view)
        return documents_role(annotate(conditional(answers), refuses=(409,)), Role.READER)

    return decorator


def _documents_plots() -> Callable[[View], View]:
    """Document everything that `show_story_plots` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blp.answers(200, _DRAWING, content_type=SVG, headers=TAG_HEADERS)(view)
        documented = documents_query(annotate(conditional(answers), refuses=(409,)), StoryPlotQuery)
        return documents_role(documented, Role.READER)

    return decorator


@blp.route("/v1/games/<id:game_id>/story", methods=["GET"])
@_documents_story()
def get_story(game_id: str) -> Response:
    """Get the story of a finished game.

    It says how goals, discs and time went move by move, how long everybody thought, who had several turns in a row, who
    took tiles that others could have used best, and which moves changed the lead. It follows from the record alone, so
    it never changes. While the game is running, the answer is 409 `not_over`.
    """
    return answered(show_story, kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>/story.svg", methods=["GET"])
@_documents_plots()
def get_story_plots(game_id: str) -> Response:
    """Get the story of a finished game as plots, in SVG.

    Its `desc` tells the course of the game in words. The numbers are those of `GET /v1/games/{game_id}/story`.
    """
    return answered(show_story_plots, kind="match", table_id=game_id)


@blp.route("/v1/solo-sessions/<id:session_id>/story", methods=["GET"])
@_documents_story()
def get_solo_story(session_id: str) -> Response:
    """Get the story of a finished solo session, as that of a game."""
    return answered(show_story, kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/story.svg", methods=["GET"])
@_documents_plots()
def get_solo_story_plots(session_id: str) -> Response:
    """Get the story of a finished solo session as plots, in SVG."""
    return answered(show_story_plots, kind="solo", table_id=session_id)
