"""Choose how the service's processes connect to Postgres: the options, and the time-outs.

Every time-out ends in an error that the caller can show, never in a hang. The server's time-outs are set when a
connection is opened. Behind a connection pooler in transaction mode (`NOVALUNA_DATABASE_POOLER=transaction`) that is
impossible: such a pooler supports neither `options` nor prepared statements of a session, so the host sets the
time-outs for the role (docs/OPERATING.md). It does support the time zone, for whichever connection it lends, if it is
set as libpq sets it for `PGTZ`.
"""

import os
from dataclasses import dataclass

from service.config import Settings

CONNECT_SECONDS = 3
"""The time that opening a connection may take; libpq's minimum is 2."""

_TIME_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class TimeoutPolicy:
    """The time-outs of a process in seconds, 0 for none.

    They are for one statement, for a lock, and for an open transaction in which nothing happens.
    """

    statement: int
    lock: int
    idle: int


WEB = TimeoutPolicy(statement=5, lock=3, idle=10)
"""The time-outs where somebody waits for a response."""

READS = TimeoutPolicy(statement=2, lock=1, idle=10)
"""The time-outs at a replica, after which the primary is asked."""

WORK = TimeoutPolicy(statement=60, lock=10, idle=60)
"""The time-outs where a job can be tried again."""

OWNER = TimeoutPolicy(statement=0, lock=2, idle=0)
"""The time-outs of migrations. They may take long, but not those who queue behind a lock that a migration waits for."""


def connect_args(settings: Settings, policy: TimeoutPolicy, name: str) -> dict[str, object]:
    """Return the arguments of psycopg's `connect` other than the address; `pg_stat_activity` shows `name`."""
    told: dict[str, object] = {"connect_timeout": CONNECT_SECONDS, "application_name": name}
    if settings.database_pooler == "transaction":
        os.environ["PGTZ"] = _TIME_ZONE  # psycopg offers no other way to set it
        return told | {"prepare_threshold": None}
    options = {
        "timezone": _TIME_ZONE,
        "statement_timeout": f"{policy.statement}s",
        "lock_timeout": f"{policy.lock}s",
        "idle_in_transaction_session_timeout": f"{policy.idle}s",
    }
    return told | {"options": " ".join(f"-c {name}={value}" for name, value in options.items())}
