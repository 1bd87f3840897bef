"""The ledger of mails to accounts: what became of each, by the key that its Message-ID contains.

Entries are kept for 90 days. A mail that is being sent for the first time is not in it: what is queued is read from the
queue, so that no move and no request has to write another row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import mail_kinds
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, by_caller
from service.store.purging import deleted

KEPT = timedelta(days=90)

QUEUED, SENT, REFUSED, BOUNCED, DROPPED = STATES = ("queued", "sent", "refused", "bounced", "dropped")
"""The states of a mail."""

FOR_DIGEST = "for_digest"
"""The reason of mails that are held for the next digest."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: its key, the recipient's account, its kind, and the id of the table that it is about, or None."""

    key: str
    account: str
    kind: str
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """The state of a mail, and since when; `answer` is the mail server's reply, without addresses."""

    key: str
    kind: str
    game: str | None
    state: str
    reason: str | None
    answer: str | None
    queued_at: datetime
    at: datetime


# A sent or bounced mail stays so: a second worker that finds it stale changes nothing. Nothing is recorded about an
# account that is being deleted; the lock waits for that.
_NOTE = text("""
    INSERT INTO deliveries AS kept (key, account, kind, game, state, reason, answer, address_hash, reference,
                                    queued_at, at)
    SELECT :key, id, :kind, :game, :state, :reason, :answer, :address_hash, :reference, :queued_at, :now
      FROM accounts WHERE id = :account AND erased_at IS NULL FOR KEY SHARE
    ON CONFLICT (key) DO UPDATE
       SET state = excluded.state, reason = excluded.reason, answer = excluded.answer,
           address_hash = coalesce(excluded.address_hash, kept.address_hash),
           reference = coalesce(excluded.reference, kept.reference), at = excluded.at
     WHERE kept.state NOT IN ('sent', 'bounced')
""")


def record(
    session: Session,
    mail: Mail,
    state: str,
    now: datetime,
    *,
    reason: str | None = None,
    answer: str | None = None,
    address_hash: bytes | None = None,
    reference: str | None = None,
    queued_at: datetime | None = None,
) -> None:
    """Record what became of a mail, unless its account was deleted.

    Args:
        session: the transaction.
        mail: the mail.
        state: one of `STATES`.
        now: the time.
        reason: why, as a word.
        answer: the mail server's reply, without addresses.
        address_hash: the hash of the recipient's address.
        reference: the reference of its return path.
        queued_at: since when it is queued, if known.
    """
    session.execute(
        _NOTE,
        {
            "key": mail.key,
            "account": mail.account,
            "kind": mail.kind,
            "game": mail.game,
            "state": state,
            "reason": reason,
            "answer": answer,
            "address_hash": address_hash,
            "reference": reference,
            "queued_at": queued_at or now,
            "now": now,
        },
    )


_WAIT = {"game": "tables.id", "wait": "progress.wait_seq"}
_SEAT = {"game": "tables.id", "account": "caller.account"}

_LISTED = by_caller(f"""
SELECT caller.account, epoch.value, key, kind, game, state, reason, answer, queued_at, at
  FROM epoch CROSS JOIN {{caller}}
  LEFT JOIN LATERAL (
       WITH taken AS MATERIALIZED (
           SELECT queueing_lock FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NOT NULL
       ), called_for AS (
           SELECT {mail_kinds.TURN.key_sql(**_WAIT, account="caller.account")} AS key,
                  'turn' AS kind, tables.id, coalesce(log.at, progress.last_at) AS since,
                  {mail_kinds.TURN.lock_sql(**_WAIT)} AS lock
             FROM (
                 SELECT game FROM progress WHERE turn_account = caller.account ORDER BY game DESC LIMIT 1000
             ) AS newest
             JOIN progress ON progress.game = newest.game AND progress.wait_seq IS NOT NULL
             JOIN tables ON tables.key = progress.game
             LEFT JOIN log ON log.game = progress.game AND log.seq = progress.wait_seq
           UNION ALL
           SELECT {mail_kinds.END.key_sql(**_SEAT)}, 'end', tables.id, progress.ended_at,
                  {mail_kinds.END.lock_sql(**_SEAT)}
             FROM (
                 SELECT game FROM seats
                  WHERE account = caller.account AND kind = 'match' AND status = 'finished'
                  ORDER BY game DESC LIMIT 100
             ) AS past
             JOIN tables ON tables.key = past.game
             JOIN progress ON progress.game = past.game
           UNION ALL
           SELECT {mail_kinds.CLOSED.key_sql(**_SEAT)}, 'closed', tables.id, tables.closed_at,
                  {mail_kinds.CLOSED.lock_sql(**_SEAT)}
             FROM (
                 SELECT game FROM seats
                  WHERE account = caller.account AND kind = 'match' AND status = 'closed'
                  ORDER BY game DESC LIMIT 100
             ) AS past
             JOIN tables ON tables.key = past.game
           UNION ALL
           SELECT {mail_kinds.INVITATION.key_sql(invitation="invitations.id")}, 'invitation', tables.id,
                  invitations.created_at, {mail_kinds.INVITATION.lock_sql(invitation="invitations.id")}
             FROM accounts
             JOIN invitations ON invitations.email = accounts.email
             JOIN tables ON tables.key = invitations.game
            WHERE accounts.id = caller.account AND used_at IS NULL AND declined_at IS NULL AND taken_back_at IS NULL
       )
       SELECT key, kind, game, state, reason, answer, queued_at, at FROM (
           (SELECT key, kind, game, state, reason, answer, queued_at, at
              FROM deliveries
             WHERE account = caller.account AND (queued_at, key) < (CAST(%(at)s AS timestamptz), CAST(%(key)s AS text))
             ORDER BY queued_at DESC, key DESC LIMIT %(most)s)
           UNION ALL
           SELECT key, kind, id, 'queued', 'in_queue', NULL, since, since
             FROM called_for
            CROSS JOIN LATERAL (
                SELECT FROM procrastinate_jobs WHERE queueing_lock = called_for.lock AND status = 'todo'
                UNION ALL
                SELECT FROM taken WHERE queueing_lock = called_for.lock
                 LIMIT 1
            ) AS job
            WHERE (since, key) < (CAST(%(at)s AS timestamptz), CAST(%(key)s AS text))
               AND NOT EXISTS (SELECT FROM deliveries kept WHERE kept.key = called_for.key)
       ) AS together
       ORDER BY queued_at DESC, key DESC LIMIT %(most)s
  ) AS shown ON true
 ORDER BY queued_at DESC, key DESC
""")


