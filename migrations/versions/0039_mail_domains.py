"""Limit mails by the domain that they go to: a row for each domain, and jobs that are held until it may have more.

A held job is one of the queue like any other, with the lowest priority; only the claims that ask for held jobs take it.
When it goes back to the queue for another reason, it is held no longer, whoever puts it back. The indexes are partial,
so that queueing a mail touches none of them.

The previous release can keep running: its workers send held mails too, after all others and without limits.
"""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

TABLE = """
CREATE TABLE IF NOT EXISTS mail_domains (
    key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    domain text COLLATE "C" NOT NULL UNIQUE,
    next_at timestamptz NOT NULL DEFAULT '-infinity',      -- no mail before that, as there were others
    pace interval NOT NULL DEFAULT '0',                    -- the time that each mail adds to it
    at_once integer,                                       -- the most mails at the same time; null: any number
    held boolean NOT NULL DEFAULT false,                   -- whether there may be held jobs
    failures integer NOT NULL DEFAULT 0,                   -- in a row, of which each makes the pause longer
    failed_at timestamptz,
    paused_until timestamptz NOT NULL DEFAULT '-infinity'  -- no mail before that, as the domain has had enough
) WITH (fillfactor = 50);
CREATE INDEX IF NOT EXISTS mail_domains_held ON mail_domains (key) WHERE held;
ALTER TABLE procrastinate_jobs ADD COLUMN IF NOT EXISTS held_for integer;
"""

FUNCTIONS = """
CREATE OR REPLACE FUNCTION mail_domain_has_room(domain mail_domains) RETURNS boolean LANGUAGE sql AS $$
    SELECT domain.next_at <= clock_timestamp() AND domain.paused_until <= clock_timestamp()
           AND (domain.at_once IS NULL OR domain.at_once > (
               SELECT count(*) FROM procrastinate_jobs WHERE held_for = domain.key AND status = 'doing'))
$$;

CREATE OR REPLACE FUNCTION count_mail(of_domain integer) RETURNS void LANGUAGE sql AS $$
    UPDATE mail_domains  -- half a second's mails may go at once; a domain that fails gets one to try it with
       SET next_at = greatest(next_at, clock_timestamp() - greatest(interval '0.5 s' - pace, '0')) + pace,
           paused_until = CASE failures WHEN 0 THEN paused_until ELSE clock_timestamp() + interval '30 s' END
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
        SELECT FROM procrastinate_jobs WHERE held_for = found.key AND status = 'todo');
    IF admitted THEN
        PERFORM count_mail(found.key);
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
        UPDATE procrastinate_jobs SET status = 'doing', worker_id = by_worker
         WHERE id = (SELECT id FROM procrastinate_jobs WHERE held_for = found.key AND status = 'todo'
                      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id INTO job;
        IF job IS NOT NULL THEN
            PERFORM count_mail(found.key);
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

CREATE OR REPLACE FUNCTION hold_no_longer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.held_for := NULL;
    NEW.priority := 0;
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER hold_no_longer BEFORE UPDATE OF status ON procrastinate_jobs FOR EACH ROW
    WHEN (NEW.status = 'todo' AND OLD.status <> 'todo' AND NEW.held_for = OLD.held_for)
    EXECUTE FUNCTION hold_no_longer();
"""

_INDEXES = {
    "procrastinate_jobs_scheduled": "(scheduled_at) WHERE status = 'todo' AND scheduled_at IS NOT NULL"
    " AND held_for IS NULL",
    "procrastinate_jobs_put_back": "(id) WHERE status = 'todo' AND scheduled_at IS NULL AND held_for IS NULL"
    " AND priority < 0",
    "procrastinate_jobs_of_queue": "(queue_name, priority DESC, id) WHERE status = 'todo' AND queue_name <> 'default'",
    "procrastinate_jobs_held": "(held_for, id) WHERE status = 'todo' AND held_for IS NOT NULL",
    "procrastinate_jobs_admitted": "(held_for) WHERE status = 'doing' AND held_for IS NOT NULL",
}


def upgrade() -> None:
    """Add the table, the column and the functions, and build the indexes without locking the queue."""
    for statements in (TABLE, FUNCTIONS):
        op.get_bind().exec_driver_sql(statements, execution_options={"no_parameters": True})
    with op.get_context().autocommit_block():
        for name, columns in _INDEXES.items():
            op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")  # a failed attempt left it incomplete
            op.execute(f"CREATE INDEX CONCURRENTLY {name} ON procrastinate_jobs {columns}")
