"""Process the mails that were received, and do what they ask for.

A mail is read, everything it asks for is done, and its reply is queued in one transaction: if a worker is killed
meanwhile, nothing was done, and the next one does everything. Mails of programs are recorded and never answered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import structlog
from procrastinate import App
from sqlalchemy.orm import Session

from service import metrics
from service.access.address_hash import address_hashes
from service.access.limits import Limit
from service.access.reply_addresses import ToBounces, own_address
from service.commands import bounces
from service.commands.replies import answer
from service.commands.reply_starts import Services
from service.jobs.backoff import BackOff
from service.jobs.error_reporting import report_errors
from service.jobs.worker_context import WorkerContext
from service.queries.reply_context import ACCOUNT, SENDER
from service.reading import bounces as reports
from service.reading.incoming_mail import IncomingMail, read
from service.reading.reply_parser import ReplyCommands, parse_reply
from service.store import incoming as mails
from service.store import mail_kinds, never_mail
from service.store.accounts import Account
from service.store.incoming import Incoming
from service.store.mail_outcome import OriginalHeader, Outcome
from service.store.queue import defer

_LONGEST_SUBJECT = 200
_MOST_REFERENCES = 20

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the task that processes a mail."""

    @app.task(name="take_in", retry=BackOff())
    def task(incoming: int) -> None:
        with report_errors("take_in", incoming=incoming):
            take_in(context, incoming)


def take_in(context: WorkerContext, id: int) -> None:
    """Process the mail with this id; do nothing if that was done."""
    now = context.clock()
    with context.sessions.begin() as session:
        waiting = mails.waiting(session, id)
    parsed = None if waiting is None else _parsed(context, *waiting)  # it may take seconds: no transaction waits for it
    with context.sessions.begin() as session:
        mail = mails.hold(session, id)
        if mail is None or parsed is None:
            _log.info("incoming mail was processed before", incoming=id)
            return
        outcome = _outcome(session, context, mail, *parsed)
        mails.read(session, id, outcome.to_json() if outcome.due else None, now)
        for whom in outcome.due:
            lock = mail_kinds.ANSWER.lock(incoming=id, whom=whom)
            defer(session, "mail_answer", {"incoming": id, "whom": whom}, queueing_lock=lock)
    did = Counter(line.what for line in outcome.lines)
    _log.info("incoming mail processed", incoming=id, did=dict(did), nothing=outcome.nothing, put_down=outcome.put_down)


def _parsed(context: WorkerContext, raw: bytes, return_path: str) -> tuple[IncomingMail, ReplyCommands]:
    """Return a mail and what it asks for."""
    mail = read(raw, domain=own_address(context.settings).rpartition("@")[2], return_path=return_path)
    return mail, parse_reply(mail)


def _outcome(
    session: Session, context: WorkerContext, mail: Incoming, parsed: IncomingMail, asked: ReplyCommands
) -> Outcome:
    """Return the outcome of a mail, and who gets the reply."""
    settings = context.settings
    if isinstance(mail.to, ToBounces) or parsed.automatic is not None:
        return Outcome(put_down=_of_a_program(session, context, mail) or parsed.automatic)
    services = Services(settings, context.limiter)
    dmarc = mail.authentication.get("dmarc")
    outcome = answer(session, services, mail.to, parsed, asked, context.clock(), dmarc)
    whom = _whom(session, context, outcome)
    if whom is None:
        return outcome
    own = outcome.account is not None and not outcome.elsewhere and not outcome.unproven
    header = OriginalHeader(
        parsed.sender,
        parsed.subject[:_LONGEST_SUBJECT] if own else "",
        parsed.message_id if own else None,
        parsed.references[-_MOST_REFERENCES:] if own else (),
    )
    return replace(outcome, header=header, due=(whom,))


def _of_a_program(session: Session, context: WorkerContext, mail: Incoming) -> str | None:
    """Record a delivery report; return None if a program's mail is none."""
    bounce = reports.parse(mail.raw)
    if bounce is None:
        return None
    # The address it was sent to counts: its own header can say anything.
    bounce = replace(bounce, reference=mail.to.reference if isinstance(mail.to, ToBounces) else None)
    followed = bounces.record(session, context.settings.secret_keys, bounce, context.clock())
    metrics.bounce(followed)
    return f"bounce: {followed}"


def _whom(session: Session, context: WorkerContext, outcome: Outcome) -> str | None:
    """Return the recipient of the reply: the account, or without one the address that the secret was mailed to.

    The address that a mail claims to be from is never replied to.

    Every reply counts toward the limits, whatever the mail did: programs answer replies, and people send a thousand
    mails. Replies to mails from elsewhere, or from an unproven sender, count separately, so that nobody else can use up
    what the account itself is answered.
    """
    account = None if outcome.account is None else session.get(Account, outcome.account)
    address = outcome.address if account is None else account.email
    if address is None or not (account or outcome.lines):
        return None
    if outcome.elsewhere and account is not None and account.mail_stopped_at is not None:
        return None  # a mail from elsewhere does not prove that the account's address works
    settings, keys = context.settings, context.settings.secret_keys
    if never_mail.is_listed(session, address_hashes(keys, address)):
        return None
    limit, most = Limit.ANSWERS_PER_ADDRESS, settings.limit_answers_per_address
    if outcome.unproven:
        limit, most = Limit.UNPROVEN_PER_ADDRESS, settings.limit_unproven_per_address
    if outcome.elsewhere:
        limit, most = Limit.ANSWERS_FROM_ELSEWHERE, settings.limit_answers_from_elsewhere
    if context.limiter.hit(limit, most, address, session):
        return None
    return ACCOUNT if outcome.elsewhere else SENDER
