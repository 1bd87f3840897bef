"""``/v1/events``: what happens at one's tables, and at a public one, as a stream or by long polls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response, request

from engine.phrases import phrase
from service.access.limits import networks_of
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import TableRequest, identified, refuse_caller, with_caller, with_table_request
from service.api.context import client_ip, hub, pool, settings
from service.api.event_bodies import WaitingBody, listed, long_poll, stream
from service.api.event_cursors import gone
from service.api.event_schemas import PAGE_EXAMPLE, EventPage, EventsQuery
from service.api.flask_adapter import current_request
from service.api.openapi_annotations import View, annotate, refuses
from service.api.requests import JSON, WHEN_GONE
from service.errors import LimitReached, Malformed, Unavailable
from service.events import cursor as cursors
from service.events import reading
from service.events.cursor import Cursor, Positions
from service.events.reading import Found
from service.events.subscription import Subscription
from service.store.callers import Bearer

blp = Blueprint(
    "events",
    __name__,
    description="What happens at your tables, or at one public table, in one order: as a stream of server-sent events,"
    " or by long polls.",
)

STREAM = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_AGAIN = 5
"""Seconds after which somebody who has too many streams may try again."""

_LAST_EVENT_ID = {
    "in": "header",
    "name": "Last-Event-ID",
    "required": False,
    "description": "The `id` of the last event of a stream; browsers send it when they connect again. It takes"
    " precedence over `after`.",
    "schema": {"type": "string", "pattern": f"^(?:{cursors.PATTERN})?$"},
}


def _streams(view: View) -> View:
    """Document what all routes of events have (a decorator).

    The stream is told in words only: of a response with two media types, generated clients would make one type that is
    either of both.
    """
    return refuses(410, 429, 503)(annotate(view, parameters=(_LAST_EVENT_ID,)))


@blp.route("/v1/events", methods=["GET"])
@with_caller
@query(EventsQuery)
@_streams
@blp.response(200, EventPage, example=PAGE_EXAMPLE)
def list_events(caller: Bearer, query: dict[str, Any]) -> Any:
    """Get what happens at your tables.

    If you send `Accept: text/event-stream`, you get a stream: each event is a message whose `data` is an event as it is
    described here, and whose `id` is its cursor. A stream that breaks off loses nothing: connect again with the last
    `id` in `Last-Event-ID`, as browsers do by themselves. Every 20 seconds, the stream sends something. If what you
    missed is no longer kept, after 30 days or because the service was restored from a backup, the first message is
    named `reset`: then read your games again.

    Otherwise you get the events after `after` as JSON, at most 200. If there are none, the response comes with the
    first one, or after `wait` seconds. If what you missed is no longer kept, the answer is 410 `events_gone`; its
    `after` says where to go on once you have read your games again.

    Events come in the order in which they happened, and each once. An account may have 20 streams or waiting requests
    at a time (429 `too_many_streams`). When an access token expires or is deleted, its streams end soon after.
    """
    found, positions = reading.positions(pool(), caller)
    account = identified(caller, found)
    if account is None:
        refuse_caller(caller)
    subscription = Subscription(owners_of(account), account, caller.token, None)

    page = partial(reading.of_account, pool(), account)
    return event_response(subscription, positions, query, page)


def _of_table(kind: str) -> Callable[[TableRequest, dict[str, Any]], Response]:
    def answered(asked: TableRequest, query: dict[str, Any]) -> Response:
        access, positions = reading.positions_at(pool(), asked.caller, asked.table_id)
        asked.admit(access)
        subscription = Subscription(owners_of(access.account), access.account, asked.caller.token, access.key)
        page = partial(reading.of_table, pool(), access)
        return event_response(subscription, positions, query, page)

    return answered


def owners_of(account: str | None) -> list[tuple[str, int]]:
    """Return the owners that a stream counts for: the account or, without one, the networks of the request."""
    if account is not None:
        return [(account, settings().limit_streams_per_account)]
    return networks_of(client_ip(), settings().limit_streams_per_ip)


_of_match, _of_solo = _of_table("match"), _of_table("solo")


@blp.route("/v1/games/<id:game_id>/events", methods=["GET"])
@with_table_request("match")
@query(EventsQuery)
@_streams
@blp.response(200, EventPage, example=PAGE_EXAMPLE)
def list_game_events(asked: TableRequest, query: dict[str, Any]) -> Any:
    """Get what happens at a table.

    Streams and waiting work as they do for all of your tables. For a public game you need no access token; then you get
    no `change`, and the network that you come from may have 50 streams or waiting requests at a time.
    """
    return _of_match(asked, query)


@blp.route("/v1/solo-sessions/<id:session_id>/events", methods=["GET"])
@with_table_request("solo")
@query(EventsQuery)
@_streams
@blp.response(200, EventPage, example=PAGE_EXAMPLE)
def list_solo_session_events(asked: TableRequest, query: dict[str, Any]) -> Any:
    """Get what happens in a solo session, as in a game."""
    return _of_solo(asked, query)


def asks_for_stream() -> bool:
    """Return whether the current request prefers a stream to JSON."""
    return current_request().preferred_type((JSON, STREAM)) == STREAM


def event_response(
    subscription: Subscription,
    now: Positions,
    query: dict[str, Any],
    read: Callable[[int, int], Found],
    *,
    is_reset: bool = False,
) -> Response:
    """Return the response to a request for events.

    Args:
        subscription: the reader.
        now: the positions that were read just before.
        query: the query, with `after` and `wait`.
        read: returns the events after a position and up to another.
        is_reset: whether a stream begins by telling its reader to read everything again.
    """
    is_stream = asks_for_stream()
    given = _given(query)
    after = now.last if given is None else now.after(given)
    start = Cursor(now.epoch, now.last if after is None else after)
    if after is None and not is_stream:
        raise gone(start)
    if not is_stream and not query["wait"]:
        return _listed(read(start.position, now.last), now)
    _subscribe(subscription, now)
    last = max(now.last, hub().position)  # what comes later is passed on to the subscription
    try:
        found = read(start.position, last)
        if is_stream:
            is_reset = is_reset or after is None
            body = stream(hub(), subscription, start, found, lambda sent: read(sent, last), is_reset=is_reset)
            return _waiting(body, STREAM)
        if not found.events and not found.has_more:
            start = start._replace(position=found.reached)
            return _waiting(long_poll(hub(), subscription, start, query["wait"]), JSON)
    except BaseException:
        hub().unsubscribe(subscription)
        raise
    hub().unsubscribe(subscription)
    return _listed(found, now)


def _given(query: dict[str, Any]) -> Cursor | None:
    """Return the cursor that the client has given, None without one."""
    header = request.headers.get("Last-Event-ID")
    text = query.get("after") if header is None else header
    if not text:
        return None
    found = cursors.parse(text)
    if found is None:
        raise Malformed("cursor_malformed", "Last-Event-ID must be the id of an event of this service.")
    return found


def _listed(found: Found, now: Positions) -> Response:
    events = [event.json(now.epoch, seat) for event, seat in found.events]
    body = listed(events, Cursor(now.epoch, found.reached), has_more=found.has_more)
    return Response(body, headers=_HEADERS, content_type=JSON)


def _waiting(body: WaitingBody, kind: str) -> Response:
    return Response(body, headers=_HEADERS, content_type=kind)


def _subscribe(subscription: Subscription, now: Positions) -> None:
    """Subscribe somebody who has not too many subscriptions; it ends when the client hangs up."""
    if not request.environ["wsgi.multithread"]:
        raise Unavailable("streams_unavailable", "This web server cannot keep connections open; ask without waiting.")
    if not hub().subscribe(subscription, now):
        _, most = subscription.owners[0]
        detail = phrase(
            "You can have at most %(amount)s streams or waiting requests at a time; close some.", amount=most
        )
        raise LimitReached("too_many_streams", detail, retry_after=_AGAIN)
    if (when_gone := request.environ.get(WHEN_GONE)) is not None:
        when_gone(subscription.end)
