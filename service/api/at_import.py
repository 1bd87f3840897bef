"""The decorator of views about an import: who calls, and whether they may see it."""

from __future__ import annotations

from functools import wraps
from typing import Any

from service.api.auth import bearer_hash, takes_token
from service.api.authorization import identify
from service.api.context import now, pool
from service.api.openapi_annotations import View, annotate
from service.commands.imports import unknown
from service.queries import imports
from service.store.accounts import account_of_token
from service.store.base import db


def at_import(view: View) -> View:
    """Look up the caller and an import that they may see, and pass them to the view as `account=` and `kept=`.

    This decorator stands directly below the route. An invalid access token is refused (401), and so is an import that
    is not there or that the caller may not see (404).
    """

    @wraps(view)
    def wrapper(import_id: str, **kwargs: Any) -> Any:
        token = bearer_hash()
        account = None
        if token is not None:
            account = account_of_token(pool(), token, now())
            identify(account, token, needs_token=True)
        kept = imports.visible(db.session(), import_id, account)
        if kept is None:
            raise unknown()
        return view(kept=kept, account=account, **kwargs)

    return takes_token(annotate(wrapper, refuses=(404,)))
