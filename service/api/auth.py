"""Who is calling: the bearer token of a request."""

from functools import wraps
from typing import Any

from flask import request

from service.access import tokens
from service.api.context import now, straight
from service.api.documented import View, annotate
from service.errors import Unauthorized
from service.store.accounts import account_of_token

SECURITY_SCHEME = "bearer"


def bearer_hash() -> bytes | None:
    """The SHA-256 of the bearer token that this request brings, None if it has no Authorization header.

    It does not look the token up: the caller does, in a read of its own (hot path) or by ``account_of_token``. If
    that finds nothing, the answer is ``unknown_token()``.

    Raises:
        Unauthorized: the header is not ``Bearer`` and a token as this service makes them.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not tokens.PATTERN.fullmatch(token):
        raise unknown_token()
    return tokens.hash_of(token)


def unknown_token() -> Unauthorized:
    """The refusal of a token that is malformed, unknown, revoked or expired."""
    return Unauthorized(
        "token_invalid",
        "The header Authorization has to be 'Bearer' and a token that is still valid; get one with POST /v1/tokens.",
    )


def token_missing() -> Unauthorized:
    """The refusal of a request without a token where one is needed."""
    return Unauthorized("token_missing", "Sign in: send the header 'Authorization: Bearer' with a token.")


def signed_in(view: View) -> View:
    """Decorator, outermost: refuses without a valid token (401), and hands the view the account's id as ``account=``."""

    @wraps(view)
    def wrapper(**kwargs: Any) -> Any:
        account = _account()
        if account is None:
            raise token_missing()
        return view(account=account, **kwargs)

    return needs_token(wrapper)


def needs_token(view: View) -> View:
    """Documents that a view needs a token, for one that looks it up by itself."""
    return annotate(view, refuses=(401,), operation={"security": [{SECURITY_SCHEME: []}]})


def takes_token(view: View) -> View:
    """Documents that a view takes a token and does without, for one that looks it up by itself."""
    return annotate(view, refuses=(401,), operation={"security": [{SECURITY_SCHEME: []}, {}]})


def _account() -> str | None:
    token_hash = bearer_hash()
    if token_hash is None:
        return None
    account = account_of_token(straight(), token_hash, now())
    if account is None:
        raise unknown_token()
    return account
