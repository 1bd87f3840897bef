"""Several relays: each takes its share of the mails by its weight, and one that fails is left out for a while.

A mail goes to the next relay only if the one before had nothing of it yet, so that no mail is sent twice.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from threading import Lock
from typing import NamedTuple

import structlog

from service import metrics
from service.mail.failures import RelayUnavailable, TransientFailure, Unacknowledged
from service.mail.relay import TIMEOUT, Relay
from service.mail.smtp_pool import SmtpConnectionPool

SHORTEST, LONGEST = 15.0, 300.0
"""The seconds for which a relay is left out after its first failure, and the most after further ones."""

_WEIGHT = "?weight="

_log = structlog.get_logger(__name__)


class WeightedRelay(NamedTuple):
    """A relay, and its share of the mails beside that of others."""

    relay: Relay
    weight: int


def relays(urls: str, *, timeout: float = TIMEOUT) -> list[WeightedRelay]:
    """Return the relays of `NOVALUNA_SMTP_URL`; one without a weight has 1."""
    found = []
    for each in urls.split():
        url, _, weight = each.partition(_WEIGHT)
        found.append(WeightedRelay(Relay.from_url(url, timeout=timeout), int(weight or 1)))
    return found


@dataclass(slots=True)
class _Member:
    """A relay of the group, its failures in a row, and until when it is left out (monotonic)."""

    name: str
    weight: int
    pool: SmtpConnectionPool
    failures: int = 0
    out_until: float = 0.0


class RelayGroup:
    """The relays of a process. Threads may share it.

    Args:
        weighted: the relays.
        chance: the source of chance by which the mails are spread.
        clock: returns seconds that never go back.
    """

    def __init__(
        self,
        weighted: Sequence[WeightedRelay],
        chance: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._members = [_Member(relay.name, weight, SmtpConnectionPool(relay)) for relay, weight in weighted]
        self._chance = chance or random.Random()
        self._clock = clock
        self._lock = Lock()

    def deliver(
        self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
    ) -> bool:
        """Send a message by one of the relays; return and raise as `Relay.deliver` does.

        Raises:
            RelayUnavailable: no relay could be given the mail.
        """
        failure: RelayUnavailable | None = None
        for member in self._order():
            try:
                taken = member.pool.deliver(message, return_path, last_look)
            except RelayUnavailable as error:
                self._fails(member, error)
                failure = error
                continue
            except Unacknowledged as error:
                self._fails(member, error)
                raise
            self._works(member)
            return taken
        assert failure is not None, "there is a relay"
        raise failure

    def close(self) -> None:
        """Close all idle connections."""
        for member in self._members:
            member.pool.close()

    def _order(self) -> list[_Member]:
        """Return all relays in an order by chance and weight; those that are left out come last, longest out first."""
        now = self._clock()
        with self._lock:
            left = [member for member in self._members if member.out_until <= now]
            out = sorted((it for it in self._members if it.out_until > now), key=lambda member: member.out_until)
            order = []
            while left:
                (chosen,) = self._chance.choices(left, [member.weight for member in left])
                left.remove(chosen)
                order.append(chosen)
        return order + out

    def _fails(self, member: _Member, why: TransientFailure) -> None:
        metrics.relay(member.name, "failed")
        with self._lock:
            now = self._clock()
            if member.out_until > now:
                return
            member.failures += 1
            seconds = min(SHORTEST * 2 ** (member.failures - 1), LONGEST)
            member.out_until = now + seconds
        _log.warning("a mail server is left out for a while", relay=member.name, seconds=seconds, why=str(why))

    def _works(self, member: _Member) -> None:
        metrics.relay(member.name, "accepted")
        with self._lock:
            member.failures, member.out_until = 0, 0.0
