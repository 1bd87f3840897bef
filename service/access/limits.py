"""Rate limits in fixed windows that begin with the first hit.

Requests are limited by who makes them: an account, or the network they come from. A stranger could use up a limit by
whom a request concerns, and so lock that person out. Where there is such a limit, to protect a mailbox, its owner still
gets in by other means (`service.commands.code_limits`, `service.commands.invitations`).
"""

import ipaddress
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.secrets import digest
from service.errors import LimitReached, Policy

_PORT = re.compile(r"\[([^\]]*)\](?::\d+)?|([^:]*)(?::\d+)?")
_WIDER, _TIMES = 48, 16
"""The prefix of the wider network that is counted too, and how many times as much it may do.

A host may choose its addresses from a /64, and a customer from a /48, which has 65,536 of those.
"""


class Limit(Enum):
    """The things that are counted: the name of each, the unit of its window, and how many of these units it has."""

    SIGN_INS_PER_ADDRESS = ("sign-ins-per-address", RateLimitItemPerHour)
    SIGN_INS_TO_ADDRESS = ("sign-ins-to-address", RateLimitItemPerHour)
    SIGN_INS_SPACED = ("sign-ins-spaced", RateLimitItemPerMinute, 10)
    SIGN_INS_PER_IP = ("sign-ins-per-ip", RateLimitItemPerHour)
    ADDRESS_CHANGES_PER_ACCOUNT = ("address-changes-per-account", RateLimitItemPerHour)
    ADDRESS_CHANGES_TO_ADDRESS = ("address-changes-to-address", RateLimitItemPerHour)
    CODE_TRIES = ("code-tries", RateLimitItemPerHour)
    INVITATIONS_PER_ACCOUNT = ("invitations-per-account", RateLimitItemPerDay)
    INVITATIONS_PER_RECIPIENT = ("invitations-per-recipient", RateLimitItemPerDay)
    INVITATIONS_TO_RECIPIENT = ("invitations-to-recipient", RateLimitItemPerDay)
    LINKS_PER_ACCOUNT = ("invitation-links-per-account", RateLimitItemPerDay)
    STRANGERS = ("strangers", RateLimitItemPerHour)
    STRANGERS_PER_ADDRESS = ("strangers-per-address", RateLimitItemPerDay)
    QUESTIONS_PER_ADDRESS = ("questions-per-address", RateLimitItemPerDay, 7)
    ANSWERS_PER_ADDRESS = ("answers-per-address", RateLimitItemPerHour)
    EXPLORATIONS_PER_ACCOUNT = ("explorations-per-account", RateLimitItemPerHour)
    IMPORTS_PER_ACCOUNT = ("imports-per-account", RateLimitItemPerHour)
    TABLES_PER_ACCOUNT = ("tables-per-account", RateLimitItemPerDay)
    PICTURES_PER_ACCOUNT = ("pictures-per-account", RateLimitItemPerHour)
    PICTURES_PER_IP = ("pictures-per-ip", RateLimitItemPerHour)
    UNPROVEN_PER_ADDRESS = ("unproven-per-address", RateLimitItemPerDay)
    BEGINNINGS_PER_ACCOUNT = ("beginnings-per-account", RateLimitItemPerDay)
    ANSWERS_FROM_ELSEWHERE = ("answers-from-elsewhere", RateLimitItemPerHour)
    CALENDAR_READS_PER_ACCOUNT = ("calendar-reads-per-account", RateLimitItemPerHour)
    MESSAGES_PER_ACCOUNT = ("messages-per-account", RateLimitItemPerHour)
    GUEST_SOLOS_PER_IP = ("guest-solos-per-ip", RateLimitItemPerHour)
    REQUESTS_PER_TOKEN = ("requests-per-token", RateLimitItemPerMinute)
    REQUESTS_PER_IP = ("requests-per-ip", RateLimitItemPerMinute)
    NEW_TOKENS_PER_IP = ("new-tokens-per-ip", RateLimitItemPerMinute)

    def item(self, amount: int) -> RateLimitItem:
        """Return this limit with an amount, in the form of the `limits` library."""
        name, kind, *multiples = self.value
        item: RateLimitItem = kind(amount, multiples[0] if multiples else 1, name)
        return item

    def policy(self, amount: int) -> Policy:
        """Return this limit with an amount, as clients see it."""
        return Policy(self.value[0], amount, self.item(amount).get_expiry())


class Hit(NamedTuple):
    """One more request by a subject, of which `amount` are allowed in a window; 0 means no limit."""

    limit: Limit
    amount: int
    subject: str


