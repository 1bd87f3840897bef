"""The page /programs: how programs sign in and answer invitations, as commands to paste into a shell.

The page holds no secret: the commands have words in capitals in place of what only a mail contains.
"""

from __future__ import annotations

from flask import Blueprint, Response, request

from service.api.context import settings
from service.ids import ALPHABET, LENGTH
from service.mail.curl import curl
from service.pages import requested_language
from service.pages.rendering import page

blp = Blueprint("programs_page", __name__)


@blp.get("/programs")
def show_programs() -> Response:
    """Show how programs sign in and, with `table`, how they accept and decline an invitation to that table."""
    reader, api = requested_language.reader(), f"{settings().base_url}/v1"
    say, table = reader.language.say, request.args.get("table", "")
    address, secret = say("YOUR ADDRESS"), say("YOUR INVITATION")
    is_table = len(table) == LENGTH and set(table) <= set(ALPHABET)
    exchange = {"email": address, "code": say("THE CODE"), "name": say("YOUR NAME")}
    return page(
        "programs.html",
        reader,
        ask=curl(f"{api}/sign-ins", {"email": address}, token=False),
        exchange=curl(f"{api}/tokens", exchange, token=False),
        accept=curl(f"{api}/games/{table}/players", {"invitation": secret}) if is_table else None,
        decline=curl(f"{api}/games/{table}/declines", {"invitation": secret}, token=False) if is_table else None,
    )
