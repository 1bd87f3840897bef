"""Store what each destination domain may get: when the next mail, how many at once, and until when it gets none.

All workers share it, so their limits hold together. A domain has a row once it was limited, or has asked for fewer
mails. What is over a limit is *held* in the queue: a held job names its domain's key, and `service.store.job_claims`
takes it when there is room. Times are those of the database's clock.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import psycopg
from sqlalchemy import Interval, bindparam, text
from sqlalchemy.orm import Session

from service.mail_limits import DomainLimit
from service.store.job_claims import LOWEST
from service.store.purging import deleted

SORTED_AT_ONCE = 1000
"""The number of waiting jobs in which mails to domains without room are looked for at a time."""

# A domain that fails is tried each half hour at least. If its last failure is older, nobody has tried it since, as
# when the workers were off or a backup was restored, and the mails that wait have not had their two days.
_STILL_TRIED = "clock_timestamp() - interval '1 hour'"
_FAILS_FOR_LONG = f"""(failures > 0 AND failed_at > {_STILL_TRIED}
                     AND failing_since < clock_timestamp() - interval '48 hours')"""

_ADMIT = text(f"""
    SELECT domain_key, admitted,
           coalesce((SELECT queued_at < clock_timestamp() - interval '48 hours' FROM procrastinate_jobs WHERE id = :job)
                    AND (SELECT {_FAILS_FOR_LONG} FROM mail_domains WHERE key = domain_key), false)
      FROM admit_mail(:domain, :pace, :at_once, :job, :anyway)
""").bindparams(bindparam("pace", type_=Interval))

# A wait's mail goes to whoever is to move; the jobs of others name the account. What goes to nobody's account is rare.
# Domains that another transaction has locked are left out, so that two of these never wait for each other.
_SORT = text(f"""
    WITH waiting AS MATERIALIZED (
        SELECT id, task_name, args FROM procrastinate_jobs
         WHERE status = 'todo' AND priority = 0 AND id > :job AND scheduled_at IS NULL AND held_for IS NULL
           AND queue_name = 'default' AND task_name LIKE 'mail\\_%'
         ORDER BY priority DESC, id LIMIT {SORTED_AT_ONCE} FOR UPDATE SKIP LOCKED
    ), addressed AS (
        SELECT waiting.id, email FROM waiting JOIN accounts ON accounts.id = args ->> 'account'
        UNION ALL
        SELECT waiting.id, email FROM waiting
          JOIN tables ON tables.id = args ->> 'game'
          JOIN progress ON progress.game = tables.key AND wait_seq = CAST(args ->> 'wait' AS integer)
          JOIN accounts ON accounts.id = turn_account
         WHERE task_name = 'mail_turn'
    ), named AS MATERIALIZED (
        SELECT id, coalesce(CAST(:aliases AS jsonb) ->> name, name) COLLATE "C" AS name
          FROM (SELECT id, lower(rtrim(split_part(email, '@', -1), '.')) AS name
                  FROM addressed WHERE email IS NOT NULL) AS written
    ), domains AS MATERIALIZED (
        SELECT key, domain FROM mail_domains
         WHERE domain IN (SELECT name FROM named) AND (held OR key = :key) FOR UPDATE SKIP LOCKED
    ), without_room AS MATERIALIZED (
        SELECT id, key FROM named JOIN domains ON domain = name
    ), marked AS (
        UPDATE mail_domains SET held = true, first_held = least(first_held, first.id)
          FROM (SELECT key, min(id) AS id FROM without_room GROUP BY key) AS first
         WHERE mail_domains.key = first.key
    )
    UPDATE procrastinate_jobs AS job SET held_for = without_room.key, priority = {LOWEST}
      FROM without_room WHERE job.id = without_room.id
""")

_FAILS = text(f"""
    INSERT INTO mail_domains AS kept (domain, failures, failing_since, failed_at, paused_until)
    VALUES (:domain, 1, clock_timestamp(), clock_timestamp(), clock_timestamp() + interval '30 s')
    ON CONFLICT (domain) DO UPDATE
       SET failures = least(kept.failures + 1, 7), failed_at = clock_timestamp(),
           failing_since = coalesce(CASE WHEN kept.failures > 0 AND kept.failed_at > {_STILL_TRIED}
                                    THEN kept.failing_since END, clock_timestamp()),
           paused_until = clock_timestamp() + least(interval '30 s' * 2 ^ kept.failures, interval '30 min')
     WHERE kept.failed_at IS NULL OR kept.failed_at <= clock_timestamp() - make_interval(secs => :seconds)
    RETURNING extract(epoch FROM paused_until - clock_timestamp())
