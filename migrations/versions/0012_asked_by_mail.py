"""Store what a stranger's mail asked for with the code that is mailed back, to be done once the address is confirmed.

The column has no default, so no row is rewritten. The previous release can keep running: it does not know the column.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.get_bind().exec_driver_sql("ALTER TABLE codes ADD COLUMN asked jsonb")
