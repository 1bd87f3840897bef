"""Stream what happens at a table to its page in a browser, as server-sent events.

These are the events of the API, but here they are for a browser: by the session's cookie or the link in the page's
address. The API takes neither, and this takes no access token.
"""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response, request

from engine.phrases import Phrase
from service.api.context import now, pool
from service.api.etags import etag
from service.api.events import asks_for_stream, event_response, owners_of
from service.events import reading
from service.events.subscription import Subscription
from service.pages.browser import session_hash
from service.pages.rendering import headed, not_found
from service.pages.viewer import Viewer, viewer_of
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.callers import Bearer, Caller, KnownAccount

blp = Blueprint("changes_page", __name__)

_NOT_HERE = Phrase("There is no such table, or it is private.")


@blp.get("/games/<id:game>/changes")
def stream_changes(game: str) -> Response:
    """Send what happens at the table from now on, to whoever may see its page.

    If the table is not any more as `seen` says (`state_of`), the stream begins with the message `reset`. A stream of a
    session ends soon after it. The answer is 204, after which browsers do not ask again, to whoever does not ask for a
    stream, or if this web server keeps no connections open.
    """
    viewer = viewer_of(db.session(), game)
    caller = _caller(viewer)
    access, positions = reading.positions_at(pool(), caller, game)
    table = load(db.session(), game) if access.may_read else None
    if table is None:
        return not_found(_NOT_HERE, viewer.reader)
    if not asks_for_stream() or not request.environ["wsgi.multithread"]:
        return headed(Response(status=204))
    token = caller.token if isinstance(caller, Bearer) else None
    return headed(
        event_response(
            Subscription(owners_of(access.account), access.account, token, access.key),
            positions,
            {"after": None, "wait": 0},
            partial(reading.of_table, pool(), access),
            is_reset=request.args.get("seen") not in (None, state_of(table)) and "Last-Event-ID" not in request.headers,
        )
    )


def state_of(table: LoadedTable) -> str:
    """Return a text that differs for all states that a table has had or will have."""
    return etag(table.version, table.table.revision, table.head).strip('"')


def _caller(viewer: Viewer) -> Caller:
    """Return whose events these are: the link's account, or else that of the session, whose end ends the stream."""
    if viewer.link is not None:
        return KnownAccount(viewer.account or "", now())
    return Bearer(session_hash(), now())
