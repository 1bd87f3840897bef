"""Authorization at a table: look up the token's account and the table together, and refuse callers who may not do this.

Refusals come in the same order everywhere: no valid access token (401), no such table for this reader (404), not the
required role (403). This module is independent of the web framework.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto
from typing import NamedTuple

from service.api.application_context import Context
from service.api.requests import ApiRequest, token_missing, unknown_token
from service.commands.suspensions import suspended
from service.commands.tables import check_maker, not_seated, unknown
from service.queries.table import LoadedTable, Reading, RequestCaller, read
from service.queries.table_access import TableAccess
from service.store.callers import SUSPENDED
from service.store.idempotency import StoredResponse


class Role(Enum):
    """The role that a request requires.

    READER is anybody who may see the table, PLAYER one of its players, MAKER the one who made it. A GUEST may also
    bring an invitation to a table that is not visible; so may a HOLDER, who need not sign in. A MEMBER is anybody who
    may see the table and has an account.
    """

    READER = auto()
    MEMBER = auto()
    PLAYER = auto()
    MAKER = auto()
    GUEST = auto()
    HOLDER = auto()

    @property
    def needs_token(self) -> bool:
        """True if the role requires an access token."""
        return self not in (Role.READER, Role.HOLDER)

    @property
    def may_bring_invitation(self) -> bool:
        """True if an invitation lets the caller in at a table that is not visible otherwise."""
        return self in (Role.GUEST, Role.HOLDER)


class FoundTable(NamedTuple):
    """The result of a look-up for a request about a table.

    Attributes:
        account: the caller's account, None without an access token.
        table: the table.
        stored: the response that is stored for the same request, if any.
    """

    account: str | None
    table: LoadedTable
    stored: StoredResponse | None = None


def find_table(
    context: Context,
    request: ApiRequest,
    kind: str,
    table_id: str,
    role: Role = Role.READER,
    *,
    known: Collection[str] = (),
    whole_log: bool = False,
    once: bool = False,
) -> FoundTable:
    """Look up the caller and the table in one statement, without a transaction; refuse a caller without the role.

    Args:
        context: the context of the application.
        request: the request.
        kind: the kind of the tables at this address.
        table_id: the table's id.
        role: the role that the caller must have.
        known: the tags of states for which no log is needed.
        whole_log: whether the log is needed from its start; otherwise the part that this process has cached will do.
        once: whether to look up the response that is stored for the request's ``Idempotency-Key``.
    """
    found = read_table(context, request, table_id, role, known=known, whole_log=whole_log, once=once)
    admit(found.access, kind, role, request.token_hash())
    table = found.table
    assert table is not None, "a table that is not there admits nobody"
    if role is Role.MAKER:
        check_maker(table.table.maker, found.account)
    return FoundTable(found.account, table, found.stored)


def admit(access: TableAccess, kind: str, role: Role, token: bytes | None) -> None:
    """Refuse a caller without the role, by the access that a read has found for a token (its hash) and a table."""
    identify(access.account, token, needs_token=role.needs_token)
    if not is_visible(access, kind):
        raise unknown()
    if role is Role.PLAYER and access.seat is None:
        raise not_seated()


def identify(account: str | None, token: bytes | None, *, needs_token: bool) -> None:
    """Refuse an invalid access token, and a request without one if it is required.

    `account` is the account that was found for the token: None if there is none, `SUSPENDED` if it may do nothing.
    """
    if account == SUSPENDED:
        raise suspended()
    if account is None:
        if token is not None:
            raise unknown_token()
        if needs_token:
            raise token_missing()


def read_table(
    context: Context,
    request: ApiRequest,
    table_id: str,
    role: Role,
    *,
    known: Collection[str] = (),
    whole_log: bool = True,
    once: bool = False,
) -> Reading:
    """Read the token's account and the table, visible or not; refuse a missing token before anything is read."""
    token = request.token_hash()
    if token is None and role.needs_token:
        raise token_missing()
    caller = RequestCaller(token, context.clock(), request.idempotency_slot("") if once else None)
    reader = read if whole_log else context.tables.read
    return reader(context.pool, table_id, caller, known)


def is_visible(access: TableAccess, kind: str) -> bool:
    """Return whether there is a table of this kind that this reader may see."""
    return access.kind == kind and access.may_read
