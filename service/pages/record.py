"""The page GET /games/{id}/record: the record of a finished game, for the link in the last mail, without a token."""

from __future__ import annotations

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.links import recorded_game
from service.api.context import settings
from service.pages.rendering import headed, not_found, visitor
from service.queries import records
from service.queries.table import LoadedTable, load
from service.store.unit import transaction

blp = Blueprint("record_page", __name__)

_NOT_HERE = Phrase("There is no such record: open it by the link in the mail that told of the end.")


@blp.get("/games/<id:game>/record")
def show_record(game: str) -> Response:
    """Return the record's line, as in the API; 404 for a wrong link and for a game that is still running."""
    with transaction() as session:
        table = _finished(session, game)
        if table is None or recorded_game(settings().secret_keys, request.args.get("link", "")) != game:
            return not_found(_NOT_HERE, visitor())
        line = records.line(session, table)
    answer = Response(line, mimetype="application/json")
    answer.headers["Content-Disposition"] = f'inline; filename="nova-luna-{game}.json"'
    return headed(answer)


def _finished(session: Session, game: str) -> LoadedTable | None:
    table = load(session, game)
    return table if table is not None and table.status == "finished" else None
