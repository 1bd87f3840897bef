"""Who may do what at a table: the token's account and the table, looked up together, and the refusals that follow.

The order is the same everywhere: no valid token (401), no such table for this reader (404), not one of those who may do
this (403). It knows no web framework.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import NamedTuple

from service.api.context import Context
from service.api.requests import ApiRequest, token_missing, unknown_token
from service.commands.tables import check_maker, not_seated, unknown
from service.queries.table import Asking, LoadedTable, Reading, read
from service.queries.table_access import TableAccess
from service.store.idempotency import Kept


class Role(Enum):
    """Who may call: anybody who may see the table; its players; its maker; or whoever brings an invitation too, signed
    in (a guest) or not (a holder)."""

    READER = "reader"
    PLAYER = "player"
    MAKER = "maker"
    GUEST = "guest"
    HOLDER = "holder"

    @property
    def needs_token(self) -> bool:
        """Whether nobody may do this without a token."""
        return self not in (Role.READER, Role.HOLDER)

    @property
    def may_bring_invitation(self) -> bool:
        """Whether an invitation opens a table that the caller may not see."""
        return self in (Role.GUEST, Role.HOLDER)


class FoundTable(NamedTuple):
    """What was looked up for a request about a table: the caller's account (None without a token), the table, and the
    response that is stored for the same request."""

    account: str | None
    table: LoadedTable
    stored: Kept | None = None


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
    """Look up who calls and the table, in one statement and without a transaction; refuses who may not do this.

    Args:
        context: what the application offers.
        request: the request.
        kind: the kind of the tables at this address.
        table_id: the table's id.
        role: who may do this.
        known: the tags of states whose log is not needed.
        whole_log: whether the log is needed from its start; else what this process has cached of the table will do.
        once: whether to look up what is stored for the request's ``Idempotency-Key``.
    """
    found = read_table(context, request, table_id, role, known=known, whole_log=whole_log, once=once)
    admit(found.access, kind, role, request.token_hash())
    table = found.table
    assert table is not None, "a table that is not there admits nobody"
    if role is Role.MAKER:
        check_maker(table.table.maker, found.account)
    return FoundTable(found.account, table, found.answered)


def admit(access: TableAccess, kind: str, role: Role, token: bytes | None) -> None:
    """Refuse who may not do this, by what a read has found for a token (its hash) and a table."""
    identify(access.account, token, needs_token=role.needs_token)
    if not is_visible(access, kind):
        raise unknown()
    if role is Role.PLAYER and access.seat is None:
        raise not_seated()


def identify(account: str | None, token: bytes | None, *, needs_token: bool) -> None:
    """Refuse a token that was given and is nobody's, and a request without one where it is needed; `account` is the one
    that was found for it."""
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
    """Read whose token this is and the table, whoever may see it. Without a token that is needed nothing is read."""
    token = request.token_hash()
    if token is None and role.needs_token:
        raise token_missing()
    asking = Asking(token, context.clock(), request.idempotency_slot("") if once else None)
    reader = read if whole_log else context.tables.read
    return reader(context.straight, table_id, asking, known)


def is_visible(access: TableAccess, kind: str) -> bool:
    """Return whether there is such a table of this kind for this reader."""
    return access.kind == kind and access.may_read
