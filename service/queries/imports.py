"""Read the imports of an account, and those that others share."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.imports import Import


def visible(session: Session, id: str, account: str | None) -> Import | None:
    """Return an import that an account, or anybody, may see; None if there is none. A suspended account shares none."""
    kept = session.get(Import, id)
    if kept is None or kept.account == account:
        return kept
    owner = session.get(Account, kept.account)
    is_open = kept.shared and owner is not None and owner.suspended_at is None
    return kept if is_open else None


def page(session: Session, account: str, before: tuple[datetime, str] | None, limit: int) -> list[Import]:
    """Return the imports of an account before a place in their list, the newest first."""
    mine = select(Import).where(Import.account == account)
    if before is not None:
        mine = mine.where(tuple_(Import.imported_at, Import.id) < before)
    return list(session.scalars(mine.order_by(Import.imported_at.desc(), Import.id.desc()).limit(limit)))
