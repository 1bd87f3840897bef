"""Index invitation links by who made them and by when they expire, as they are limited and deleted.

The previous release can keep running: it deletes no links, and limits those of a table.
"""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_INDEXES = {
    "invitation_links_made_by": "invitation_links (made_by, expires_at)",
    "invitation_links_expiring": "invitation_links (expires_at)",
}


def upgrade() -> None:
    """Build the indexes without locking their table."""
    with op.get_context().autocommit_block():
        for name, columns in _INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # a failed attempt left it incomplete
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON {columns}")
