"""Claim the next job for a worker, by statements that read a few rows however many jobs wait, and for whatever.

procrastinate's own statement looks through the jobs that wait for a later time, and through those of other queues.
Three kinds of jobs are found by an index each: those that may run now, in the order of priority and of queueing; those
whose time has come, which go first, as they have waited longer; and mails that are held until their domain may have
more (`service.store.mail_domains`). A job with a lock is passed over while another one with this lock runs.
"""

from __future__ import annotations

from typing import LiteralString

HELD = "held"
"""The name by which a worker asks for held mails; they are in the queues that they were put into."""

AGAIN, LOWEST = -1, -1000
"""The priorities of jobs that wait for a later time, and of held mails: neither is in the way of the others."""

_COLUMNS: LiteralString = """job.id, 'doing' AS status, job.task_name, job.priority, job.lock, job.queueing_lock,
           job.args, job.scheduled_at, job.queue_name, job.attempts, %(worker)s::bigint AS worker_id"""

_IS_FREE: LiteralString = """(waiting.lock IS NULL OR NOT EXISTS (
               SELECT FROM procrastinate_jobs AS running WHERE running.lock = waiting.lock AND running.status = 'doing'
           ))"""

_CLAIM: LiteralString = f"""
    UPDATE procrastinate_jobs AS job SET status = 'doing', worker_id = %(worker)s
      FROM claimed WHERE job.id = claimed.id
    RETURNING {_COLUMNS}
"""

ORDINARY: LiteralString = f"""
    WITH due AS MATERIALIZED (
        SELECT id FROM procrastinate_jobs AS waiting
         WHERE status = 'todo' AND held_for IS NULL AND scheduled_at <= clock_timestamp() AND {_IS_FREE}
         ORDER BY scheduled_at LIMIT 1 FOR UPDATE SKIP LOCKED
    ), urgent AS MATERIALIZED (
        SELECT id FROM procrastinate_jobs AS waiting
         WHERE status = 'todo' AND priority > 0 AND scheduled_at IS NULL AND held_for IS NULL AND {_IS_FREE}
           AND NOT EXISTS (SELECT FROM due)
         ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), fresh AS MATERIALIZED (
        SELECT id FROM procrastinate_jobs AS waiting
         WHERE status = 'todo' AND priority = 0 AND id >= %(begin)s AND scheduled_at IS NULL AND held_for IS NULL
           AND {_IS_FREE}
           AND NOT EXISTS (SELECT FROM due) AND NOT EXISTS (SELECT FROM urgent)
         ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), put_back AS MATERIALIZED (
        SELECT id FROM procrastinate_jobs AS waiting
         WHERE status = 'todo' AND priority < 0 AND scheduled_at IS NULL AND held_for IS NULL AND {_IS_FREE}
           AND NOT EXISTS (SELECT FROM due) AND NOT EXISTS (SELECT FROM urgent) AND NOT EXISTS (SELECT FROM fresh)
         ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), claimed AS (
        SELECT id FROM due UNION ALL SELECT id FROM urgent UNION ALL SELECT id FROM fresh
         UNION ALL SELECT id FROM put_back
    )
    {_CLAIM}
"""
"""The claim of a job of any queue; of those of the lowest urgency, one with the id `begin` or above."""

OF_QUEUES: LiteralString = f"""
    WITH claimed AS MATERIALIZED (
        SELECT id FROM procrastinate_jobs AS waiting
         WHERE status = 'todo' AND queue_name <> 'default' AND queue_name = ANY (%(queues)s::varchar[])
           AND (scheduled_at IS NULL OR scheduled_at <= clock_timestamp()) AND held_for IS NULL AND {_IS_FREE}
         ORDER BY priority DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    {_CLAIM}
"""
"""The claim of a job of some queues, of which `default` cannot be one."""

OF_HELD: LiteralString = f"""
    SELECT {_COLUMNS}, held.to_domain
      FROM claim_held_mail(%(worker)s) AS held JOIN procrastinate_jobs AS job ON job.id = held.job
"""
"""The claim of a held mail, with the domain that it is admitted to."""

HOLD: LiteralString = f"""
    WITH domain AS (
        UPDATE mail_domains SET held = true, first_held = least(first_held, %(job)s)
         WHERE key = %(domain)s RETURNING key
    )
    UPDATE procrastinate_jobs AS job
       SET status = 'todo', held_for = domain.key, priority = {LOWEST}, scheduled_at = NULL, worker_id = NULL
      FROM domain WHERE job.id = %(job)s AND job.status = 'doing' AND NOT job.abort_requested
    RETURNING job.id
"""
"""The statement by which a worker holds a job that it has claimed."""

NEXT_OPENING: LiteralString = """
    SELECT extract(epoch FROM min(greatest(next_at, paused_until)) - clock_timestamp()) AS seconds
      FROM mail_domains WHERE held
"""
"""The statement that returns in how many seconds a domain with held mails may have more; NULL if there is none."""
