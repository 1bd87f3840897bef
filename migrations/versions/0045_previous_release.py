"""Keep release 0.2.0 from what it cannot do while it runs beside this one: starting a game with a clock, and new jobs.

It knows no clock, so it would start such a game without the entry that has the clock's settings, and the record would
be invalid from the next step of the clock on. A constraint refuses the start at the commit, with an SQLSTATE that is
answered with 503, and a repeated request succeeds at a process of this release. Its workers claim jobs by the function
of procrastinate, which this release does not call, and end a job whose task they don't know for good: they get none.

If this is interrupted, it can be run again.
"""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

STARTS = """
CREATE OR REPLACE FUNCTION require_clock_in_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tables
         WHERE key = NEW.game AND clock IS NOT NULL
           AND NOT EXISTS (SELECT FROM log WHERE game = NEW.game AND seq = 1 AND move = 'mark clock ' || tables.clock)
    ) THEN
        RAISE EXCEPTION 'game % has a clock, and its log does not begin with that', NEW.game
              USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN NULL;
END;
$$;
DROP TRIGGER IF EXISTS clock_in_log ON setups;
CREATE CONSTRAINT TRIGGER clock_in_log AFTER INSERT ON setups DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION require_clock_in_log();
"""

JOBS = """
CREATE OR REPLACE FUNCTION procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint)
    RETURNS procrastinate_jobs LANGUAGE plpgsql AS $$
DECLARE
    found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
          FROM procrastinate_jobs AS jobs
         WHERE NOT EXISTS (
                   SELECT FROM procrastinate_jobs AS other_jobs
                    WHERE jobs.lock IS NOT NULL AND other_jobs.lock = jobs.lock
                      AND (other_jobs.status = 'doing'
                           OR (other_jobs.status = 'todo'
                               AND (other_jobs.priority > jobs.priority
                                    OR (other_jobs.priority = jobs.priority AND other_jobs.id < jobs.id))))
               )
           AND jobs.status = 'todo'
           AND (target_queue_names IS NULL OR jobs.queue_name = ANY (target_queue_names))
           AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
           -- all tasks of release 0.2.0
           AND jobs.task_name IN (
                   'mail_turn', 'mail_end', 'mail_closed', 'mail_talk', 'mail_invitation', 'mail_code', 'mail_about',
                   'mail_address_changed', 'mail_digest', 'mail_answer', 'forget_mail', 'take_in', 'call_for_digests',
                   'close_old_tables', 'purge', 'purge_jobs', 'take_up_stalled_jobs'
               )
         ORDER BY jobs.priority DESC, jobs.id LIMIT 1
           FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
       SET status = 'doing', worker_id = p_worker_id
      FROM candidate
     WHERE procrastinate_jobs.id = candidate.id
    RETURNING procrastinate_jobs.* INTO found_jobs;
    RETURN found_jobs;
END;
$$;
"""


def upgrade() -> None:
    """Add the constraint, and replace the function by which the previous release claims jobs."""
    for statements in (STARTS, JOBS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
