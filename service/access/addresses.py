"""Validate and normalize email addresses."""

import re

from service.access.invalid_text import InvalidText

MAX_LENGTH = 254

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

PATTERN = rf"^{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*$"
"""RFC 5321 without quoted names, address literals and non-ASCII characters; valid both in ECMA 262 and in Python."""

_GMAIL = ("gmail.com", "googlemail.com")

_ADDRESS = re.compile(PATTERN.removesuffix("$") + r"\Z")


def normalize(text: str) -> str:
    """Return the normalized form of an address: in lower case, without surrounding white space.

    Raises:
        InvalidText: the text is no address of at most 254 ASCII characters.
    """
    address = text.strip()
    if len(address) > MAX_LENGTH or not address.isascii() or not _ADDRESS.match(address):
        raise InvalidText("Must be an email address such as ann@example.org, at most 254 characters, ASCII only.")
    return address.lower()  # not before: the small letter of the Kelvin sign, for one, is k


def mailbox(address: str) -> str:
    """Return the form under which the addresses of one mailbox are counted together by limits.

    Whoever has `ann@example.org` also has `ann+any@example.org` with most providers, and with Gmail, whose mailboxes
    have two domains, `a.nn@googlemail.com`. With some they are different people, so accounts and the list of addresses
    that get no mail know addresses only as they are spelled: nobody unsubscribes for somebody else.

    Args:
        address: a normalized address.
    """
    name, _, domain = address.rpartition("@")
    name = name.partition("+")[0] or name
    return f"{name.replace('.', '')}@{_GMAIL[0]}" if domain in _GMAIL else f"{name}@{domain}"


def from_mail(text: str) -> str:
    """Return the normalized form of an address that a mail has, whose domain may have letters beyond ASCII (RFC 5891).

    They become the ASCII form that the domain name system has: `ann@müller.example` is `ann@xn--mller-kva.example`.
    A domain is refused if that form stands for another one too, as `straße` does for `strasse` in the older standard
    that Python knows.

    Raises:
        InvalidText: the text is no address with such a domain and with at most 254 ASCII characters then.
    """
    local, at, domain = text.strip().rpartition("@")
    if domain.isascii() or len(domain) > MAX_LENGTH:
        return normalize(text)
    try:
        ascii_domain = domain.encode("idna").decode()
        is_same = ascii_domain.encode().decode("idna").lower() == domain.lower()
    except UnicodeError:
        return normalize(text)  # which refuses it
    if not is_same or any(c.lower().isascii() for c in domain if not c.isascii()):
        return normalize(text)
    return normalize(f"{local}{at}{ascii_domain}")
