"""Check whether an idle connection to Postgres is still open, without asking the server.

A server that ends closes its connections, and the local machine knows: there is something to read, namely the end. So
there is no wait for a reply before each use, as with a ping. A server that is stopped or unreachable still looks alive;
`service.store.timeouts` limits how long its users wait.
"""

from __future__ import annotations

import select
from typing import Any

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError


def is_gone(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the server has closed an idle connection, as far as this machine knows.

    Anything else that has arrived is processed.
    """
    if connection.closed:
        return True
    asked = select.poll()
    asked.register(connection.fileno(), select.POLLIN)
    try:
        while asked.poll(0):
            connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return False


def watch(engine: Engine) -> None:
    """Make the engine's pool hand out only open connections.

    If the server has closed one, all the others are as old, so the pool makes new ones.
    """

    @event.listens_for(engine, "checkout")
    def check(connection: psycopg.Connection[Any], record: object, proxy: object) -> None:
        if is_gone(connection):
            raise InvalidatePoolError("the server has closed it")
