"""Add an index of the tables that somebody created and that have not started, for limits and lists.

It keeps one creator from filling the lists. It is built without locking the table; if it is interrupted, it can be run
again.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the index."""
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS tables_of_maker")
        op.execute(
            "CREATE INDEX CONCURRENTLY tables_of_maker ON tables (maker, status, key)"
            " WHERE status IN ('open', 'closed')"
        )
