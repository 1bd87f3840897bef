"""Explain database errors in words: no answer, a full disk, read-only, a refused connection."""

from __future__ import annotations

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.phrases import Phrase

SILENT = Phrase("does not answer")
FULL = Phrase("its disk is full")

_POOLER = Phrase(
    "is behind a connection pooler that the settings do not mention: set NOVALUNA_DATABASE_POOLER=transaction"
)
_POOLER_IN_COMMANDS = (
    "is behind a connection pooler: lead to Postgres itself by NOVALUNA_OWNER_URL, and set"
    " NOVALUNA_DATABASE_POOLER=transaction"
)
# In the output of commands, which log nothing; the causes are described for whoever runs the command.
_BY_STATE_IN_COMMANDS = {
    "42P01": "has not the schema of this version: run novaluna migrate",
    "42703": "has not the schema of this version: run novaluna migrate",
    "42501": "does not let this role do that: lead NOVALUNA_OWNER_URL to it, as the role that owns the tables",
}
_WRONG_IN_COMMANDS = "answers with an error"
_BUSY = Phrase("takes no more connections, or all that the service may have are in use")
_REFUSED = Phrase("refuses the role or its password in DATABASE_URL")
_NO_DATABASE = Phrase("is not the one that DATABASE_URL names: there is no such database")
_CHANGING = Phrase("is starting or stopping")
READ_ONLY = Phrase("is read-only")
_SLOW = Phrase("takes too long")
_WRONG = Phrase("answers with an error, which the log tells")

# Causes by the beginning of the SQLSTATE; the longest match counts.
_BY_STATE = {
    "08": SILENT,
    "08P01": _POOLER,  # a start-up option that the pooler does not know
    "25006": READ_ONLY,
    "25P": _SLOW,
    "26000": _POOLER,  # a prepared statement of another connection
    "28": _REFUSED,
    "3D": _NO_DATABASE,
    "42P05": _POOLER,
    "53": FULL,
    "53200": Phrase("has no memory left"),
    "53300": _BUSY,
    "55": _SLOW,
    "57": _CHANGING,
    "57014": _SLOW,
    "58": FULL,
}

# Causes by words: libpq reports no SQLSTATE for a refused connection, only the English message of Postgres.
_BY_WORDS = (
    ("unsupported startup parameter", _POOLER),
    ("password authentication failed", _REFUSED),
    ("no password supplied", _REFUSED),
    ("no pg_hba.conf entry", _REFUSED),
    ("Peer authentication failed", _REFUSED),
    ("role ", _REFUSED),
    ("database ", _NO_DATABASE),
    ("too many clients", _BUSY),
    ("too many connections", _BUSY),
    ("remaining connection slots", _BUSY),
    ("the database system is", _CHANGING),
    ("No space left", FULL),
)


def cause(error: BaseException) -> Phrase:
    """Return a database error's cause as the end of a sentence: `does not answer`."""
    if isinstance(error, PoolTimeout):
        return _BUSY
    found: BaseException | None = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(found, psycopg.Error) and found.__cause__ is not None and found.sqlstate is None:
        found = found.__cause__  # the stored error of an earlier attempt
    if not isinstance(found, psycopg.Error):
        return SILENT
    if found.sqlstate:
        return _by_state(found.sqlstate)
    words = str(found)
    return next(
        (said for part, said in _BY_WORDS if f"FATAL:  {part}" in words or (part[0].isupper() and part in words)),
        SILENT,
    )


def describe(error: BaseException) -> str:
    """Return the cause in English for a command's output, with the first line of the database's own message."""
    found = error.orig if isinstance(error, DBAPIError) else error
    said = cause(error)
    why = _BY_STATE_IN_COMMANDS.get(getattr(found, "sqlstate", None) or "", str(said))
    if said == _POOLER:
        why = _POOLER_IN_COMMANDS
    elif why == str(_WRONG):
        why = _WRONG_IN_COMMANDS
    first = next(iter(str(found).splitlines()), type(found).__name__)
    return f"{'' if said == FULL else 'it '}{why} ({first})"


def _by_state(sqlstate: str) -> Phrase:
    fitting = [start for start in _BY_STATE if sqlstate.startswith(start)]
    return _BY_STATE[max(fitting, key=len)] if fitting else _WRONG
