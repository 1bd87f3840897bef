"""Whether what the service needs is there."""

from weakref import WeakSet

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from engine.saying import Said, said
from service.store import migrate

HEARTBEAT_SECONDS = 60

OK = Said("ok")

_WORKER = text("""
    SELECT count(*) > 0 FROM procrastinate_workers
    WHERE last_heartbeat > clock_timestamp() - make_interval(secs => :seconds)
""")

_SCHEMA = {
    migrate.CURRENT: OK,
    migrate.BEHIND: Said("not all done: run `novaluna migrate`"),
    migrate.AHEAD: Said("done by a later version of the service, which is to be started in place of this one"),
}

#: Databases that had this version's schema when they were looked at.
_met: WeakSet[Engine] = WeakSet()


def checks(session: Session) -> dict[str, Said]:
    """The state of each part that is needed: ``ok``, or what is wrong with it.

    ``database`` answers; ``migrations`` are all done (later ones than this version's only since it was ready); a ``worker`` gave a sign of life in the last minute.
    """
    found = {"database": Said("does not answer"), "migrations": Said("unknown"), "worker": Said("unknown")}
    try:
        schema = _schema(session.connection())
        found["database"] = OK
        found["migrations"] = _SCHEMA[schema]
        alive = session.scalar(_WORKER, {"seconds": HEARTBEAT_SECONDS})
        found["worker"] = (
            OK if alive else said("no sign of life in the last %(seconds)s seconds", seconds=HEARTBEAT_SECONDS)
        )
    except SQLAlchemyError:
        session.rollback()
    return found


def _schema(connection: Connection) -> str:
    """How the schema stands to this program. While the next release takes over, its migrations are done before its
    processes run, and they leave the schema fit for the ones that run still: those go on. None starts on it anew."""
    state = migrate.state(connection)
    if state == migrate.CURRENT:
        _met.add(connection.engine)
    return migrate.CURRENT if state == migrate.AHEAD and connection.engine in _met else state
