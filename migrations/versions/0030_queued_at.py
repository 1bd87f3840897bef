"""Note in each job when it was queued, instead of adding an event for that.

A trigger of the job queue added the event, which took a move more time than all its indexes together. Only the age of
the oldest due job was read from these events. The events of jobs that are started and ended stay.
"""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

COLUMN = """
ALTER TABLE procrastinate_jobs ADD COLUMN IF NOT EXISTS queued_at timestamptz;
ALTER TABLE procrastinate_jobs ALTER COLUMN queued_at SET DEFAULT clock_timestamp();
ALTER TABLE procrastinate_jobs DISABLE TRIGGER procrastinate_trigger_status_events_insert_v1;
"""
"""Jobs of the previous release have the column too, by its default."""

WAITING = """
UPDATE procrastinate_jobs job SET queued_at = (SELECT min(at) FROM procrastinate_events WHERE job_id = job.id)
 WHERE status = 'todo' AND queued_at IS NULL
"""


def upgrade() -> None:
    """Add the column, fill it in for the jobs that are waiting, and disable the trigger, which stays in the schema."""
    op.get_bind().exec_driver_sql(COLUMN, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        op.execute(WAITING)
