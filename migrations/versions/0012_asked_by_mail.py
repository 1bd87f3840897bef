"""What a stranger's mail asked for, kept with the code that is mailed back, to be done once the address is proved.

The column has no default, so no row is rewritten. The release before this one may run on: it does not know it.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.get_bind().exec_driver_sql("ALTER TABLE codes ADD COLUMN asked jsonb")
