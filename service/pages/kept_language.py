"""The language that somebody without an account chose by a link, which the addresses of the pages keep.

There is no cookie for it: an account has a language of its own, a guest's too.
"""

from __future__ import annotations

from flask import request

from service.language.languages import CODES
from service.pages.browser import signed_in


def asked() -> str | None:
    """Return the code of the language in this request's address; None if it has none that there is."""
    code = request.args.get("language", "")
    return code if code in CODES else None


def kept() -> str | None:
    """Return the code of the language that the addresses of a page keep; None if they need none."""
    return asked() if signed_in() is None else None


def with_language(address: str) -> str:
    """Return the address of another page with the language that is kept, if one is."""
    code = kept()
    return address if code is None else f"{address}{'&' if '?' in address else '?'}language={code}"
