"""The limits of mails by destination domain, as `NOVALUNA_MAIL_LIMITS` has them.

A provider with several domains, such as `gmail.com,googlemail.com`, has one limit for all of them, which counts by the
first name. `*` is the limit of each domain that is not named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

_RIGHT = (
    "it must be domains and their limits, such as gmail.com,googlemail.com=20/s,10 *=300/m: mails a second (/s), a "
    "minute (/m) or an hour (/h), and how many at once; either may be left out. * is any other domain."
)
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_LIMIT = re.compile(r"(?:([1-9][0-9]{0,6})/([smh]))?(,)?([1-9][0-9]{0,3})?")
_UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1)}
_ANY = "*"


@dataclass(frozen=True, slots=True)
class DomainLimit:
    """The sending limits of a domain: the least time between two mails (0: none), and the most at once (None: any)."""

    pace: timedelta = timedelta(0)
    at_once: int | None = None


UNLIMITED = DomainLimit()


@dataclass(frozen=True, slots=True)
class MailLimits:
    """The limits of all domains.

    Attributes:
        limits: the limit of each domain by its first name, and under `*` that of the others.
        aliases: the further names of domains, each with the first one.
    """

    limits: Mapping[str, DomainLimit] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, value: str) -> MailLimits:
        """Return the limits that a setting names.

        Raises:
            ValueError: the text says what would be right.
        """
        limits: dict[str, DomainLimit] = {}
        aliases: dict[str, str] = {}
        for entry in value.split():
            names, _, limit = entry.lower().partition("=")
            first, *others = names.split(",")
            for name in (first, *others):
                if not (_DOMAIN.fullmatch(name) or entry.startswith(f"{_ANY}=")) or len(name) > 253:
                    raise ValueError(_RIGHT)
                if name in limits or name in aliases:
                    raise ValueError("it names a domain twice.")
                aliases |= {name: first} if name != first else {}
                limits |= {first: _read(limit)} if name == first else {}
        return cls(limits, aliases)

    def domain(self, address: str) -> str:
        """Return the domain of an email address, by the first of its names."""
        name = address.rpartition("@")[2].lower().rstrip(".")
        return self.aliases.get(name, name)

    def of(self, domain: str) -> DomainLimit:
        """Return the limit of a domain, which is given by the first of its names."""
        return self.limits.get(domain) or self.limits.get(_ANY, UNLIMITED)


def _read(limit: str) -> DomainLimit:
    found = _LIMIT.fullmatch(limit)
    if found is None or not limit or bool(found[3]) != bool(found[1] and found[4]):
        raise ValueError(_RIGHT)
    pace = _UNITS[found[2]] / int(found[1]) if found[1] else timedelta(0)
    return DomainLimit(pace, int(found[4]) if found[4] else None)
