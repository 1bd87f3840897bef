"""Rate limits, in fixed windows that begin with the first hit."""

import ipaddress
import math
from collections.abc import Callable
from datetime import datetime
from enum import Enum

from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from service.access.secrets import digest


class Limit(Enum):
    """What is counted, and by how long a window."""

    SIGN_INS_PER_ADDRESS = ("sign-ins-per-address", RateLimitItemPerHour)
    SIGN_INS_PER_IP = ("sign-ins-per-ip", RateLimitItemPerHour)
    INVITATIONS_PER_ACCOUNT = ("invitations-per-account", RateLimitItemPerDay)
    INVITATIONS_PER_RECIPIENT = ("invitations-per-recipient", RateLimitItemPerDay)
    STRANGERS = ("strangers", RateLimitItemPerHour)
    STRANGERS_PER_ADDRESS = ("strangers-per-address", RateLimitItemPerDay)
    ANSWERS_PER_ADDRESS = ("answers-per-address", RateLimitItemPerHour)
    MESSAGES_PER_ACCOUNT = ("messages-per-account", RateLimitItemPerHour)

    def item(self, amount: int) -> RateLimitItem:
        """This limit at an amount, as the library has it."""
        name: str = self.value[0]
        kind: type[RateLimitItem] = self.value[1]
        return kind(amount, 1, name)


class Limiter:
    """Counts hits in a storage that all processes share.

    Args:
        storage: where the counters are.
        key: a secret key; subjects (addresses, IPs) are only kept as HMACs made with it.
        clock: gives the time, in UTC.
    """

    def __init__(self, storage: Storage, key: str, clock: Callable[[], datetime]) -> None:
        self._windows = FixedWindowRateLimiter(storage)
        self._key = key
        self._clock = clock

    def hit(self, limit: Limit, amount: int, subject: str) -> int:
        """Counts one hit of a subject against ``amount`` a window.

        Returns:
            0 if it is let through, else the whole seconds (at least 1) after which to try again. An ``amount``
            of 0 is no limit. The count stays, whatever becomes of the caller's transaction.
        """
        if amount == 0:
            return 0
        item = limit.item(amount)
        hashed = digest(self._key, "limit", subject).hex()
        if self._windows.hit(item, hashed):
            return 0
        ends = self._windows.get_window_stats(item, hashed).reset_time
        return max(1, math.ceil(ends - self._clock().timestamp()))


def network_of(ip: str) -> str:
    """What counts as one visitor: an IPv4 address, or the /64 that an IPv6 host can choose its addresses from."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, 64), strict=False))
    return str(address)
