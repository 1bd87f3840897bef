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

from service.jobs.relay_watch import RelayWatch
from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.mail.relay_group import relays
from service.store import clock, signs

EVERY = 20.0
"""Seconds between two questions."""

_PATIENCE = 15.0
"""Seconds that the mail server has for each answer."""

_PUT_OFF = "it put off the mails to several domains, and has accepted none since"

_log = structlog.get_logger(__name__)


async def keep_asking(context: WorkerContext, watch: RelayWatch, every: float = EVERY) -> None:
    """Ask each mail server again and again, until this is canceled; return at once if there is none.

    One that is slow to answer delays no other.
    """
    if context.settings.smtp_url is None:
        return
    asked = [weighted.relay for weighted in relays(context.settings.smtp_url, timeout=_PATIENCE)]
    await asyncio.gather(*(_keep_asking(context, watch, relay, every) for relay in asked))


async def _keep_asking(context: WorkerContext, watch: RelayWatch, relay: Relay, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        await asyncio.to_thread(_ask_safely, context, watch, relay)


def _ask_safely(context: WorkerContext, watch: RelayWatch, relay: Relay) -> None:
    """Ask as `ask` does, and log any error instead of raising it, so that the asking goes on."""
    try:
        ask(context, watch, relay)
    except (DBAPIError, PoolTimeout) as error:
        _log.warning("heartbeat not written", part=signs.RELAY, why=type(error).__name__)
    except Exception as error:  # noqa: BLE001
        _log.error("the mail server could not be asked", relay=relay.name, exc_info=error)


def ask(context: WorkerContext, watch: RelayWatch, relay: Relay) -> bool:
    """Ask a mail server once, and store the sign of life if it accepts mail; return whether it does.

    If it has put off the mails to all domains (`watch`), it accepts none, whatever it says.
    """
    sender = parseaddr(context.settings.mail_from)[1]
    why = _PUT_OFF if watch.refuses_everything else relay.reason_against(sender)
    if why is not None:
        _log.warning("the mail server accepts no mail", relay=relay.name, why=why)
        return False
    with context.sessions.begin() as session:
        signs.sign(session, signs.RELAY, clock.read(session))
    return True
