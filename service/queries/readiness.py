"""Check that everything the service needs is available."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, Thread
from weakref import WeakKeyDictionary

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from engine.phrases import Phrase, phrase
from engine.record import stamp
from service.config import Settings
from service.queries import database_state
from service.store import disk_space, migrate, relay_state, timeouts
from service.store.base import engine_url
from service.store.connecting import WEB, connect_args

HEARTBEAT_SECONDS = 60

RELAY_SECONDS = 20.0
"""Seconds that the mail server may accept nothing before that is reported; one refusal may be about a single mail."""

_CHECKED_EVERY = 5.0
"""Seconds between two checks of the disk space, which cost more than the others, and which anybody can request."""

_NOTED_EVERY = 10.0
"""Seconds between two tries to note the schema that a process found."""

OK = Phrase("ok")
_UNKNOWN = Phrase("unknown")

_WORKER = text("""
    SELECT count(*) > 0 FROM procrastinate_workers
    WHERE last_heartbeat > clock_timestamp() - make_interval(secs => :seconds)
""")

_IS_READ_ONLY = text("SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'")

_SCHEMA = {
    migrate.CURRENT: OK,
    migrate.BEHIND: Phrase("not all done: run `novaluna migrate`"),
    migrate.AHEAD: Phrase("done by a later version of the service, which is to be started in place of this one"),
}

# The databases that this process saw with this version's schema, and when the disk of each was last seen to have room.
_met: set[URL] = set()
_had_room: WeakKeyDictionary[Engine, float] = WeakKeyDictionary()
_lock = Lock()


def checks(session: Session) -> dict[str, Phrase]:
    """Return the state of each part that the service needs: `ok`, or what is wrong with it.

    `database` answers, accepts writes and has room for them; `migrations` are complete (or newer than this version, but
    only after it was ready); a `worker` was alive in the last minute; the `mail` server accepts mail.
    """
    found = web_server_checks(session) | {"worker": _UNKNOWN, "mail": _UNKNOWN}
    if found["database"] != OK:
        return found
    try:
        connection = session.connection()
        alive = session.scalar(_WORKER, {"seconds": HEARTBEAT_SECONDS})
        found["worker"] = (
            OK if alive else phrase("no sign of life in the last %(seconds)s seconds", seconds=HEARTBEAT_SECONDS)
        )
        if found["migrations"] == _SCHEMA[migrate.BEHIND]:
            return found
        found["mail"] = _mail(connection)
        _look_for_room(connection)
    except SQLAlchemyError as error:
        found["database"] = database_state.cause(error)
        session.rollback()
    return found


def note_schema(settings: Settings) -> None:
    """Start a thread that notes the schema that a process finds when it starts, even if nobody asks for readiness.

    It tries until the database answers with a schema that is complete, or is that of a later version.
    """
    Thread(target=_note, args=(settings,), name="schema", daemon=True).start()


def _note(settings: Settings, pause: Callable[[float], None] = time.sleep) -> None:
    told = connect_args(settings, WEB, "novaluna schema")
    engine = create_engine(engine_url(settings.database_url), poolclass=NullPool, connect_args=told)
    timeouts.bind(engine, WEB, timeouts.Circuit())
    state = migrate.BEHIND
    while state == migrate.BEHIND:
        try:
            with engine.connect() as connection:
                state = _schema(connection)
        except SQLAlchemyError:
            pass  # `checks` says so
        if state == migrate.BEHIND:
            pause(_NOTED_EVERY)


def web_server_checks(session: Session) -> dict[str, Phrase]:
    """Return the state of what a web server needs by itself: its way to the `database`, and the `migrations` there."""
    try:
        connection = session.connection()
        schema, is_read_only = _schema(connection), connection.scalar(_IS_READ_ONLY)
    except SQLAlchemyError as error:
        session.rollback()
        return {"database": database_state.cause(error), "migrations": _UNKNOWN}
    return {"database": database_state.READ_ONLY if is_read_only else OK, "migrations": _SCHEMA[schema]}


def _mail(connection: Connection) -> Phrase:
    since = relay_state.failing_since(connection, RELAY_SECONDS)
    return OK if since is None else phrase("the mail server has taken no mail since %(time)s", time=stamp(since))


def _look_for_room(connection: Connection) -> None:
    now = time.monotonic()
    with _lock:
        if now - _had_room.get(connection.engine, -_CHECKED_EVERY) < _CHECKED_EVERY:
            return
    disk_space.check(connection)
    with _lock:
        _had_room[connection.engine] = now


def _schema(connection: Connection) -> str:
    """Return whether the schema fits this program, with the reason if it does not.

    During an upgrade the migrations of the next release run before its processes start. They leave the schema fit for
    the processes that are still running, so those continue. A process that starts later does not accept such a schema.
    """
    state = migrate.state(connection)
    if state == migrate.CURRENT:
        _met.add(connection.engine.url)
    return migrate.CURRENT if state == migrate.AHEAD and connection.engine.url in _met else state
