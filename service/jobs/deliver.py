"""The tasks that send mail, and the one that forgets what was kept of it.

Delivery is at least once: of a worker that is killed, or counts as dead, after the relay took a mail and before that was
put down, the next one sends it again, under the same Message-ID. No transaction is open while the relay is spoken to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage
from functools import partial

import structlog
from procrastinate import App, JobContext

from service import metrics
from service.access.address_hash import address_hashes
from service.access.return_path import references, return_path
from service.jobs import ledger
from service.jobs.answers import for_answer
from service.jobs.backoff import BackOff, is_last
from service.jobs.digest import for_digest
from service.jobs.letters import LETTERS, Letter, NoLetter, heeding_list
from service.jobs.life import Life
from service.jobs.relay_watch import RelayWatch
from service.jobs.telling import told
from service.jobs.workshop import Workshop
from service.mail.failures import TransientFailure
from service.mail.maildir import Kept
from service.mail.message import Content, build
from service.mail.scenes import captioned
from service.mail.transport import maildir
from service.store import epoch
from service.store.accounts import is_erased

WRITERS: dict[str, Callable[..., Letter | NoLetter | None]] = LETTERS | {
    "mail_digest": for_digest,
    "mail_answer": for_answer,
}
"""What each task that sends a mail sends."""

_COUNTED = frozenset({"mail_closed", "mail_talk", "mail_digest", "mail_answer"})
"""Mails whose keys are made of numbers and days that come again after a restore, so that they are known by the epoch too."""

_TRIES = (True, True, False)
"""Whether a mail waits for a picture, try by try: each follows on one whose facts changed before it could leave."""

_log = structlog.get_logger(__name__)


def register(app: App, workshop: Workshop, life: Life) -> None:
    """Make the tasks known to the application, under the names that they are deferred by.

    They send nothing while the worker whose life this is counts as dead.
    """
    relay = RelayWatch()
    for name, write in WRITERS.items():
        app.task(name=name, retry=BackOff(), pass_context=True)(_sending(workshop, life, relay, name, write))

    @app.task(name="forget_mail", retry=BackOff())
    def forget_mail(address_hash: str, account: str, until_ms: int) -> None:
        with told("forget_mail", account=account):
            _forget(workshop, bytes.fromhex(address_hash), account, until_ms)


def _sending(
    workshop: Workshop,
    life: Life,
    relay: RelayWatch,
    name: str,
    write: Callable[..., Letter | NoLetter | None],
) -> Callable[..., None]:
    def send(context: JobContext, /, **ids: int | str) -> None:
        with told(name, **ids):
            _Sending(workshop, life, name, write, ids, relay).send(is_last(context.job))

    return send


class _Sending:
    """One mail on its way: whether it is wanted and what it tells, as it was last read.

    A picture and a relay take their time, in which moves are made, wishes change, people leave and are erased. So all
    of it is read again as the last thing before the content is given away, and only what is still true leaves.
    """

    def __init__(
        self,
        workshop: Workshop,
        life: Life,
        name: str,
        write: Callable[..., Letter | NoLetter | None],
        ids: dict[str, int | str],
        relay: RelayWatch,
    ) -> None:
        self._workshop, self._life, self._relay = workshop, life, relay
        self._name, self._write, self._ids = name, write, ids
        self._look()

    def send(self, is_last_try: bool) -> None:
        """Send it, or put down why not. Raises TransientFailure or PermanentFailure where it can't be sent."""
        for with_picture in _TRIES:
            letter = self._letter
            if not isinstance(letter, Letter):
                self._leave(letter)
                return
            message = build(_composed(self._workshop, letter, with_picture), letter.envelope, self._page.now)
            with self._page.sending(is_last_try):
                taken = self._hand_over(message, letter)
            if taken:
                _log.info("mail sent", task=self._name, **self._ids)
                metrics.mail(self._name, "sent")
                self._page.sent(letter.after)
                _unless_erased(self._workshop, letter)
                return
        raise TransientFailure("what it tells changed each time that it was about to leave")

    def _hand_over(self, message: EmailMessage, letter: Letter) -> bool:
        return_path = _return_path(self._workshop, letter)
        try:
            taken = self._workshop.transport.deliver(message, return_path, partial(self._holds, letter))
        except TransientFailure:
            if not self._life.counts_as_dead:
                self._relay.fails(self._workshop)
            raise
        if taken:
            self._relay.works(self._workshop)
        return taken

    def _look(self) -> None:
        now = self._workshop.clock()
        with self._workshop.session() as session:
            self._page = ledger.page(session, self._workshop, self._name, self._ids, now)
            wanted = self._page.is_wanted
            letter = self._write(session, self._workshop.settings, now, **self._ids) if wanted else None
            letter = heeding_list(session, self._workshop.settings, letter)
            if isinstance(letter, Letter):
                if self._name in _COUNTED:
                    letter = letter.of_history(epoch.current(session))
                reference, *_ = references(self._workshop.settings.secret_keys, letter.envelope.id)
                self._page = replace(self._page, reference=reference)
            self._letter = letter

    def _holds(self, letter: Letter) -> bool:
        """Look once more, and return whether this letter is still what there is to be sent."""
        self._look()
        if self._life.counts_as_dead:
            raise TransientFailure("this worker gave no sign of life for so long that another one may send it")
        return isinstance(self._letter, Letter) and self._letter.tells_the_same_as(letter)

    def _leave(self, letter: NoLetter | None) -> None:
        why = self._page.leave(letter)
        _log.info("mail dropped", task=self._name, why=why, **self._ids)
        metrics.mail(self._name, "dropped")


def _composed(workshop: Workshop, letter: Letter, with_picture: bool) -> Content:
    """Compose what the mail says, with its picture if it has one and that can be had in time."""
    illustrator = workshop.illustrator if with_picture else None
    png = illustrator.png(letter.scene) if illustrator and letter.scene else None
    return letter.compose(captioned(png, letter.scene) if png and letter.scene else None)


def _return_path(workshop: Workshop, letter: Letter) -> str:
    reference, *_ = references(workshop.settings.secret_keys, letter.envelope.id)
    return return_path(workshop.settings.mail_from, reference)


def _unless_erased(workshop: Workshop, letter: Letter) -> None:
    if workshop.settings.smtp_url is not None or letter.account is None:
        return  # and what the relay has is not here to be removed
    with workshop.session() as session:
        erased = is_erased(session, letter.account)
    if erased:  # while it was sent, and `forget_mail` may have come before it
        _keep_no_longer(workshop, lambda kept: kept.key == letter.envelope.key)


def _forget(workshop: Workshop, address_hash: bytes, account: str, until_ms: int) -> None:
    """Remove the mails of an erased account: those that name it by their key, and those that its address had got."""
    keys = workshop.settings.secret_keys
    _keep_no_longer(
        workshop,
        lambda kept: (
            kept.key.endswith(f".{account}")
            or (kept.at_ms <= until_ms and address_hash in address_hashes(keys, kept.address))
        ),
    )


def _keep_no_longer(workshop: Workshop, is_meant: Callable[[Kept], bool]) -> None:
    """Remove mails from the Maildir, which may hold some from before there was a relay."""
    if workshop.settings.data_dir is not None:
        maildir(workshop.settings).forget(is_meant)
