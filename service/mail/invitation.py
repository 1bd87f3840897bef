"""The mail that invites somebody to a table."""

from __future__ import annotations

from service.language.people import display_name
from service.language.safe import one_line
from service.mail.curl import curl
from service.mail.message import Content
from service.mail.rendering import render
from service.queries.mail_facts import Invited


def compose(invited: Invited, secret: str, base_url: str, stop: str, *, answerable: bool = False) -> Content:
    """The mail; `secret` is the invitation's, `stop` the link to get no more like it: for those without an account no
    mail at all. `answerable`: an answer to it is taken in."""
    address, table = invited.to.address, f"{base_url}/v1/games/{invited.table}"
    reader, has_account = invited.to.reader, invited.to.account is not None
    inviter = one_line(invited.inviter or "")
    return render(
        "invitation",
        reader,
        inviter=display_name(inviter, 0) if inviter else None,
        sitting=reader.language.listed(
            display_name(name, seat, reader.language) for seat, name in enumerate(invited.sitting)
        ),
        seats=invited.seats,
        taken=len(invited.sitting),
        goal_discs=invited.goal_discs,
        commitment=invited.commitment,
        secret=secret,
        expires_at=invited.expires_at,
        has_account=has_account,
        ask=curl(f"{base_url}/v1/sign-ins", {"email": address}, token=False),
        exchange=curl(
            f"{base_url}/v1/tokens",
            {"email": address, "code": reader.language.say("THE CODE"), "name": reader.language.say("YOUR NAME")},
            token=False,
        ),
        accept=curl(f"{table}/players", {"invitation": secret}),
        decline=curl(f"{table}/declines", {"invitation": secret}, token=False),
        never=None if has_account else stop,
        unsubscribe=stop if has_account else None,
        answerable=answerable,
    )
