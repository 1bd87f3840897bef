"""Index the jobs that nothing has put off, so that a claim of the next one passes no held mails.

Without it a claim from the beginning of the queue walks over all of them: with 140,000 held mails it took 0.1 s, and a
worker that finds nothing else to do makes one for each held mail that it sends.

The previous release can keep running: it has one index more.
"""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    with op.get_context().autocommit_block():
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS procrastinate_jobs_fresh")  # a failed attempt left it incomplete
        op.execute(
            "CREATE INDEX CONCURRENTLY procrastinate_jobs_fresh ON procrastinate_jobs (id)"
            " WHERE status = 'todo' AND priority = 0 AND scheduled_at IS NULL AND held_for IS NULL"
        )
