"""Split the table `log` into partitions by hash of game, once its vacuum or reindexing takes too long as a whole.

No statement of the service changes: each names one game, and Postgres looks only into that game's partition. The new
table has the constraints, triggers and storage parameters that the migrations gave the former one.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from sqlalchemy import Connection, NullPool, create_engine, text

from service.config import Settings
from service.store import rights
from service.store.base import engine_url
from service.store.connecting import OWNER, connect_args

FEWEST, MOST = 2, 256
"""The numbers of partitions that a log may have."""

FORMER = "log_before"
"""The name of the whole log afterwards, until its owner drops it."""

_INSERTS, _FEWEST_INSERTS = 10_000, 500
"""The new entries after which a whole log is vacuumed, shared among its partitions, and the fewest for one of them.

Vacuum is what lets a game's log be read from the index alone.
"""

_BEGIN = f"""
LOCK TABLE log IN ACCESS EXCLUSIVE MODE;
ALTER TABLE log RENAME TO {FORMER};
ALTER INDEX log_pkey RENAME TO {FORMER}_pkey;
CREATE TABLE log (LIKE {FORMER} INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY HASH (game);
"""

_PARTITION = """
CREATE TABLE log_{number} PARTITION OF log FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})
  WITH (autovacuum_vacuum_insert_threshold = {inserts}, autovacuum_vacuum_insert_scale_factor = 0);
"""

_COPY = f"""
INSERT INTO log (game, seq, at, seat, by, move, hash) SELECT game, seq, at, seat, by, move, hash FROM {FORMER}
"""

_COUNTS = f"SELECT (SELECT count(*) FROM log), (SELECT count(*) FROM {FORMER})"

# Made once the rows are there, which takes less time than to keep them up with each row.
_END = """
ALTER TABLE log ADD CONSTRAINT log_pkey PRIMARY KEY (game, seq) INCLUDE (at, seat, by, move) WITH (fillfactor = 100);
ALTER TABLE log ADD CONSTRAINT log_game_fkey FOREIGN KEY (game) REFERENCES setups (game);
CREATE TRIGGER event_of_entry AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION event_of_entry();
"""

# For each partition too: a statement that names a partition fires no statement trigger of the whole table.
_APPEND_ONLY = """
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only_truncate;
"""

_STATE = text("""
    SELECT relkind = 'p', to_regclass(:former) IS NOT NULL FROM pg_class WHERE oid = to_regclass('log')
""")


_RUNNING = text("""
    SELECT DISTINCT substr(application_name, 10) AS part FROM pg_stat_activity
     WHERE datname = current_database()
       AND application_name IN ('novaluna web', 'novaluna worker', 'novaluna queue', 'novaluna mailin')
     ORDER BY part
""")


class PartitionError(Exception):
    """The log cannot be split; the text says why."""


class Split(NamedTuple):
    """A log that was split: its entries, and the seconds that it took."""

    entries: int
    seconds: float


def split(owner_url: str, service_url: str, partitions: int) -> Split:
    """Copy the log into a table with a number of partitions, in one transaction; the former table becomes `FORMER`.

    Nobody can read or write the log meanwhile, so the service must be stopped. Afterwards the service's role has no
    right to the former table, nor to a partition by its name.

    Args:
        owner_url: the database, as the role that owns its tables. Not through a pooler.
        service_url: the database, as the role that the service uses.
        partitions: how many partitions, `FEWEST` to `MOST`.

    Raises:
        PartitionError: the service is running, the log is in partitions already, the former table of an earlier time is
            still there, or not all entries arrived; nothing was changed.
    """
    begun = time.monotonic()
    arguments = connect_args(Settings(database_url=owner_url, secret_keys=()), OWNER, "novaluna partition-log")
    engine = create_engine(engine_url(owner_url), poolclass=NullPool, connect_args=arguments)
    with engine.begin() as connection:
        _check(connection)
        _run(connection, _BEGIN)
        inserts = max(_INSERTS // partitions, _FEWEST_INSERTS)
        for number in range(partitions):
            _run(connection, _PARTITION.format(number=number, partitions=partitions, inserts=inserts))
        entries = connection.execute(text(_COPY)).rowcount
        if tuple(connection.execute(text(_COUNTS)).one()) != (entries, entries):
            raise PartitionError("Not all entries arrived in the partitions, so nothing was changed.")
        _run(connection, _END)
        for table in ("log", *(f"log_{number}" for number in range(partitions))):
            _run(connection, _APPEND_ONLY.format(table=table))
        rights.grant(connection, service_url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        _run(connection, "VACUUM (ANALYZE) log")  # until then no log is read from the index alone
    return Split(entries, time.monotonic() - begun)


def _check(connection: Connection) -> None:
    row = connection.execute(_STATE, {"former": FORMER}).one_or_none()
    if row is None:
        raise PartitionError("This database has no tables of the service.")
    if row[0]:
        raise PartitionError("The log is in partitions already, and their number can't be changed.")
    if row[1]:
        raise PartitionError(f"There is a table {FORMER} already. Drop it if nothing in it is needed any more.")
    if running := connection.scalars(_RUNNING).all():
        raise PartitionError(
            f"The service is running ({', '.join(running)}), and could not use the log meanwhile. Stop it first."
        )


def _run(connection: Connection, statements: str) -> None:
    connection.exec_driver_sql(statements, execution_options={"no_parameters": True})
