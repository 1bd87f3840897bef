"""Add what limits how many streams and downloads somebody has at a time, with all processes together.

The previous release can keep running: its processes count by themselves, and know nothing of these tables.
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None

TABLES = """
CREATE UNLOGGED TABLE slot_processes (
    id text COLLATE "C" PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
CREATE INDEX slot_processes_seen ON slot_processes (seen_at);
CREATE UNLOGGED TABLE slots (
    key text COLLATE "C",
    process text COLLATE "C" REFERENCES slot_processes ON DELETE CASCADE,
    amount integer NOT NULL,
    PRIMARY KEY (key, process)
);
CREATE INDEX slots_of_process ON slots (process);
"""
"""Not logged: after a crash of Postgres the tables are empty, and each process adds again what it has."""

TAKE = """
CREATE FUNCTION take_slot(of_key text, by_process text, most integer, within interval)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    taken bigint;
BEGIN
    IF most > 0 THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('slot ' || of_key, 0));
        SELECT sum(amount) INTO taken FROM slots JOIN slot_processes ON id = process
         WHERE key = of_key AND seen_at > clock_timestamp() - within;
        IF taken >= most THEN
            RETURN false;
        END IF;
    END IF;
    INSERT INTO slots AS own (key, process, amount) VALUES (of_key, by_process, 1)
        ON CONFLICT (key, process) DO UPDATE SET amount = own.amount + 1;
    RETURN true;
END;
$$;
"""
"""Each statement of a function sees what was committed before it, so what another process took before it gave the lock
back is counted."""


def upgrade() -> None:
    """Add the tables and the function."""
    for statements in (TABLES, TAKE):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
