"""Whether what the service needs is there."""

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from service.store import migrate

HEARTBEAT_SECONDS = 60

OK = "ok"

_WORKER = text("""
    SELECT count(*) > 0 FROM procrastinate_workers
    WHERE last_heartbeat > clock_timestamp() - make_interval(secs => :seconds)
""")


def checks(session: Session) -> dict[str, str]:
    """The state of each part that is needed: ``ok``, or what is wrong with it.

    ``database`` answers; ``migrations`` are all done; a ``worker`` gave a sign of life in the last minute.
    """
    found = {"database": "does not answer", "migrations": "unknown", "worker": "unknown"}
    try:
        current = migrate.is_current(session.connection())
        found["database"] = OK
        found["migrations"] = OK if current else "not all done: run `novaluna migrate`"
        alive = session.scalar(_WORKER, {"seconds": HEARTBEAT_SECONDS})
        found["worker"] = OK if alive else f"no sign of life in the last {HEARTBEAT_SECONDS} seconds"
    except SQLAlchemyError:
        session.rollback()
    return found
