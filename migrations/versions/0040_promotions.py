"""Store the timeline of the epoch, so that a server which has taken over is noticed; revisions go on behind lost ones.

The previous release can keep running: it does not read the column, and its own `novaluna new-epoch` leaves it as it is.
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

COLUMN = """
ALTER TABLE epoch ADD COLUMN timeline text;  -- of the primary that the epoch was last seen on
UPDATE epoch SET timeline = left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
"""

FUNCTION = """
CREATE OR REPLACE FUNCTION event_of_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tables SET revision = greatest(revision, (SELECT counted_from FROM epoch)) + 1 WHERE key = NEW.game;
    INSERT INTO new_events (game, kind, number, seat, at)
    VALUES (NEW.game, 'message', NEW.number,
            (SELECT seat FROM seats WHERE game = NEW.game AND account = NEW.account), NEW.at);
    RETURN NULL;
END;
$$;
"""


def upgrade() -> None:
    """Add the column, and have messages count on behind what was lost."""
    for statements in (COLUMN, FUNCTION):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
