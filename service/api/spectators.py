"""Answer requests without an access token from a replica, by the same handlers and statements as from the primary.

Whatever a replica may not know yet is asked of the primary: anything that it refuses or does not have, and a table in
an earlier state than the reader has seen, as `If-None-Match` says, or anybody else in this process. Past states that a
query names are always asked of the primary.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from service import metrics
from service.api.application_context import Context
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import Refusal
from service.queries.records import RecordCache
from service.queries.table_cache import TableCache
from service.store.autocommit_pool import AutocommitPool
from service.store.replicas import ReplicaFailed, Replicas

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_STATE = re.compile(r'"?([0-9]{1,9})-([0-9]{1,9})-')
_NONE = (-1, -1)
_MOST = 10_000
"""The number of tables of which a process remembers the last state that it has shown."""

_T = TypeVar("_T")
State = tuple[int, int]
"""The version and the revision of a table, as its ETag begins with."""


def read_at_replica(context: Context, read: Callable[[AutocommitPool], _T], *, has_token: bool) -> _T:
    """Read from a replica, or from the primary if there is a token, or if the replica fails or refuses."""
    if has_token or context.replicas is None:
        return read(context.pool)
    replica = context.replicas.usable()
    if replica is not None:
        with suppress(ReplicaFailed, Refusal):
            found = read(replica)
            metrics.spectator_read("replica")
            return found
    metrics.spectator_read("primary")
    return read(context.pool)


class Spectators:
    """The requests about tables that replicas may answer.

    Args:
        context: the context of the application.
        replicas: the replicas.
    """

    def __init__(self, context: Context, replicas: Replicas) -> None:
        self._replicas = replicas
        tables, records = TableCache(context.tables.size), RecordCache(context.records.size)
        self._contexts = {
            replica: replace(context, pool=replica, tables=tables, records=records) for replica in replicas.replicas
        }
        self._shown: OrderedDict[str, State] = OrderedDict()
        self._lock = Lock()

    def answer(
        self, handler: Callable[..., ApiResponse], environ: WSGIEnvironment, kind: str, table_id: str
    ) -> ApiResponse | None:
        """Return a replica's response to a GET; None if the primary must be asked."""
        if "HTTP_AUTHORIZATION" in environ:
            return None
        request = ApiRequest(environ)
        if request.asks_for_past():
            return None
        response = self._read(handler, request, kind, table_id)
        metrics.spectator_read("primary" if response is None else "replica")
        return response

    def _read(
        self, handler: Callable[..., ApiResponse], request: ApiRequest, kind: str, table_id: str
    ) -> ApiResponse | None:
        """Return a replica's response if it is not older than what has been shown."""
        replica = self._replicas.usable()
        if replica is None:
            return None
        try:
            response = handler(self._contexts[replica], request, kind=kind, table_id=table_id)
        except (ReplicaFailed, Refusal):
            return None
        state = _state(response.headers.get("ETag", ""))
        is_old = state < _newest(request.known_tags()) or not self._is_newest(table_id, state)
        return None if is_old else response

    def note(self, table_id: str, response: ApiResponse) -> None:
        """Note the state of a table that the primary has shown to anybody."""
        self._is_newest(table_id, _state(response.headers.get("ETag", "")))

    def _is_newest(self, table_id: str, state: State) -> bool:
        """Note the state of a table, and return whether none after it has been shown.

        Both is one step, since another thread may show a later state meanwhile. After a restore, tables stand before
        what was shown of them, and the primary is asked until they have come so far again.
        """
        with self._lock:
            newest = max(state, self._shown.get(table_id, _NONE))
            if newest != _NONE:
                self._shown[table_id] = newest
                self._shown.move_to_end(table_id)
            if len(self._shown) > _MOST:
                self._shown.popitem(last=False)
        return state == newest


def _state(tag: str) -> State:
    """Return the state that an ETag names, or one before all others if it names none."""
    found = _STATE.match(tag)
    return (int(found[1]), int(found[2])) if found else _NONE


def _newest(tags: Iterable[str]) -> State:
    return max(map(_state, tags), default=_NONE)
