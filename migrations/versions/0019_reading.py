"""The move that a mail agrees to: the number of the choice, times 256, and the place of the cell among the open ones.

It is empty for all other mails. The release before this one may run on: it takes such a mail for any answer to that table.
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.get_bind().exec_driver_sql("ALTER TABLE incoming ADD COLUMN reading smallint")