class DeliveryPage(NamedTuple):
    """A page of deliveries, the account that asked for it (None for nobody), and the epoch of the data."""

    account: str | None
    epoch: str
    deliveries: list[Delivery]


def listed(store: Session | Statements, caller: Caller, before: tuple[datetime, str] | None, most: int) -> DeliveryPage:
    """Return at most `most` mails to the caller, newest first, after the one with the time and key `before`.

    They are those in the ledger, and those that are queued or being sent for the first time: turns in the newest
    thousand games that wait for the caller, the end of the newest hundred finished games and closed tables, and
    invitations.
    """
    at, key = before or ("infinity", "")
    rows = statements(store).rows(_LISTED[type(caller)], caller.arguments(at=at, key=key, most=most))
    account, epoch = rows[0][:2]
    return DeliveryPage(account, epoch, [Delivery(*row[2:]) for row in rows if row[2] is not None])


_HELD = text("""
    SELECT key, kind, game, state, reason, answer, queued_at, at FROM deliveries
     WHERE account = :account AND reason = 'for_digest' ORDER BY queued_at, key LIMIT :most
""")


def held(session: Session, account: str, most: int) -> list[Delivery]:
    """Return at most `most` mails that are held for the account's digest, the oldest first."""
    return [Delivery(*row) for row in session.execute(_HELD, {"account": account, "most": most})]


_LAST_SENT = text("""
    SELECT max(at) FROM deliveries WHERE account = :account AND game = :game AND kind = :kind AND state = 'sent'
""")


def last_sent(session: Session, account: str, game: str, kind: str) -> datetime | None:
    """Return when a mail of this kind about this game was last sent to an account, if that is still recorded."""
    at: datetime | None = session.scalar(_LAST_SENT, {"account": account, "game": game, "kind": kind})
    return at


_RELEASE = text("""
    UPDATE deliveries SET state = :state, reason = :reason, at = :now
     WHERE key = ANY (:keys) AND reason = 'for_digest'
""")


def release(session: Session, keys: Sequence[str], state: str, reason: str, now: datetime) -> None:
    """Record what became of mails that were held for the digest."""
    session.execute(_RELEASE, {"keys": list(keys), "state": state, "reason": reason, "now": now})


_LET_GO = text("""
    UPDATE deliveries SET state = 'dropped', reason = 'off', at = :now
     WHERE account = :account AND reason = 'for_digest' AND 'off' = coalesce(
           (SELECT game.mail FROM game_notifications game JOIN tables ON tables.key = game.game
             WHERE game.account = :account AND tables.id = deliveries.game AND deliveries.kind <> 'invitation'),
           (SELECT CASE deliveries.kind WHEN 'turn' THEN turn_mail WHEN 'end' THEN end_mail
                                        WHEN 'closed' THEN closed_mail WHEN 'reminder' THEN reminder_mail
                                        ELSE invitation_mail END
              FROM notifications WHERE account = :account))
""")


def drop_unwanted(session: Session, account: str, now: datetime) -> None:
    """Record that mails held for the account's digest are no longer wanted, according to its preferences."""
    session.execute(_LET_GO, {"account": account, "now": now})


class SentMail(NamedTuple):
    """A mail that was sent: the recipient's account, and the hash of the address."""

    key: str
    account: str
    address_hash: bytes | None


_SENT = text("""
    SELECT key, account, address_hash FROM deliveries WHERE state IN ('sent', 'bounced') AND reference = :value
""")


def sent(session: Session, reference: str) -> SentMail | None:
    """Return the mail that was sent with this reference in its return path, or None."""
    row = session.execute(_SENT, {"value": reference}).first()
    return None if row is None else SentMail(*row)


_BOUNCE = text("""
    UPDATE deliveries SET state = 'bounced', reason = :reason, answer = :answer, at = :now
     WHERE key = :key AND (state = 'sent' OR reason <> 'came_back')
""")


def bounce(session: Session, key: str, reason: str, answer: str, now: datetime) -> None:
    """Record that a mail came back. A permanent bounce overrides a temporary one."""
    session.execute(_BOUNCE, {"key": key, "reason": reason, "answer": answer, "now": now})


_FORGET = text("DELETE FROM deliveries WHERE account = :account")


def forget(session: Session, account: str) -> None:
    """Delete all deliveries to an account."""
    session.execute(_FORGET, {"account": account})


_PURGE = text("""
    DELETE FROM deliveries WHERE at <= :past
       AND ctid = ANY (ARRAY(SELECT ctid FROM deliveries WHERE at <= :past LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired entries, and return how many were deleted."""
    return deleted(session, _PURGE, past=now - KEPT, most=most)
