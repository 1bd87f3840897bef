"""E-mail addresses: which are taken, and their one spelling."""

import re

from service.access.misfit import Misfit

MAX_LENGTH = 254

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

#: RFC 5321 without quoted names, address literals and anything but ASCII; the same in ECMA 262 and in Python.
PATTERN = rf"^{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*$"

_ADDRESS = re.compile(PATTERN.removesuffix("$") + r"\Z")


def normalise(text: str) -> str:
    """The one spelling of an address: without white space around it, in lower case.

    Raises:
        Misfit: when the text is no address of at most 254 ASCII characters.
    """
    address = text.strip().lower()
    if len(address) > MAX_LENGTH or not address.isascii() or not _ADDRESS.match(address):
        raise Misfit("Must be an e-mail address such as ann@example.org, at most 254 characters, ASCII only.")
    return address
