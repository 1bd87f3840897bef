"""Who is calling: the bearer token of a request."""

from functools import wraps
from typing import Any

from service.api.context import now, straight
from service.api.documented import View, annotate
from service.api.flask_adapter import current_request
from service.api.requests import token_missing, unknown_token
from service.store.accounts import account_of_token

SECURITY_SCHEME = "bearer"


def bearer_hash() -> bytes | None:
    """Return the SHA-256 of the token that this request brings, None without one; refuses one that is malformed.

    It does not look the token up: the caller does, in a read of its own (hot path) or by ``account_of_token``. If
    that finds nothing, the answer is ``unknown_token()``.
    """
    return current_request().token_hash()


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
