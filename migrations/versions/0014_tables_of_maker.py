"""An index of the tables that somebody made and that have not started, for bounds and for lists that one maker can't fill.

Built without locking the table; whatever ends it halfway, it can be run again.
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Builds the index."""
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS tables_of_maker")
        op.execute(
            "CREATE INDEX CONCURRENTLY tables_of_maker ON tables (maker, status, key)"
            " WHERE status IN ('open', 'closed')"
        )
