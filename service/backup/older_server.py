"""Restore a backup into a Postgres that is older than the programs, such as that of a Linux distribution.

pg_restore sets `transaction_timeout` at its beginning, which servers before version 17 do not know. So it prints its
statements, and psql runs them without that line, in one transaction that ends only if pg_restore has succeeded.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from service.backup.postgres_tools import Feed, PostgresTools

FIRST = 170000
"""The first version of a server that knows the setting."""

_UNKNOWN = b"SET transaction_timeout = 0;\n"
_PSQL = ("psql", "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file=-")


def restore(tools: PostgresTools, options: Sequence[str], feed: Callable[[Feed], None]) -> None:
    """Restore a backup.

    Args:
        tools: the Postgres tools, connected as the future owner of the tables.
        options: the options of pg_restore about what it restores.
        feed: writes the whole backup.

    Raises:
        BackupError: a program failed; nothing was restored.
    """
    with tools.running([*_PSQL, tools.database], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as psql:
        assert psql.stdin is not None
        into = Feed(psql.stdin)
        try:
            into.write(b"BEGIN;\n")
            _copy(tools, options, feed, into)
            into.write(b"COMMIT;\n")
        finally:
            into.close()


def _copy(tools: PostgresTools, options: Sequence[str], feed: Callable[[Feed], None], into: Feed) -> None:
    """Copy the statements of a backup to psql, but the one that an older server does not know."""
    argv = ["pg_restore", *options, "--file=-"]
    with (
        ThreadPoolExecutor(1) as feeder,
        tools.running(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None and process.stdout is not None
        source = Feed(process.stdin)

        def give() -> None:
            try:
                feed(source)
            finally:
                source.close()

        given = feeder.submit(give)
        is_head = True
        for line in process.stdout:
            is_head = is_head and not line.startswith(b"CREATE ")
            if not (is_head and line == _UNKNOWN):
                into.write(line)
        given.result()
