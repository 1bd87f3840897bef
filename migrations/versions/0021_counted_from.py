"""Store where the numbers of messages continue: a new epoch skips ahead, so that no number is used twice."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the previous release keeps counting from the existing messages."""
    op.get_bind().exec_driver_sql("ALTER TABLE epoch ADD COLUMN counted_from integer NOT NULL DEFAULT 0")
