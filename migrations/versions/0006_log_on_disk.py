"""How the log lies on the disk. Nothing is rewritten: this counts for what is written from now on.

Its index holds all that a replay needs, and answers alone where the pages of the table are known to be visible to all.
VACUUM gets to know that. By default it comes when a fifth of the table is new, which for a large log is weeks: so now it
comes after some thousand moves, looks at the new pages only, and is done at once.

No entry is ever changed, so a rebuilt index needs no room on its pages.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Sets storage parameters; moves go on meanwhile."""
    op.execute(
        "ALTER TABLE log SET (autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0)"
    )
    op.execute("ALTER INDEX log_pkey SET (fillfactor = 100)")
