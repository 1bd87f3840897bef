"""Daily digests: who is due one, and the mail itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

import structlog
from procrastinate import App
from sqlalchemy.orm import Session

from service.access import secrets
from service.access.links import unsubscribe_link
from service.access.reply_addresses import ToInvitation, reply_address
from service.commands import notifications, talk
from service.config import Settings
from service.jobs.backoff import SOON
from service.jobs.outgoing_mail import NothingToSend, OutgoingMail, table_reply_address
from service.jobs.table_pages import table_page
from service.jobs.worker_context import WorkerContext
from service.mail import digest
from service.mail.message import Content, Envelope, Picture
from service.queries.digest_context import Digest
from service.queries.digest_context import digest as facts_of
from service.store import deliveries, delivery_preferences, mail_kinds
from service.store.deliveries import DROPPED, SENT
from service.store.purging import in_pieces

_EVERY_5_MINUTES = "*/5 * * * *"
_AT_ONCE = 100
"""The number of digests that are queued in one transaction."""

DIGEST = "digest"
"""The kind of mail in the link to stop digests."""

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the task that finds who is due a digest; the mail is sent like all mails."""

    @app.periodic(cron=_EVERY_5_MINUTES)
    @app.task(name="call_for_digests", retry=SOON)
    def call_for_digests(timestamp: int) -> None:
        count = in_pieces(context.sessions, notifications.queue_due_digests, context.clock(), _AT_ONCE)
        _log.info("digests queued", count=count)


def for_digest(
    session: Session, settings: Settings, now: datetime, *, account: str, day: str
) -> OutgoingMail | NothingToSend | None:
    """Return the digest of a day (ISO 8601) for this account.

    It is None if the account has no digest, and `NothingToSend` on a day without news.
    """
    facts = facts_of(session, account, now)
    if facts is None:
        return None
    if not facts.has_news:
        return NothingToSend(partial(_settle, facts, account, now))
    key = mail_kinds.DIGEST.key(account=account, day=day)
    facts = _telling(facts, session, account, key, now)
    stop = unsubscribe_link(settings, account, None, DIGEST)
    envelope = Envelope(settings.mail_from, facts.to.address, key, name=facts.to.name, unsubscribe=stop)
    return OutgoingMail(
        partial(_compose, facts, settings, account, stop), envelope, account, partial(_sent, facts, account, now, key)
    )


def _compose(facts: Digest, settings: Settings, account: str, stop: str, picture: Picture | None) -> Content:
    waits = {wait.turn.table: wait.turn for wait in facts.waits}
    tables = {each.table for each in facts.of_tables}
    return digest.compose(
        facts,
        settings.base_url,
        {table: table_page(settings, account, table, waits.get(table)) for table in tables},
        {
            each.invitation: secrets.secret(settings.secret_keys, "invitation", each.invitation)
            for each in facts.invitations
        },
        stop,
        {turn.table: table_reply_address(settings, turn) for turn in (wait.turn for wait in facts.waits)}
        | {each.invitation: reply_address(settings, ToInvitation(each.invitation)) for each in facts.invitations},
    )


def _telling(facts: Digest, session: Session, account: str, key: str, now: datetime) -> Digest:
    """Return the digest with those messages at tables that no other mail includes."""
    waits = tuple(
        replace(wait, turn=replace(wait.turn, heard=talk.claim(session, account, wait.turn.heard, key, now)))
        for wait in facts.waits
    )
    ends = tuple(replace(end, heard=talk.claim(session, account, end.heard, key, now)) for end in facts.ends)
    talks = tuple(replace(each, heard=talk.claim(session, account, each.heard, key, now)) for each in facts.talks)
    return replace(facts, waits=waits, ends=ends, talks=talks)


def _sent(facts: Digest, account: str, now: datetime, key: str, session: Session) -> None:
    for each in facts.of_tables:
        talk.mark_mailed(session, account, each.heard, key)
    _settle(facts, account, now, session)


def _settle(facts: Digest, account: str, now: datetime, session: Session) -> None:
    """Record the outcome of the mails that this digest replaces.

    The preferences are locked before them, in the same order as where preferences change.
    """
    delivery_preferences.locked(session, account)
    deliveries.release(session, facts.told, SENT, "in_digest", now)
    deliveries.release(session, facts.stale, DROPPED, "stale", now)
    notifications.cancel_empty_digest(session, account)
