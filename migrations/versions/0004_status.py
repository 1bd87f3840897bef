"""Add the status of the game to tables and seats, so that every list is read from an index.

The status follows from `closed_at` and `progress`. Triggers maintain it, so the previous release, which does not know
it, can keep running. No row is rewritten here: the default is right for nearly all older rows, and the next migration
corrects the others.

Locks are taken in the order log, progress, tables, seats.
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE tables ADD COLUMN status text NOT NULL DEFAULT 'finished'
    CONSTRAINT tables_status CHECK (status IN ('open', 'running', 'finished', 'closed'));
ALTER TABLE tables ALTER COLUMN status SET DEFAULT 'open';
ALTER TABLE seats ADD COLUMN status text NOT NULL DEFAULT 'finished';
ALTER TABLE seats ADD COLUMN kind text NOT NULL DEFAULT 'match';
ALTER TABLE seats ALTER COLUMN status SET DEFAULT 'open';
"""

TRIGGERS = """
CREATE FUNCTION table_status_of_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tables SET status = NEW.status WHERE key = NEW.game;
    RETURN NULL;
END;
$$;
CREATE TRIGGER table_status_at_start AFTER INSERT ON progress
    FOR EACH ROW EXECUTE FUNCTION table_status_of_progress();
CREATE TRIGGER table_status_at_end AFTER UPDATE OF status ON progress
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION table_status_of_progress();

CREATE FUNCTION table_status_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.status := 'closed';
    RETURN NEW;
END;
$$;
CREATE TRIGGER table_status_closed BEFORE UPDATE OF closed_at ON tables
    FOR EACH ROW WHEN (NEW.closed_at IS NOT NULL) EXECUTE FUNCTION table_status_closed();

CREATE FUNCTION seat_status_of_table() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE seats SET status = NEW.status WHERE game = NEW.key;
    RETURN NULL;
END;
$$;
CREATE TRIGGER seat_status AFTER UPDATE ON tables
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION seat_status_of_table();

CREATE FUNCTION seat_of_table() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT tables.kind, tables.status INTO NEW.kind, NEW.status FROM tables WHERE tables.key = NEW.game;
    RETURN NEW;
END;
$$;
CREATE TRIGGER seat_of_table BEFORE INSERT ON seats FOR EACH ROW EXECUTE FUNCTION seat_of_table();
"""


def upgrade() -> None:
    """Add the columns, and the triggers that maintain them from now on."""
    for statements in (COLUMNS, TRIGGERS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
