"""Stop new jobs from notifying within the transaction that defers them.

The job queue's trigger did that, and NOTIFY holds one lock for the whole server until its transaction is on disk: every
move in the world waited for every other. Now the process that defers a job wakes the worker after the commit
(`service.store.waking`). The trigger that tells a running job to abort stays; no move fires it.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Disable the trigger; it stays in the schema, since later versions of the queue expect it."""
    op.execute("ALTER TABLE procrastinate_jobs DISABLE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1")
