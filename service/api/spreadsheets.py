"""The moves of one game as CSV: ``/moves.csv``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response

from service.api.at_table import documents_role
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.etags import conditional
from service.api.flask_adapter import answered
from service.api.game_answers import TAG_HEADERS
from service.api.openapi_annotations import View
from service.api.show_moves_csv import show_moves_csv
from service.queries.moves_csv import MEDIA_TYPE

blp = Blueprint("spreadsheets", __name__, description="The moves of a game as CSV, for spreadsheets.")

_TEXT: dict[str, Any] = {"type": "string"}


def _documents_csv() -> Callable[[View], View]:
    """Document everything that `show_moves_csv` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blp.answers(200, _TEXT, content_type=MEDIA_TYPE, headers=TAG_HEADERS)(view)
        return documents_role(conditional(answers), Role.READER)

    return decorator


@blp.route("/v1/games/<id:game_id>/moves.csv", methods=["GET"])
@_documents_csv()
def get_moves_csv(game_id: str) -> Response:
    """Get the moves of a game as CSV.

    There is a line for each entry of the log but the marks, below the names of the columns; `docs/FORMATS.md` describes
    these. A text that a spreadsheet would take for a formula has an apostrophe before it.
    """
    return answered(show_moves_csv, kind="match", table_id=game_id)


@blp.route("/v1/solo-sessions/<id:session_id>/moves.csv", methods=["GET"])
@_documents_csv()
def get_solo_moves_csv(session_id: str) -> Response:
    """Get the moves of a solo session as CSV, as those of a game."""
    return answered(show_moves_csv, kind="solo", table_id=session_id)
