"""The decorator of views about an exploration, which nobody but its account may see."""

from __future__ import annotations

from functools import wraps
from typing import Any

from service.api.auth import signed_in
from service.api.openapi_annotations import View, annotate
from service.commands.explorations import unknown
from service.queries import explorations
from service.store.base import db


def at_exploration(view: View) -> View:
    """Look up the caller and an exploration of theirs, and pass them to the view as `account=` and `kept=`.

    This decorator stands directly below the route. A request without a valid access token is refused (401), and so is
    an exploration that is not there or is another account's (404).
    """

    @wraps(view)
    def wrapper(account: str, exploration_id: str, **kwargs: Any) -> Any:
        kept = explorations.own(db.session(), exploration_id, account)
        if kept is None:
            raise unknown()
        return view(account=account, kept=kept, **kwargs)

    return signed_in(annotate(wrapper, refuses=(404,)))
