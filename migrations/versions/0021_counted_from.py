"""From where messages at tables are counted: a new epoch leaps ahead, so that no number names two of them."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the release before this one counts on from what is there."""
    op.get_bind().exec_driver_sql("ALTER TABLE epoch ADD COLUMN counted_from integer NOT NULL DEFAULT 0")
