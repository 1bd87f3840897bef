"""Who calls, for views whose own read looks the token up: account and answer come in one statement."""

from __future__ import annotations

from functools import wraps
from typing import Any

from service.api.auth import bearer_hash, needs_token, takes_token, token_missing, unknown_token
from service.api.context import now, straight
from service.api.documented import View
from service.errors import Malformed
from service.store.accounts import account_of_token
from service.store.callers import Bearer


def with_caller(view: View) -> View:
    """Decorator, outermost but for the route: hands the view the `caller=`, and refuses who brings no token (401).

    Whether it is a token that holds is known once the view has read: then `identified` refuses. A request that is not
    even read for, as it is malformed, is looked up here, as 401 goes before 422.
    """
    return needs_token(_with_caller(view, needs_token=True))


def with_caller_if_any(view: View) -> View:
    """Decorator, outermost but for the route: like ``with_caller``, but a token need not be there."""
    return takes_token(_with_caller(view, needs_token=False))


def identified(caller: Bearer, account: str | None) -> str | None:
    """Return the account that a read has found for the caller; refuses a token that was given and is none (401)."""
    if account is None and caller.token is not None:
        raise unknown_token()
    return account


def _with_caller(view: View, *, needs_token: bool) -> View:
    @wraps(view)
    def wrapper(**kwargs: Any) -> Any:
        caller = Bearer(bearer_hash(), now())
        if caller.token is None and needs_token:
            raise token_missing()
        try:
            return view(caller=caller, **kwargs)
        except Malformed:
            if caller.token is not None:
                identified(caller, account_of_token(straight(), caller.token, caller.now))
            raise

    return wrapper
