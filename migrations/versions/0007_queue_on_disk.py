"""Vacuum the queue after some thousand jobs instead of after a fifth of the jobs of an hour has changed.

A job is looked up at the front of an index, where those that have just been done still lie.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Set storage parameters; jobs are taken and added meanwhile."""
    op.execute(
        "ALTER TABLE procrastinate_jobs SET (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0)"
    )