class Reached(NamedTuple):
    """The limit that was reached, its amount, and the whole seconds (at least 1) after which to try again."""

    limit: Limit
    amount: int
    wait: int

    @property
    def policy(self) -> Policy:
        """The limit as clients see it."""
        return self.limit.policy(self.amount)


class Limiter:
    """A counter of hits, in a storage that all processes share.

    Args:
        storage: holds the counters.
        key: a secret key. Subjects such as addresses are stored only as HMACs made with it.
        clock: returns the time, in UTC.
        within: returns the same storage as seen by a transaction.
    """

    def __init__(
        self,
        storage: Storage,
        key: str,
        clock: Callable[[], datetime],
        within: Callable[[Session], Storage] | None = None,
    ) -> None:
        self._storage = storage
        self._key = key
        self._clock = clock
        self._within = within

    def hit(self, limit: Limit, amount: int, subject: str, session: Session | None = None) -> int:
        """Count one hit of a subject, of which `amount` are allowed in a window; see `hit_all`.

        Returns:
            0 if it is allowed, or else the whole seconds (at least 1) after which to try again.
        """
        reached = self.hit_all([Hit(limit, amount, subject)], session)
        return reached.wait if reached else 0

    def hit_all(self, hits: Sequence[Hit], session: Session | None = None) -> Reached | None:
        """Count all of these hits or, if one of them is not allowed, none, and return the limit that was reached.

        With a `session` they are counted in its transaction, so what is refused later, or fails, is not counted; others
        who hit the same counter wait for its end. Without one they are counted whatever becomes of the request.
        """
        for number, hit in enumerate(hits):
            if wait := self._count(hit, session):
                for counted in hits[:number]:
                    self.give_back(*counted, session=session)
                return Reached(hit.limit, hit.amount, wait)
        return None

    def require(
        self, hits: Sequence[Hit], code: str, detail: Phrase | Mapping[Limit, Phrase], session: Session | None = None
    ) -> None:
        """Count all of these hits as `hit_all` does, or refuse the request.

        Raises:
            LimitReached: one of them is not allowed; the refusal has this code, and the detail, for this limit if they
                are given by limit.
        """
        if reached := self.hit_all(hits, session):
            said = detail if isinstance(detail, Phrase) else detail[reached.limit]
            raise LimitReached(code, said, retry_after=reached.wait, policy=reached.policy)

    def give_back(self, limit: Limit, amount: int, subject: str, session: Session | None = None) -> None:
        """Take back a hit that was allowed, because what it was for was not done or does not count."""
        if amount:
            self._windows(session).hit(limit.item(amount), self._hashed(subject), cost=-1)

    def _count(self, hit: Hit, session: Session | None) -> int:
        if hit.amount == 0:
            return 0
        windows, item, hashed = self._windows(session), hit.limit.item(hit.amount), self._hashed(hit.subject)
        if windows.hit(item, hashed):
            return 0
        ends = windows.get_window_stats(item, hashed).reset_time
        windows.hit(item, hashed, cost=-1)  # otherwise a hit that is given back later would free no place
        return max(1, math.ceil(ends - self._clock().timestamp()))

    def _windows(self, session: Session | None) -> FixedWindowRateLimiter:
        if session is None:
            return FixedWindowRateLimiter(self._storage)
        assert self._within is not None, "this limiter was not told how to count within a transaction"
        return FixedWindowRateLimiter(self._within(session))

    def _hashed(self, subject: str) -> str:
        return digest(self._key, "limit", subject).hex()


def by_network(limit: Limit, amount: int, ip: str, about: str = "") -> list[Hit]:
    """Return the hits of a request from this IP address, about the subject `about` if that is given."""
    return [Hit(limit, most, f"{network}{about and ' '}{about}") for network, most in networks_of(ip, amount)]


def networks_of(ip: str, amount: int) -> list[tuple[str, int]]:
    """Return the networks that a visitor with this IP address counts for, each with what all of it may have.

    An IPv6 host has a network to itself, and may have many of them: the wider one may have a multiple of the amount.
    """
    networks = [(network_of(ip), amount)]
    wider = network_of(ip, _WIDER)
    if wider.endswith(f"/{_WIDER}"):
        networks.append((wider, amount * _TIMES))
    return networks


def network_of(ip: str, prefix: int = 64) -> str:
    """Return the network of one visitor: an IPv4 address, or the IPv6 prefix that one host has to itself."""
    told = _PORT.fullmatch(ip)  # some proxies append the port
    try:
        address = ipaddress.ip_address((told and (told[1] or told[2])) or ip)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((int(address), prefix), strict=False))
    return str(address)
