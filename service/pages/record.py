"""The page GET /games/{id}/record: the record of a finished game, for the link in the last mail, without a token."""

from __future__ import annotations

import json

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.links import recorded_game
from service.api.context import settings
from service.api.flask_adapter import current_request
from service.api.json_response import JSON
from service.language.languages import Reader
from service.mail.checkpoints import sentences
from service.pages.rendering import headed, not_found, page, visitor
from service.pages.table import NO_SUCH_MOVE, asked_move
from service.queries import checkpoint_proofs, records
from service.queries.checkpoint_notice import Notice, notice
from service.queries.table import LoadedTable, load
from service.store.unit import transaction

blp = Blueprint("record_page", __name__)

_HTML, _FILE, _PROOF = "text/html", "file", "proof"

_NO_PROOF = Phrase("No checkpoint has this game yet.")
_NOT_HERE = Phrase("There is no such record: open it by the link in the mail that told of the end.")


@blp.get("/games/<id:game>/record")
def show_record(game: str) -> Response:
    """Return the record's line, as in the API; for a browser, a page that says what commits to it.

    `as=file` gives the line to browsers too, and `as=proof` the proofs of its checkpoints. With `at` everybody gets the
    line, as it was after that move. The answer is 404 for a wrong link, and for a game that is still running.
    """
    reader, kind, link = visitor(), request.args.get("as"), request.args.get("link", "")
    with transaction() as session:
        table = _finished(session, game)
        if table is None or recorded_game(settings().secret_keys, link) != game:
            return not_found(_NOT_HERE, reader)
        at = asked_move(table)
        if at is None:
            return not_found(NO_SUCH_MOVE, reader)
        if kind == _PROOF:
            return _proofs(session, table) or not_found(_NO_PROOF, reader)
        if kind != _FILE and "at" not in request.args and current_request().preferred_type((JSON, _HTML)) == _HTML:
            found = notice(session, table)
            return _page(found, reader, game, link)
        line = records.line(session, table, at)
    answer = Response(line, mimetype=JSON)
    name = game if at == table.version else f"{game}-{at}"
    answer.headers["Content-Disposition"] = f'inline; filename="nova-luna-{name}.json"'
    answer.vary.add("Accept")
    return headed(answer)


def _page(found: Notice, reader: Reader, game: str, link: str) -> Response:
    def address(kind: str) -> str:
        return url_for("record_page.show_record", game=game, link=link, **{"as": kind})  # type: ignore[arg-type]

    answer = page(
        "record.html",
        reader,
        notice=found,
        checkpoint=sentences(found, reader),
        file=address(_FILE),
        proof=None if found.commitment is None else address(_PROOF),
    )
    answer.vary.add("Accept")
    return answer


def _proofs(session: Session, table: LoadedTable) -> Response | None:
    """Return the bundle with the proofs of a game; None if no checkpoint has it."""
    bundle = checkpoint_proofs.bundle(session, table.table.key)
    if bundle is None:
        return None
    answer = Response(json.dumps(bundle.to_json()), mimetype=JSON)
    answer.headers["Content-Disposition"] = f'attachment; filename="{table.table.id}.proof.json"'
    return headed(answer)


def _finished(session: Session, game: str) -> LoadedTable | None:
    table = load(session, game)
    return table if table is not None and table.status == "finished" else None
