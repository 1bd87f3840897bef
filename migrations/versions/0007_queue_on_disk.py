"""VACUUM comes to the queue after some thousand jobs, not when a fifth of what is kept of an hour has changed.

Each job is looked for at the front of an index in which those that were done a moment ago still lie.
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Sets storage parameters; jobs are taken and put meanwhile."""
    op.execute(
        "ALTER TABLE procrastinate_jobs SET (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0)"
    )
