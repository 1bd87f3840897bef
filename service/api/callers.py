"""Decorators of views that look up the access token, the table and their data in one statement of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, NoReturn

from service.api.at_table import PATH_NAMES, documents_role
from service.api.auth import bearer_hash, needs_token, takes_token
from service.api.authorization import Role, admit, identify
from service.api.context import now, pool
from service.api.openapi_annotations import View
from service.api.requests import token_missing, unknown_token
from service.errors import Malformed
from service.queries.table_access import COLUMNS, JOINS, TableAccess
from service.store.accounts import account_of_token
from service.store.callers import Bearer, by_caller


def with_caller(view: View) -> View:
    """Pass the caller's token to the view as `caller=`, and refuse a request without one (401).

    This decorator stands directly below the route. The view looks the token up in its own statement and then calls
    `identified`, which refuses an invalid one. If the request is malformed, so that the view reads nothing, the token
    is looked up here, because 401 goes before 422.
    """
    return needs_token(_with_caller(view, needs_token=True))


def with_caller_if_any(view: View) -> View:
    """Pass the caller's token to the view, like ``with_caller``, but do not require one."""
    return takes_token(_with_caller(view, needs_token=False))


def identified(caller: Bearer, account: str | None) -> str | None:
    """Return the account that a read has found for the caller; refuse an invalid token (401)."""
    identify(account, caller.token, needs_token=False)
    return account


def refuse_caller(caller: Bearer) -> NoReturn:
    """Refuse a caller without an account: the token is missing, invalid, or of a suspended account."""
    account = None if caller.token is None else account_of_token(pool(), caller.token, caller.now)
    identify(account, caller.token, needs_token=True)
    raise unknown_token()  # the account was deleted in between


class TableRequest(NamedTuple):
    """A request about a table: the caller, the table's id, and the kind and role that the address requires."""

    caller: Bearer
    table_id: str
    kind: str
    role: Role

    def admit(self, access: TableAccess) -> TableAccess:
        """Return the access that the view's read has found; refuse a caller without the role."""
        admit(access, self.kind, self.role, self.caller.token)
        return access


_ACCESS = by_caller(f"SELECT {COLUMNS} FROM {{caller}}{JOINS}")


def with_table_request(kind: str, role: Role = Role.READER) -> Callable[[View], View]:
    """Pass a `TableRequest` to the view as `asked=`; the view calls its `admit` with the access that it reads.

    This decorator stands directly below the route; the roles READER and PLAYER are supported. If the request is
    malformed, so that the view reads nothing, the access is looked up here, because 401, 404 and 403 go before 422.
    """

    def decorator(view: View) -> View:
        @wraps(view)
        def wrapper(**kwargs: Any) -> Any:
            asked = TableRequest(Bearer(bearer_hash(), now()), kwargs.pop(PATH_NAMES[kind]), kind, role)
            try:
                return view(asked=asked, **kwargs)
            except Malformed:
                row = pool().read(_ACCESS[Bearer], asked.caller.arguments(table=asked.table_id))
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
                identified(caller, account_of_token(pool(), caller.token, caller.now))
            raise

    return wrapper
