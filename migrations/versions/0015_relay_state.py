"""Add the time since which the mail server has accepted no mail; no row or no time: it accepts mail."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, which has at most one row."""
    op.get_bind().exec_driver_sql(
        "CREATE TABLE relay_state (one boolean PRIMARY KEY DEFAULT true CHECK (one), failing_since timestamptz)"
    )
