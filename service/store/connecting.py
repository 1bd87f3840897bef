"""How the processes of the service connect to Postgres: what they tell it, and how long they wait for it.

Every time-out ends in an error that the caller can show, never in a hang. Those of the server are told at connecting;
behind a connection pooler in transaction mode (``NOVALUNA_DATABASE_POOLER=transaction``) that can't be: such a pooler
knows no ``options``, and no prepared statements of a session. The host gives the time-outs to the role then
(docs/OPERATING.md). The time zone it does know, and gives it to whichever connection it lends, if it is told as libpq
tells it for ``PGTZ``.
"""

import os
from dataclasses import dataclass

from service.config import Settings

CONNECT_SECONDS = 3
"""How long a new connection may take; libpq takes no less than 2."""

_TIME_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class TimeoutPolicy:
    """How many seconds a process waits for one statement, for a lock, and with a transaction open in which it does
    nothing; 0: for ever."""

    statement: int
    lock: int
    idle: int


WEB = TimeoutPolicy(statement=5, lock=3, idle=10)
"""Somebody waits for an answer."""

WORK = TimeoutPolicy(statement=60, lock=10, idle=60)
"""A job is tried again."""

OWNER = TimeoutPolicy(statement=0, lock=2, idle=0)
"""Migrations: they may take long, but whoever waits in line behind a lock that they wait for is to outlast them."""


def connect_args(settings: Settings, policy: TimeoutPolicy, name: str) -> dict[str, object]:
    """What psycopg's ``connect`` is given beside the address; ``name`` is shown by ``pg_stat_activity``."""
    told: dict[str, object] = {"connect_timeout": CONNECT_SECONDS, "application_name": name}
    if settings.database_pooler == "transaction":
        os.environ["PGTZ"] = _TIME_ZONE  # psycopg has no other way to it
        return told | {"prepare_threshold": None}
    options = {
        "timezone": _TIME_ZONE,
        "statement_timeout": f"{policy.statement}s",
        "lock_timeout": f"{policy.lock}s",
        "idle_in_transaction_session_timeout": f"{policy.idle}s",
    }
    return told | {"options": " ".join(f"-c {name}={value}" for name, value in options.items())}