""")

_WORKS = text("""
    UPDATE mail_domains SET failures = 0, paused_until = '-infinity'
     WHERE domain = :domain AND failures > 0 AND failed_at <= clock_timestamp() - make_interval(secs => :seconds)
""")

_WATCHED = text("SELECT domain FROM mail_domains WHERE held OR failures > 0")

_PURGE = text("""
    WITH old AS (
        SELECT key FROM mail_domains
         WHERE NOT held AND greatest(next_at, paused_until, failed_at) <= :now - interval '1 day'
           AND NOT EXISTS (SELECT FROM procrastinate_jobs WHERE held_for = key AND status IN ('todo', 'doing'))
         LIMIT :most
    )
    DELETE FROM mail_domains USING old WHERE mail_domains.key = old.key
""")

_RELEASE = text(f"""
    WITH old AS (
        SELECT job.id FROM mail_domains JOIN procrastinate_jobs AS job ON held_for = key AND status = 'todo'
         WHERE held AND {_FAILS_FOR_LONG} AND queued_at < clock_timestamp() - interval '48 hours'
         LIMIT :most FOR UPDATE OF job SKIP LOCKED
    )
    UPDATE procrastinate_jobs AS job SET held_for = NULL, priority = 0 FROM old WHERE job.id = old.id
""")

_STATE = """
    SELECT (SELECT count(*) FROM procrastinate_jobs WHERE held_for IS NOT NULL AND status = 'todo'),
           (SELECT count(*) FROM mail_domains WHERE paused_until > clock_timestamp())
"""


class DomainAdmission(NamedTuple):
    """An answer to the question whether a mail may be sent to its domain now.

    Attributes:
        key: the key of the domain.
        admitted: whether it may; then it counts.
        is_late: whether it has waited for two days, in which the domain took none.
    """

    key: int
    admitted: bool
    is_late: bool


class DomainState(NamedTuple):
    """The mails that are held, and the domains that get none for a while."""

    held: int
    paused: int


def admit(session: Session, domain: str, limit: DomainLimit, job: int, *, anyway: bool) -> DomainAdmission:
    """Count a mail of a job that is running, and return whether it may be sent now.

    It may not if other mails to the domain are held, which then come first.

    Args:
        session: the transaction, which should change nothing else.
        domain: the domain.
        limit: its limit.
        job: the job.
        anyway: whether it may be sent even if that is over the limit, as somebody is waiting for it.
    """
    values = {"domain": domain, "pace": limit.pace, "at_once": limit.at_once, "job": job, "anyway": anyway}
    return DomainAdmission(*session.execute(_ADMIT, values).one())


def hold_waiting(session: Session, job: int, key: int, aliases: Mapping[str, str]) -> None:
    """Hold those of the next mails that go to this domain or to others with held mails, so that the rest comes sooner.

    Args:
        session: the transaction.
        job: the job that was not admitted; those that were queued after it are looked through.
        key: the key of the domain.
        aliases: the further names of domains.
    """
    session.execute(_SORT, {"job": job, "key": key, "aliases": json.dumps(dict(aliases))})


def fails(session: Session, domain: str, seconds: float) -> float | None:
    """Pause a domain that has asked for fewer mails, for longer each time, from 30 seconds to half an hour.

    Args:
        session: the transaction.
        domain: the domain.
        seconds: how long ago the sending of the mail began. If the pause began after that, it stays as it is.

    Returns:
        The seconds that the pause lasts; None if it stays as it is.
    """
    lasts: float | None = session.scalar(_FAILS, {"domain": domain, "seconds": seconds})
    return None if lasts is None else float(lasts)


def works(session: Session, domain: str, seconds: float) -> None:
    """End the pause of a domain that took a mail, if the mail's sending began after the pause did."""
    session.execute(_WORKS, {"domain": domain, "seconds": seconds})


def watched(session: Session) -> frozenset[str]:
    """Return the domains that have held mails, or have failed last; each mail to them must be admitted."""
    return frozenset(session.scalars(_WATCHED))


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete domains that have had no limited mail for a day; return how many."""
    return deleted(session, _PURGE, now=now, most=most)


def release_late(session: Session, now: datetime, most: int) -> int:
    """Hold mails no longer that have waited for two days for a domain that fails; return how many.

    A worker then gives them up.
    """
    return deleted(session, _RELEASE, most=most)


def state(connection: psycopg.Connection[object]) -> DomainState:
    """Return the current state of all domains."""
    row = connection.execute(_STATE).fetchone()
    assert isinstance(row, tuple)
    return DomainState(*row)
