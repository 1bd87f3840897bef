"""Authentication: the access token of a request."""

from functools import wraps
from typing import Any

from service.api.authorization import identify
from service.api.context import now, pool
from service.api.flask_adapter import current_request
from service.api.openapi_annotations import View, annotate
from service.api.requests import token_missing
from service.store.accounts import account_of_token

SECURITY_SCHEME = "bearer"

TOKEN_OPTIONAL: list[dict[str, list[str]]] = [{}, {SECURITY_SCHEME: []}]
"""What `takes_token` documents; in the OpenAPI document it holds wherever an operation says nothing else."""


def bearer_hash() -> bytes | None:
    """Return the SHA-256 of the request's access token, None without one; refuse a malformed token.

    The token is not looked up here: the caller does that, in its own statement (hot path) or by ``account_of_token``,
    and calls ``identify`` with what it finds.
    """
    return current_request().token_hash()


def signed_in(view: View) -> View:
    """Require a valid access token (401), and pass the account's id to the view as ``account=`` (a decorator)."""

    @wraps(view)
    def wrapper(**kwargs: Any) -> Any:
        account = _account()
        if account is None:
            raise token_missing()
        return view(account=account, **kwargs)

    return needs_token(wrapper)


def needs_token(view: View) -> View:
    """Document that a view, which looks the token up itself, requires one."""
    return annotate(view, refuses=(401,), operation={"security": [{SECURITY_SCHEME: []}]})


def takes_token(view: View) -> View:
    """Document that a view, which looks the token up itself, accepts one but does not require it."""
    return annotate(view, refuses=(401,), operation={"security": TOKEN_OPTIONAL})


def _account() -> str | None:
    token_hash = bearer_hash()
    if token_hash is None:
        return None
    account = account_of_token(pool(), token_hash, now())
    identify(account, token_hash, needs_token=True)
    return account
