"""Claim a domain's held mails from where the last one was found, and count those on their way from the oldest one.

Mails that are gone leave entries in the indexes, which a claim from the beginning passes until Postgres has removed
them, and while a backup runs it removes none. Both positions are kept with the domain, whose row each claim writes
anyway.

The previous release can keep running: the functions have the same names and arguments. What its workers hold before the
position is found once there is none behind it.
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE mail_domains
    ADD COLUMN IF NOT EXISTS first_held bigint NOT NULL DEFAULT 0,    -- no held job has a lower id
    ADD COLUMN IF NOT EXISTS first_running bigint NOT NULL DEFAULT 0; -- no job that sends to the domain has a lower id
"""

FUNCTIONS = """
CREATE OR REPLACE FUNCTION mail_domain_has_room(domain mail_domains) RETURNS boolean LANGUAGE sql AS $$
    SELECT domain.next_at <= clock_timestamp() AND domain.paused_until <= clock_timestamp()
           AND (domain.at_once IS NULL OR domain.at_once > (
               SELECT count(*) FROM procrastinate_jobs
                WHERE held_for = domain.key AND status = 'doing' AND id >= domain.first_running))
$$;

CREATE OR REPLACE FUNCTION count_mail(of_domain integer, of_job bigint, was_held boolean) RETURNS void
    LANGUAGE sql AS $$
    UPDATE mail_domains  -- half a second's mails may go at once; a domain that fails gets one to try it with
       SET next_at = greatest(next_at, clock_timestamp() - greatest(interval '0.5 s' - pace, '0')) + pace,
           paused_until = CASE failures WHEN 0 THEN paused_until ELSE clock_timestamp() + interval '30 s' END,
           first_held = CASE WHEN was_held THEN of_job ELSE first_held END,
           first_running = CASE WHEN at_once IS NULL THEN least(first_running, of_job) ELSE least(of_job, (
               SELECT min(id) FROM procrastinate_jobs
                WHERE held_for = of_domain AND status = 'doing' AND id >= first_running)) END
     WHERE key = of_domain
$$;

CREATE OR REPLACE FUNCTION admit_mail(to_domain text, of_pace interval, most integer, of_job bigint, anyway boolean)
    RETURNS TABLE (domain_key integer, admitted boolean) ROWS 1 LANGUAGE plpgsql AS $$
DECLARE
    found mail_domains;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);  -- what a crash may lose is no more than a moment's count
    INSERT INTO mail_domains (domain, pace, at_once) VALUES (to_domain, of_pace, most) ON CONFLICT DO NOTHING;
    SELECT * FROM mail_domains WHERE domain = to_domain FOR UPDATE INTO found;
    IF (found.pace, found.at_once) IS DISTINCT FROM (of_pace, most) THEN
        UPDATE mail_domains SET pace = of_pace, at_once = most WHERE key = found.key RETURNING * INTO found;
    END IF;
    domain_key := found.key;
    admitted := anyway OR mail_domain_has_room(found) AND NOT EXISTS (
        SELECT FROM procrastinate_jobs WHERE held_for = found.key AND status = 'todo' AND id >= found.first_held);
    IF admitted THEN
        PERFORM count_mail(found.key, of_job, false);
    END IF;
    UPDATE procrastinate_jobs SET held_for = CASE WHEN admitted THEN found.key END WHERE id = of_job;
    RETURN NEXT;
END
$$;

CREATE OR REPLACE FUNCTION claim_held_mail(by_worker bigint)
    RETURNS TABLE (job bigint, to_domain text) ROWS 1 LANGUAGE plpgsql AS $$
DECLARE
    found mail_domains;
    seen integer[] := '{}';
BEGIN
    LOOP
        SELECT * FROM mail_domains
         WHERE held AND next_at <= clock_timestamp() AND paused_until <= clock_timestamp() AND key <> ALL (seen)
         ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED INTO found;
        IF found.key IS NULL THEN
            RETURN;
        END IF;
        seen := seen || found.key;
        CONTINUE WHEN NOT mail_domain_has_room(found);
        FOREACH found.first_held IN ARRAY ARRAY[found.first_held, 0] LOOP
            UPDATE procrastinate_jobs SET status = 'doing', worker_id = by_worker
             WHERE id = (SELECT id FROM procrastinate_jobs
                          WHERE held_for = found.key AND status = 'todo' AND id >= found.first_held
                          ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING id INTO job;
            EXIT WHEN job IS NOT NULL;
        END LOOP;
        IF job IS NOT NULL THEN
            PERFORM count_mail(found.key, job, true);
            to_domain := found.domain;
            RETURN NEXT;
            RETURN;
        END IF;
        UPDATE mail_domains SET held = EXISTS (
            SELECT FROM procrastinate_jobs WHERE held_for = found.key AND status = 'todo')
         WHERE key = found.key;
    END LOOP;
END
$$;

DROP FUNCTION IF EXISTS count_mail(integer);
"""


def upgrade() -> None:
    """Add the positions and the functions that use them, and an index that has the mails on their way in order."""
    for statements in (COLUMNS, FUNCTIONS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        op.execute(
            "DROP INDEX CONCURRENTLY IF EXISTS procrastinate_jobs_sending"
        )  # a failed attempt left it incomplete
        op.execute(
            "CREATE INDEX CONCURRENTLY procrastinate_jobs_sending ON procrastinate_jobs (held_for, id)"
            " WHERE status = 'doing' AND held_for IS NOT NULL"
        )
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS procrastinate_jobs_admitted")
