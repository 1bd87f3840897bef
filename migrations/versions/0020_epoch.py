"""Add the epoch, a name for this history of the database, which a restore renews; and the epoch that a mail answers."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of one row, and add the column."""
    execute = op.get_bind().exec_driver_sql
    execute("CREATE TABLE epoch (one boolean PRIMARY KEY DEFAULT true CHECK (one), value text NOT NULL)")
    execute("INSERT INTO epoch (value) VALUES (left(replace(gen_random_uuid()::text, '-', ''), 8))")
    execute("ALTER TABLE incoming ADD COLUMN head text")
