"""``/v1/tokens``: access tokens."""

from datetime import datetime, timedelta
from typing import Any

from service.api.account_schemas import (
    ACCOUNT_EXAMPLE,
    TOKEN_EXAMPLE,
    NewTokenSchema,
    TokenPage,
    TokenRequest,
    TokenSchema,
)
from service.api.auth import bearer_hash, signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.context import code_limits, now, settings
from service.api.etags import conditional
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, cut, decode_cursor, encode_cursor
from service.commands import sign_in
from service.errors import Forbidden
from service.queries import accounts
from service.store.accounts import Token
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint(
    "tokens", __name__, description="Access tokens: exchange a sign-in code for one, list them, and revoke them."
)

_TOKEN = TokenSchema()


def code_invalid() -> Forbidden:
    """Return the refusal of a sign-in code, the same whatever is wrong with it."""
    return Forbidden("code_invalid", sign_in.WRONG_CODE)


@blp.route("/v1/tokens", methods=["POST"])
@body(
    TokenRequest,
    example={
        "email": "ann@example.org",
        "code": "8F3KQ-2ZT7M",
        "name": "Ann",
        "label": "laptop",
        "expires_in_days": 365,
    },
)
@refuses(403, 429)
@blp.response(
    201,
    NewTokenSchema,
    example={"token": "kZ3vJc1nTq0uXo8yB5rWmE7hGdLfPs2iAaV4KbCxYtM", **TOKEN_EXAMPLE, "account": ACCOUNT_EXAMPLE},
)
def create_token(body: dict[str, Any]) -> Any:
    """Exchange a sign-in code for an access token.

    This creates the account if the address has none yet. A code that is wrong, used or expired is refused with 403
    `code_invalid` in each case; the right code of an account that the host has suspended, with 403 `account_suspended`.
    An IP address, or the /64 of an IPv6 address, may try 100 wrong codes an hour (429
    `too_many_tries`); the right code stays valid. An account can have 200 tokens; one more replaces the oldest.
    """
    at, limits = now(), code_limits()
    days = body.get("expires_in_days")
    with transaction() as session:  # commits even if the code is wrong, so that the try counts
        limits.try_code(session)
        made = sign_in.redeem(
            session,
            settings().secret_keys,
            email=body["email"],
            code=body["code"],
            name=body.get("name"),
            language=body.get("language"),
            label=body.get("label"),
            lifetime=timedelta(days=days) if days else None,
            now=at,
            contact=settings().contact,
        )
        if made is not None:
            limits.right_code(session)
    if made is None:
        raise code_invalid()
    account = accounts.own_account(db.session(), made.account.id, at)
    shown = {"token": made.text, **_shown(made.token), "account": account}
    return shown, 201, {"Cache-Control": "no-store"}


@blp.route("/v1/tokens", methods=["GET"])
@signed_in
@query(PageQuery)
@conditional
@blp.response(
    200,
    TokenPage,
    example={"items": [{**TOKEN_EXAMPLE, "kind": "token", "current": True}], "next": None},
    headers=PAGE_HEADERS,
)
def list_tokens(account: str, query: dict[str, Any]) -> Any:
    """List your access tokens and the browsers that are signed in, newest first, without their texts."""
    after: tuple[datetime, str] | None = None
    if "cursor" in query:
        at, token_id = decode_cursor(query["cursor"], datetime, str)
        after = (at, token_id)
    limit = query["limit"]
    found = accounts.tokens(db.session(), account, now(), limit=limit + 1, after=after)
    shown, last = cut(found, limit)
    current = bearer_hash()
    items = [_TOKEN.dump({**_shown(token), "kind": token.kind, "current": token.hash == current}) for token in shown]
    following = None if last is None else encode_cursor(last.created_at, last.id)
    return page_response([encode(each) for each in items], following)


@blp.route("/v1/tokens/<id:token_id>", methods=["DELETE"])
@signed_in
@refuses(404)
@blp.response(204)
def revoke_token(account: str, token_id: str) -> None:
    """Revoke one of your access tokens, which may be the one that you send, or sign a browser out."""
    with transaction() as session:
        sign_in.revoke(session, account, token_id)


def _shown(token: Token) -> dict[str, Any]:
    return {"id": token.id, "label": token.label, "created_at": token.created_at, "expires_at": token.expires_at}
