"""Add the number of an account's latest calendar link, by which renewing it makes the earlier ones invalid."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Its default is a constant, so no row is rewritten; the previous release does not know it."""
    op.execute("ALTER TABLE accounts ADD COLUMN calendar_link integer NOT NULL DEFAULT 0")
