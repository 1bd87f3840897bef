"""Whether an idle connection to Postgres still stands, found out without asking the server.

A server that ends closes its connections, and this machine knows: then there is something to read, and it is the end. So
nobody waits for an answer before each use, as a ping would. What only stopped, or is out of reach, looks alive: who uses
it waits no longer than `service.store.timeouts` has it.
"""

from __future__ import annotations

import select
from typing import Any

import psycopg
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError


def is_gone(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has closed an idle connection, as far as this machine knows. Anything else that came is taken
    note of."""
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
    """From now on whoever takes a connection from the engine's pool gets one that stands: if the server has closed one,
    all others are as old, and new ones are made."""

    @event.listens_for(engine, "checkout")
    def check(connection: psycopg.Connection[Any], record: object, proxy: object) -> None:
        if is_gone(connection):
            raise InvalidatePoolError("the server has closed it")
