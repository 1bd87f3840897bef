"""Say in a sentence what is wrong with the database that a command uses, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.queries.database_state import SILENT, cause, describe

FAILURES = (DBAPIError, PoolTimeout, psycopg.Error)
"""The errors of the database that a command may meet."""

_NOT_RUNNING = "; without DATABASE_URL, commands use the Postgres of `novaluna up`: start novaluna up first"


def sentence(error: BaseException, environ: Mapping[str, str]) -> str:
    """Return the sentence for one of the `FAILURES`.

    Args:
        error: the error.
        environ: the environment variables of the command.
    """
    missing = cause(error) == SILENT and not environ.get("DATABASE_URL")
    return f"the database can't be used: {describe(error)}{_NOT_RUNNING if missing else ''}"
