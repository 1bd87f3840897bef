"""``/v1/me``: the caller's own account."""

from typing import Any

from flask import Response

from engine.record import stamp
from service.api.account_schemas import ACCOUNT_EXAMPLE, AccountChangeRequest, AccountSchema, EmailConfirmationRequest
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.callers import refuse_caller, with_caller
from service.api.context import code_limits, now, pool, settings
from service.api.flask_adapter import refused
from service.api.idempotent import idempotent
from service.api.json_response import json_response
from service.api.openapi_annotations import refuses
from service.commands import accounts as commands
from service.errors import Forbidden
from service.queries.accounts import OwnAccount, account_of, own_account
from service.store.base import db
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("me", __name__, description="Your own account.")


_CODE_INVALID = Forbidden(
    "code_invalid",
    "This code is wrong, used or expired, or its address now belongs to another account. Use the newest code, or ask"
    " for"
    " another.",
)
"""The refusal of such a code, the same whatever is wrong with it."""


@blp.route("/v1/me", methods=["GET"])
@with_caller
@blp.response(200, AccountSchema, example=ACCOUNT_EXAMPLE)
def get_me(caller: Bearer) -> Any:
    """Get your account."""
    account = account_of(pool(), caller)
    if account is None:
        refuse_caller(caller)
    return _shown(account)


@blp.route("/v1/me", methods=["PATCH"])
@signed_in
@body(AccountChangeRequest, example={"name": "Ann B.", "language": "fr"})
@refuses(429)
@blp.response(200, AccountSchema, example={**ACCOUNT_EXAMPLE, "name": "Ann B.", "language": "fr"})
def change_me(account: str, body: dict[str, Any]) -> Any:
    """Change your name, language or email address.

    A new address is `pending_email` at first: a code is mailed to it, which you send to `POST /v1/me/email` within 15
    minutes. To cancel a pending change, send your present address. An account may ask for 5 such codes an hour (429
    `mails_limited`); they count toward the limit of its IP address too, as for `POST /v1/sign-ins`.
    """
    with transaction() as session:
        commands.change(session, account, body, now(), code_limits())
        return _shown(own_account(session, account, now()))


@blp.route("/v1/me/email", methods=["POST"])
@signed_in
@body(EmailConfirmationRequest, example={"code": "8F3KQ-2ZT7M"})
@idempotent
@refuses(403, 429)
@blp.response(200, AccountSchema, example=ACCOUNT_EXAMPLE)
def confirm_email(account: str, body: dict[str, Any]) -> Any:
    """Confirm a new email address with the code that was mailed to it.

    A notice is mailed to the old address. A code that is wrong, used or expired, or whose address now belongs to
    another account, is refused with 403 `code_invalid` in each case. An account may try 100 wrong codes an hour (429
    `too_many_tries`).
    """
    at, limits = now(), code_limits()
    with transaction() as session:
        limits.try_code(session, account)
        moved = commands.confirm_email(session, settings().secret_keys, account, body["code"], now=at)
        if moved:
            limits.right_code(session, account)
    if not moved:
        return refused(_CODE_INVALID)  # not raised: that would roll back the count of the tries
    return _shown(own_account(db.session(), account, at))


@blp.route("/v1/me", methods=["DELETE"])
@signed_in
@blp.response(204)
def delete_me(account: str) -> None:
    """Delete your account.

    Running games are resigned, open tables are closed or left, and invitations are taken back. Your name and email
    address, your access tokens, your notes, your messages, your imports, your explorations and what is stored of your
    mails are erased. The records of your games stay valid, without your name.
    """
    with transaction() as session:
        commands.delete_account(session, settings().secret_keys, account, now())


def _shown(account: OwnAccount) -> Response:
    stopped_at = account.mail_stopped_at
    shown = {
        **account._asdict(),
        "created_at": stamp(account.created_at),
        "mail_stopped_at": None if stopped_at is None else stamp(stopped_at),
    }
    return json_response(shown)
