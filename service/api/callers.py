"""Who calls, for views whose own read looks the token up: account, table and answer come in one statement."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from service.api.at_table import PATH_NAMES, documents_role
from service.api.auth import bearer_hash, needs_token, takes_token
from service.api.authorization import Role, admit, identify
from service.api.context import now, straight
from service.api.documented import View
from service.api.requests import token_missing
from service.errors import Malformed
from service.queries.table_access import COLUMNS, JOINS, TableAccess
from service.store.accounts import account_of_token
from service.store.callers import Bearer, by_caller


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
    identify(account, caller.token, needs_token=False)
    return account


class AtTable(NamedTuple):
    """A request about a table: who calls, and the id of the table. `kind` and `role` are what the address is for."""

    caller: Bearer
    table_id: str
    kind: str
    role: Role

    def admit(self, access: TableAccess) -> TableAccess:
        """Return the access that the view's read has found; refuses who may not do this."""
        admit(access, self.kind, self.role, self.caller.token)
        return access


_ACCESS = by_caller(f"SELECT {COLUMNS} FROM {{caller}}{JOINS}")


def about_table(kind: str, role: Role = Role.READER) -> Callable[[View], View]:
    """Decorator, outermost but for the route: hands the view `asked=`, an `AtTable`, whose `admit` it is to call with what
    it reads. A reader or a player is let in.

    A request that is not even read for, as it is malformed, is looked up here, as 401, 404 and 403 go before 422.
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            asked = AtTable(Bearer(bearer_hash(), now()), kwargs.pop(PATH_NAMES[kind]), kind, role)
            try:
                return view(asked=asked, **kwargs)
            except Malformed:
                row = straight().read(_ACCESS[Bearer], asked.caller.arguments(table=asked.table_id))
                asked.admit(TableAccess._make(row))
                raise

        return documents_role(wrapper, role)

    return decorator


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
