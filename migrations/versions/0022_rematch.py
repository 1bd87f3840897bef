"""Add the table of a game's rematch, so that all who ask for one get the same, and an index to find it from there.

The index is built without locking the table; if it is interrupted, it can be run again.
"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the index. The previous release does not know them, and lets nobody ask for a rematch."""
    op.execute('ALTER TABLE tables ADD COLUMN IF NOT EXISTS rematch text COLLATE "C"')
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS tables_rematch")
        op.execute("CREATE INDEX CONCURRENTLY tables_rematch ON tables (rematch) WHERE rematch IS NOT NULL")
