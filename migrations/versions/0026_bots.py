"""Let bots have seats, and have the games looked at in which the previous release makes a move.

The previous release can keep running: it never gives a bot's seat away, since that is taken. It queues no bot's move,
so a trigger sets the time at which the worker looks at a game to which it has added an entry, or which it has started.
If this is interrupted, it can be run again.
"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

SEATS = """
ALTER TABLE seats ALTER COLUMN account DROP NOT NULL;
ALTER TABLE seats ADD COLUMN IF NOT EXISTS bot text;
ALTER TABLE seats DROP CONSTRAINT IF EXISTS seats_account_or_bot;
ALTER TABLE seats ADD CONSTRAINT seats_account_or_bot CHECK ((account IS NULL) <> (bot IS NULL)) NOT VALID;
"""

PROGRESS = """
CREATE OR REPLACE FUNCTION look_at_entry_of_previous_release() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE progress SET clock_due_at = NEW.last_at WHERE game = NEW.game;
    RETURN NULL;
END;
$$;
DROP TRIGGER IF EXISTS started_by_previous_release ON progress;
CREATE TRIGGER started_by_previous_release AFTER INSERT ON progress
    FOR EACH ROW WHEN (NEW.status = 'running' AND NEW.clock_seq IS NULL)
    EXECUTE FUNCTION look_at_entry_of_previous_release();
DROP TRIGGER IF EXISTS entry_of_previous_release ON progress;
CREATE TRIGGER entry_of_previous_release AFTER UPDATE OF version ON progress
    FOR EACH ROW WHEN (NEW.status = 'running' AND NEW.clock_seq IS DISTINCT FROM NEW.version)
    EXECUTE FUNCTION look_at_entry_of_previous_release();
"""
"""This release sets `clock_seq` to the version whenever it writes an entry."""


def upgrade() -> None:
    """Add the column, the constraint, which is validated without blocking the table, and the triggers."""
    for statements in (PROGRESS, SEATS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        op.execute("ALTER TABLE seats VALIDATE CONSTRAINT seats_account_or_bot")
