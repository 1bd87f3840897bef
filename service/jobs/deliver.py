"""The tasks that send mail, and the one that deletes the mails of an erased account.

Delivery is at least once: if a worker is killed, or counts as dead, after the relay accepted a mail and before that was
recorded, the next worker sends it again with the same Message-ID. No transaction is open while the relay is talked to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from functools import partial
from typing import NamedTuple

import structlog
from procrastinate import App, JobContext
from procrastinate.jobs import Job

from service import metrics
from service.access.address_hash import address_hashes
from service.access.return_path import references, return_path
from service.jobs import ledger
from service.jobs.answers import for_answer
from service.jobs.backoff import BackOff, is_last
from service.jobs.clock_mail import for_reminder, for_step
from service.jobs.digest import for_digest
from service.jobs.error_reporting import report_errors
from service.jobs.heartbeat import Heartbeat
from service.jobs.mail_traffic import MailTraffic
from service.jobs.outgoing_mail import MAILS, NothingToSend, OutgoingMail, heeding_list
from service.jobs.relay_watch import RelayWatch
from service.jobs.worker_context import WorkerContext
from service.mail.failures import (
    DomainOverloaded,
    PermanentFailure,
    RecipientDeferred,
    RelayUnavailable,
    TransientFailure,
)
from service.mail.maildir import StoredMail
from service.mail.message import Content, build
from service.mail.scenes import captioned, captioned_plots
from service.mail.transport import maildir
from service.store import epoch
from service.store.accounts import is_erased

WRITERS: dict[str, Callable[..., OutgoingMail | NothingToSend | None]] = MAILS | {
    "mail_digest": for_digest,
    "mail_answer": for_answer,
    "mail_step": for_step,
    "mail_reminder": for_reminder,
}
"""The functions that write the mail of each task."""

_COUNTED = frozenset({"mail_closed", "mail_talk", "mail_digest", "mail_answer", "mail_reminder"})
"""Mails whose keys contain numbers or days that recur after a restore, so that the epoch is part of their identity."""

_TRIES = (True, True, False)
"""For each attempt, whether it waits for a picture; another one follows if the facts change before the mail is sent."""

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext, heartbeat: Heartbeat, traffic: MailTraffic, relay: RelayWatch) -> None:
    """Register the tasks with the application, under the names that they are deferred by.

    They send nothing while the worker with this heartbeat counts as dead.
    """
    for name, write in WRITERS.items():
        app.task(name=name, retry=BackOff(), pass_context=True)(
            _sending(context, _Means(heartbeat, relay, traffic), name, write)
        )

    @app.task(name="forget_mail", retry=BackOff())
    def forget_mail(address_hash: str, account: str, until_ms: int) -> None:
        with report_errors("forget_mail", account=account):
            _forget(context, bytes.fromhex(address_hash), account, until_ms)


def _sending(
    context: WorkerContext,
    means: _Means,
    name: str,
    write: Callable[..., OutgoingMail | NothingToSend | None],
) -> Callable[..., None]:
    def send(running: JobContext, /, **ids: int | str) -> None:
        with report_errors(name, **ids):
            _Sending(context, means, name, write, ids).send(running.job)

    return send


class _Means(NamedTuple):
    """The parts shared by all mails of a process: its heartbeat, and the states of mail server and domains."""

    heartbeat: Heartbeat
    relay: RelayWatch
    traffic: MailTraffic


class _Sending:
    """The sending of one mail: whether it is wanted and what it says, as last read.

    A picture and a relay take time, in which moves are made, preferences change, and accounts leave or are erased. So
    everything is read again just before the content is sent, and only what is still true is.
    """

    def __init__(
        self,
        context: WorkerContext,
        means: _Means,
        name: str,
        write: Callable[..., OutgoingMail | NothingToSend | None],
        ids: dict[str, int | str],
    ) -> None:
        self._context = context
        self._heartbeat, self._relay, self._traffic = means
        self._name, self._write, self._ids = name, write, ids
        self._look()

    def send(self, job: Job) -> None:
        """Send the mail, or record why it is not sent; raise TransientFailure or PermanentFailure if it fails.

        Raises:
            Held: the mail is to wait, as its domain may have no more now.
        """
        if isinstance(self._mail, OutgoingMail):
            self._admit(job, self._mail.envelope.recipient)
        is_last_try = is_last(job)
        for with_picture in _TRIES:
            mail = self._mail
            if not isinstance(mail, OutgoingMail):
                self._leave(mail)
                return
            message = build(_composed(self._context, mail, with_picture), mail.envelope, self._entry.now)
            with self._entry.sending(is_last_try):
                taken = self._hand_over(message, mail)
            if taken:
                _log.info("mail sent", task=self._name, **self._ids)
                metrics.mail(self._name, "sent")
                self._entry.sent(mail.after)
                _unless_erased(self._context, mail)
                return
        raise TransientFailure("what it tells changed each time that it was about to leave")

    def _hand_over(self, message: EmailMessage, mail: OutgoingMail) -> bool:
        return_path = _return_path(self._context, mail)
        begun = time.monotonic()
        try:
            taken = self._context.transport.deliver(message, return_path, partial(self._holds, mail))
        except DomainOverloaded:
            self._traffic.fails(self._context, mail.envelope.recipient, begun)
            raise
        except RecipientDeferred:
            raise
        except TransientFailure as failure:
            if not self._heartbeat.counts_as_dead:
                self._note_failure(mail, failure)
            raise
        if taken:
            self._relay.works(self._context)
            self._traffic.works(self._context, mail.envelope.recipient, begun)
        return taken

    def _note_failure(self, mail: OutgoingMail, failure: TransientFailure) -> None:
        """Record what a failure says about the mail server.

        A code, or another mail to somebody without an account, says nothing about it: anybody can ask for codes to
        addresses whose servers put all mails off, and would stop all clocks.
        """
        is_proven = mail.account is not None and self._name != "mail_code"
        if is_proven:
            self._relay.puts_off(self._context, self._context.settings.mail_limits.domain(mail.envelope.recipient))
        if is_proven or isinstance(failure, RelayUnavailable):
            self._relay.fails(self._context)

    def _admit(self, job: Job, address: str) -> None:
        assert job.id is not None, "it is in the database"
        if self._context.settings.smtp_url is None or self._traffic.admit(self._context, job.id, self._name, address):
            return
        try:
            with self._entry.sending(is_last_try=True):
                raise TransientFailure("its domain has taken no mail for two days")
        except TransientFailure as failure:
            raise PermanentFailure(str(failure)) from None

    def _look(self) -> None:
        now = self._context.clock()
        with self._context.session() as session:
            self._entry = ledger.entry(session, self._context, self._name, self._ids, now)
            wanted = self._entry.is_wanted
            mail = self._write(session, self._context.settings, now, **self._ids) if wanted else None
            mail = heeding_list(session, self._context.settings, mail)
            if isinstance(mail, OutgoingMail):
                if self._name in _COUNTED:
                    mail = mail.of_history(epoch.current(session))
                reference, *_ = references(self._context.settings.secret_keys, mail.envelope.id)
                self._entry = replace(self._entry, reference=reference)
            self._mail = mail

    def _holds(self, mail: OutgoingMail) -> bool:
        """Read everything again, and return whether this is still the mail to send."""
        self._look()
        if self._heartbeat.counts_as_dead:
            raise TransientFailure("this worker gave no sign of life for so long that another one may send it")
        return isinstance(self._mail, OutgoingMail) and self._mail.tells_the_same_as(mail)

    def _leave(self, mail: NothingToSend | None) -> None:
        why = self._entry.leave(mail)
        _log.info("mail dropped", task=self._name, why=why, **self._ids)
        metrics.mail(self._name, "dropped")


def _composed(context: WorkerContext, mail: OutgoingMail, with_picture: bool) -> Content:
    """Compose the mail, with those of its pictures that are ready in time."""
    pictures = context.pictures if with_picture else None
    png = pictures.png(mail.scene) if pictures and mail.scene else None
    picture = captioned(png, mail.scene) if png and mail.scene else None
    if mail.plots is None:
        return mail.compose(picture)
    drawn = pictures.png(mail.plots) if pictures else None
    return mail.compose(picture, plots=None if drawn is None else captioned_plots(drawn, mail.plots))


def _return_path(context: WorkerContext, mail: OutgoingMail) -> str:
    reference, *_ = references(context.settings.secret_keys, mail.envelope.id)
    return return_path(context.settings.mail_from, reference)


def _unless_erased(context: WorkerContext, mail: OutgoingMail) -> None:
    if context.settings.smtp_url is not None or mail.account is None:
        return  # and what the relay has cannot be removed from here
    with context.session() as session:
        erased = is_erased(session, mail.account)
    if erased:  # erased while it was sent, and `forget_mail` may have run before
        _keep_no_longer(context, lambda kept: kept.key == mail.envelope.key)


def _forget(context: WorkerContext, address_hash: bytes, account: str, until_ms: int) -> None:
    """Delete an erased account's mails: those whose key names it, and those sent to its address."""
    keys = context.settings.secret_keys
    _keep_no_longer(
        context,
        lambda kept: (
            kept.key.endswith(f".{account}")
            or (kept.at_ms <= until_ms and address_hash in address_hashes(keys, kept.address))
        ),
    )


def _keep_no_longer(context: WorkerContext, is_meant: Callable[[StoredMail], bool]) -> None:
    """Delete mails from the Maildir, which may hold some from before there was a relay."""
    if context.settings.data_dir is not None:
        maildir(context.settings).forget(is_meant)
