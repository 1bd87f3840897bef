"""Store the move that a mail agrees to: the number of the choice, times 256, plus the index of the open cell.

It is null for all other mails. The previous release can keep running: it treats such a mail as any answer to that
table.
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.get_bind().exec_driver_sql("ALTER TABLE incoming ADD COLUMN reading smallint")
