"""Since when the mail server has taken no mail, as the workers found it; no row or no time: it takes them."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of at most one row."""
    op.get_bind().exec_driver_sql(
        "CREATE TABLE relay_state (one boolean PRIMARY KEY DEFAULT true CHECK (one), failing_since timestamptz)"
    )
