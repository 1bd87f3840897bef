"""The delivery ledger of the worker: before each mail, whether it is wanted; afterwards, its outcome.

The decision is made when the mail is to be sent, by the preferences of that moment. Mails to people without an account
are in no ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.commands import bounces
from service.commands.notifications import hold_for_digest
from service.commands.talk_mail import queue_for
from service.jobs.outgoing_mail import NothingToSend
from service.jobs.worker_context import WorkerContext
from service.logs import reason as reason_of
from service.mail.failures import PermanentFailure, TransientFailure
from service.queries.delivery_preference import DeliveryPreference, delivery_preference, past_turn
from service.reading.smtp_status import is_of_address
from service.store import deliveries, delivery_preferences, talk
from service.store.deliveries import DROPPED, FOR_DIGEST, QUEUED, REFUSED, SENT, SentMail

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A mail's entry in the ledger.

    Attributes:
        preference: how the mail is to be delivered; None: it has no entry.
        reference: the reference in its return path, if it has one.
    """

    context: WorkerContext
    job: str
    ids: Mapping[str, int | str]
    now: datetime
    preference: DeliveryPreference | None
    reference: str | None = None

    @property
    def is_wanted(self) -> bool:
        """True if the mail is to be sent now."""
        preference = self.preference
        return preference is None or (
            preference.how == delivery_preferences.AT_ONCE and not preference.stopped and not preference.sent
        )

    def leave(self, instead: NothingToSend | None = None) -> str:
        """Record that the mail is not sent now, do what is done instead in the same transaction, return the reason."""
        with self.context.sessions.begin() as session:
            reason = self._leave(session, "stale" if instead is None else instead.reason)
            if instead is not None:
                instead.after(session)
            return reason

    @contextmanager
    def sending(self, is_last_try: bool) -> Iterator[None]:
        """Record why a delivery failed, if the block raises a failure."""
        try:
            yield
        except PermanentFailure as failure:
            self._note(REFUSED, "refused", str(failure), partial(self._count, failure.status))
            raise
        except TransientFailure as failure:
            if is_last_try:
                self._note(REFUSED, "given_up", str(failure))
            else:
                self._note(QUEUED, "mail_server", str(failure))
            raise

    def sent(self, after: Callable[[Session], None] | None = None) -> None:
        """Record that the mail was sent, and in the same transaction do what follows from that."""
        self._note(SENT, None, None, after)

    @property
    def _is_turn(self) -> bool:
        return self.job == "mail_turn"

    def _leave(self, session: Session, stale: str) -> str:
        preference = self.preference
        if preference is None or preference.address is None:
            mail = past_turn(session, str(self.ids["game"]), int(self.ids["wait"])) if self._is_turn else None
            if mail is not None:
                deliveries.record(session, mail, DROPPED, self.now, reason="stale")
                talk.release_claim(session, mail.account, str(mail.game), mail.key)
            return "stale"
        if preference.sent:
            return "sent"
        if preference.mail.kind == "digest" and not preference.stopped:
            return "stale"  # a day without news is not recorded
        if preference.stopped:
            reason = "address"
        elif preference.how == delivery_preferences.DIGEST and hold_for_digest(
            session, preference.mail.account, self.now
        ):
            deliveries.record(session, preference.mail, QUEUED, self.now, reason=FOR_DIGEST, queued_at=preference.since)
            return FOR_DIGEST
        else:
            reason = "off" if preference.how == delivery_preferences.OFF else stale
            if preference.mail.kind in ("end", "closed"):  # it would have included the messages since the last mail
                queue_for(session, str(preference.mail.game), preference.mail.account, self.now)
        deliveries.record(session, preference.mail, DROPPED, self.now, reason=reason, queued_at=preference.since)
        return reason

    def _note(
        self, state: str, reason: str | None, answer: str | None, also: Callable[[Session], None] | None = None
    ) -> None:
        """Record an outcome in a transaction of its own; an error is logged, so that a sent mail is not sent again."""
        if self.preference is None and also is None:
            return
        try:
            with self.context.session() if also is None else self.context.sessions.begin() as session:
                if self.preference is not None:
                    self._put(session, self.preference, state, reason, answer)
                if also is not None:
                    also(session)
        except (DBAPIError, PoolTimeout) as error:
            _log.warning(
                "could not record delivery outcome", task=self.job, state=state, why=reason_of(error), **self.ids
            )

    def _count(self, status: str | None, session: Session) -> None:
        """Count the refusal against the address if the relay's status code says that the address is at fault.

        A relay that gives no such code may as well be one that accepts no mail from us.
        """
        preference = self.preference
        if preference is None or preference.address is None or status is None or not is_of_address(status):
            return
        keys = self.context.settings.secret_keys
        gone = SentMail(preference.mail.key, preference.mail.account, address_hashes(keys, preference.address)[0])
        bounces.count(session, keys, gone, status, self.context.clock())

    def _put(
        self, session: Session, preference: DeliveryPreference, state: str, reason: str | None, answer: str | None
    ) -> None:
        keys = self.context.settings.secret_keys
        deliveries.record(
            session,
            preference.mail,
            state,
            self.context.clock(),
            reason=reason,
            answer=answer,
            address_hash=None if preference.address is None else address_hashes(keys, preference.address)[0],
            reference=self.reference,
            queued_at=preference.since or self.now,
        )


def entry(session: Session, context: WorkerContext, job: str, ids: dict[str, int | str], now: datetime) -> LedgerEntry:
    """Return the ledger entry for the mail of a job with these arguments."""
    return LedgerEntry(context, job, ids, now, delivery_preference(session, job, ids))
