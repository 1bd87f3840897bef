"""The mails about who somebody is: a code to sign in, a code to confirm an address, the news that an address changed."""

from __future__ import annotations

from service.mail.curl import curl
from service.mail.message import Content
from service.mail.rendering import render
from service.queries.mail_facts import AddressChanged, Coded


def compose_sign_in(coded: Coded, code: str, base_url: str, never: str | None, *, answerable: bool = False) -> Content:
    """The code to sign in with; `never` is the link of those without an account to be left alone. `answerable`: an answer
    to it is taken in, and is as good as the code."""
    body = {"email": coded.to.address, "code": code}
    if coded.to.account is None:
        body["name"] = coded.to.reader.language.say("YOUR NAME")
    command = curl(f"{base_url}/v1/tokens", body, token=False)
    return render(
        "sign_in",
        coded.to.reader,
        code=code,
        expires_at=coded.expires_at,
        command=command,
        never=never,
        answerable=answerable,
        asked=coded.asked,
    )


def compose_address_confirm(coded: Coded, code: str, base_url: str, never: str | None) -> Content:
    """The code that confirms a new address, sent to it; `never` as for a sign-in."""
    command = curl(f"{base_url}/v1/me/email", {"code": code})
    return render(
        "address_confirm", coded.to.reader, code=code, expires_at=coded.expires_at, command=command, never=never
    )


def compose_address_changed(changed: AddressChanged, base_url: str, never: str) -> Content:
    """What the old address is told; it has no account any more, so it may ask to be left alone by the link `never`.

    The mail names no new address: whoever reads it may not be the owner any more.
    """
    return render("address_changed", changed.to.reader, address=changed.to.address, base_url=base_url, never=never)
