"""Reads the mails that came in, and does what they ask for.

A mail is read, does all that it does, and has its answer called for in one transaction: a worker that is killed in it has
done nothing, and the next one does everything. What programs wrote is put down, and never answered.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import structlog
from procrastinate import App
from sqlalchemy.orm import Session

from service import metrics
from service.access.limits import Limit
from service.access.reply_addresses import ToBounces, own_address
from service.commands import bounces
from service.commands.answer_starts import Means
from service.commands.answering import answer
from service.commands.outcome import Heading, Outcome
from service.jobs.backoff import BackOff
from service.jobs.telling import told
from service.jobs.workshop import Workshop
from service.queries.answer_facts import ACCOUNT, SENDER
from service.reading import bounces as reports
from service.reading.answer import understand
from service.reading.letter import Letter, read
from service.store import incoming as mails
from service.store.accounts import Account
from service.store.incoming import Incoming
from service.store.queue import defer

_LONGEST_SUBJECT = 200
_MOST_REFERENCES = 20

_log = structlog.get_logger(__name__)


def register(app: App, workshop: Workshop) -> None:
    """Make the task known that reads a mail."""

    @app.task(name="take_in", retry=BackOff())
    def task(incoming: int) -> None:
        with told("take_in", incoming=incoming):
            take_in(workshop, incoming)


def take_in(workshop: Workshop, id: int) -> None:
    """Read the mail with this id and do what it asks for; nothing if that was done."""
    now = workshop.clock()
    with workshop.sessions.begin() as session:
        mail = mails.hold(session, id)
        if mail is None:
            _log.info("mail was taken in before", incoming=id)
            return
        outcome = _outcome(session, workshop, mail)
        mails.read(session, id, outcome.to_json() if outcome.due else None, now)
        for whom in outcome.due:
            defer(session, "mail_answer", {"incoming": id, "whom": whom}, queueing_lock=f"answer:{id}:{whom}")
    did = Counter(line.what for line in outcome.lines)
    _log.info("mail taken in", incoming=id, did=dict(did), nothing=outcome.nothing, put_down=outcome.put_down)


def _outcome(session: Session, workshop: Workshop, mail: Incoming) -> Outcome:
    """What comes of a mail, and who is to be answered."""
    settings = workshop.settings
    letter = read(mail.raw, domain=own_address(settings).rpartition("@")[2], return_path=mail.sender)
    if isinstance(mail.to, ToBounces) or letter.automatic is not None:
        return Outcome(put_down=_of_a_program(session, workshop, mail) or letter.automatic)
    means = Means(settings, workshop.limiter)
    outcome = answer(session, means, mail.to, letter, understand(letter), workshop.clock())
    if outcome.account is None and not outcome.lines:
        return outcome
    heading = Heading(
        letter.sender,
        letter.subject[:_LONGEST_SUBJECT],
        letter.message_id,
        letter.references[-_MOST_REFERENCES:],
    )
    return replace(outcome, letter=heading, due=_due(session, workshop, outcome, letter))


def _of_a_program(session: Session, workshop: Workshop, mail: Incoming) -> str | None:
    """Take note of what a program's mail says of a delivery; None if it says nothing of one."""
    bounce = reports.parse(mail.raw)
    if bounce is None:
        return None
    # What counts is where it was sent to: its own head can say anything.
    bounce = replace(bounce, reference=mail.to.reference if isinstance(mail.to, ToBounces) else None)
    followed = bounces.record(session, workshop.settings.secret_keys, bounce, workshop.clock())
    metrics.bounce(followed)
    return f"bounce: {followed}"


def _due(session: Session, workshop: Workshop, outcome: Outcome, letter: Letter) -> tuple[str, ...]:
    """Who is answered: whoever wrote, and the account's own address if that is another one.

    Whoever writes much to which nothing can be done is answered no more for a while. Such a mail may be that of a program
    that answers every answer; one that moved something is answered always, since no loop goes on with that.
    """
    account = None if outcome.account is None else session.get(Account, outcome.account)
    own = None if account is None else account.email
    addresses = {SENDER: letter.sender or own}
    if account is not None and outcome.elsewhere and account.mail_stopped_at is None:
        addresses[ACCOUNT] = own
    if outcome.changed:
        return tuple(addresses)
    most = workshop.settings.limit_answers_per_address
    hit = workshop.limiter.hit
    return tuple(
        whom
        for whom, address in addresses.items()
        if address and not hit(Limit.ANSWERS_PER_ADDRESS, most, address.lower())
    )
