"""The page GET /games/{id}/text: a game in the text notation, to copy, for all who may see its table or its record."""

from __future__ import annotations

from flask import Blueprint, Response, request
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.links import recorded_game
from service.api.context import settings
from service.pages.rendering import headed, not_found, visitor
from service.pages.table import NO_SUCH_MOVE, asked_move
from service.pages.viewer import viewer_of
from service.queries import records
from service.queries.table import LoadedTable, load
from service.store.unit import transaction

blp = Blueprint("game_text", __name__)

_NOT_HERE = Phrase("There is no such game, or it is private: open it by the link in one of your mails.")


@blp.get("/games/<id:game>/text")
def show_text(game: str) -> Response:
    """Return the text of a game that has started, with `at` up to that move; 404 for whoever may not see it."""
    link = request.args.get("link", "")
    with transaction() as session:
        table = load(session, game)
        if table is None or table.header is None or not _may_read(session, table, link):
            return not_found(_NOT_HERE, visitor())
        at = asked_move(table)
        if at is None:
            return not_found(NO_SUCH_MOVE, visitor())
        text = records.notated(records.line(session, table, at))
    answer = Response(text, content_type="text/plain; charset=utf-8")
    name = game if at == table.version else f"{game}-{at}"
    answer.headers["Content-Disposition"] = f'inline; filename="nova-luna-{name}.nova"'
    return headed(answer)


def _may_read(session: Session, table: LoadedTable, link: str) -> bool:
    """Return whether a table may be seen with a link to its page, to its record, or with none."""
    game = table.table.id
    if table.may_be_read_by(viewer_of(session, game).account):
        return True
    return table.status == "finished" and recorded_game(settings().secret_keys, link) == game
