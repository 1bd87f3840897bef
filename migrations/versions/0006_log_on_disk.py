"""Set the storage of the log on disk; nothing is rewritten, so this applies to what is written from now on.

The log's index holds all that a replay needs, and suffices alone if the table's pages are known to be visible to all,
which VACUUM records. By default, VACUUM runs when a fifth of the table is new, which takes weeks for a large log. Now
it runs after some thousand moves, looks at the new pages only, and is done at once.

No entry is ever changed, so a rebuilt index needs no free space on its pages.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Set storage parameters; moves go on meanwhile."""
    op.execute(
        "ALTER TABLE log SET (autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0)"
    )
    op.execute("ALTER INDEX log_pkey SET (fillfactor = 100)")
