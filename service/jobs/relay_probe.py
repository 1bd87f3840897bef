"""Ask the mail server now and then whether it accepts mail, which is its sign of life (CLOCKS.md 8.1).

Of several, one that does is enough.

A refusal of one mail or one address is no failure; no answer, or a refusal of the service's own address, is one.
"""

from __future__ import annotations

import asyncio
from email.utils import parseaddr

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.mail.relay_group import relays
from service.store import clock, signs

EVERY = 20.0
"""Seconds between two questions."""

_PATIENCE = 15.0
"""Seconds that the mail server has for each answer."""

_log = structlog.get_logger(__name__)


async def keep_asking(context: WorkerContext, every: float = EVERY) -> None:
    """Ask the mail server again and again, until this is canceled; return at once if there is none."""
    if context.settings.smtp_url is None:
        return
    asked = [weighted.relay for weighted in relays(context.settings.smtp_url, timeout=_PATIENCE)]
    while True:
        await asyncio.sleep(every)
        await asyncio.to_thread(ask, context, *asked)


def ask(context: WorkerContext, *asked: Relay) -> bool:
    """Ask the mail servers once, and store the sign of life if one accepts mail; return whether one does."""
    sender = parseaddr(context.settings.mail_from)[1]
    if not any(relay.accepts_mail(sender) for relay in asked):
        _log.warning("the mail server accepts no mail")
        return False
    try:
        with context.sessions.begin() as session:
            signs.sign(session, signs.RELAY, clock.read(session))
    except (DBAPIError, PoolTimeout) as error:
        _log.warning("no sign of life could be given", part=signs.RELAY, why=type(error).__name__)
    return True
