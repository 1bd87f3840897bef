"""The tasks that send mail, and the one that forgets what was kept of it.

Delivery is at least once: a worker that is killed after the relay took a mail and before the job was marked sends it
again, under the same Message-ID. No transaction is open while the relay is spoken to.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog
from procrastinate import App

from service.access.address_hash import address_hashes
from service.jobs.backoff import BackOff
from service.jobs.letters import LETTERS, Letter
from service.jobs.workshop import Workshop
from service.mail.failures import PermanentFailure, TransientFailure
from service.mail.message import build
from service.mail.post import maildir

_log = structlog.get_logger(__name__)


def register(app: App, workshop: Workshop) -> None:
    """Make the tasks known to the application, under the names that they are deferred by."""
    for name, write in LETTERS.items():
        app.task(name=name, retry=BackOff())(_sending(workshop, name, write))

    @app.task(name="forget_mail", retry=BackOff())
    def forget_mail(address_hash: str) -> None:
        with _unnamed():
            _forget(workshop, bytes.fromhex(address_hash))


def _sending(workshop: Workshop, name: str, write: Callable[..., Letter | None]) -> Callable[..., None]:
    def send(**ids: int | str) -> None:
        with _unnamed():
            now = workshop.clock()
            with workshop.sessions.begin() as session:
                letter = write(session, workshop.settings, now, **ids)
            if letter is None:
                _log.info("mail dropped: there is nothing to say any more", task=name, **ids)
                return
            workshop.post.deliver(build(letter.content, letter.envelope, now))
            _log.info("mail sent", task=name, **ids)
            if letter.after is not None:
                with workshop.sessions.begin() as session:
                    letter.after(session)

    return send


def _forget(workshop: Workshop, address_hash: bytes) -> None:
    """Remove the mails to an address from the Maildir, which may hold some from before there was a relay."""
    if workshop.settings.data_dir is not None:
        keys = workshop.settings.secret_keys
        maildir(workshop.settings).forget(lambda address: address_hash in address_hashes(keys, address))


@contextmanager
def _unnamed() -> Iterator[None]:
    """Lets no error out whose text could hold an address or a name, as the worker logs them all."""
    try:
        yield
    except (TransientFailure, PermanentFailure):
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is, it is tried again, and told without its text)
        frame = traceback.extract_tb(error.__traceback__)[-1]
        raise TransientFailure(f"{type(error).__name__} at {frame.filename}:{frame.lineno} in {frame.name}") from None
