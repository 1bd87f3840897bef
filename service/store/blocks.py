"""Store which players an account has blocked."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ForeignKey, delete, func, or_, select
from sqlalchemy.dialects.postgresql import TIMESTAMP, insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.base import Base


class Block(Base):
    """An account that has blocked another one, and since when."""

    __tablename__ = "blocks"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    blocked: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(TIMESTAMP(timezone=True, precision=3))


def has_blocked(account: str, other: str) -> str:
    """Return the SQL of whether an account has blocked another one, both given as SQL; one look-up in an index."""
    return f"((SELECT true FROM blocks WHERE blocks.account = {account} AND blocks.blocked = {other}) IS TRUE)"


def add(session: Session, account: str, blocked: str, now: datetime) -> None:
    """Block an account; nothing happens if it is blocked already."""
    row = insert(Block).values(account=account, blocked=blocked, created_at=now)
    session.execute(row.on_conflict_do_nothing())


def remove(session: Session, account: str, blocked: str) -> None:
    """Stop blocking an account; nothing happens if it is not blocked."""
    session.execute(delete(Block).where(Block.account == account, Block.blocked == blocked))


def count(session: Session, account: str, most: int) -> int:
    """Return the number of accounts that this account has blocked, counting no further than `most`."""
    blocked = select(Block.blocked).where(Block.account == account).limit(most)
    return session.scalar(select(func.count()).select_from(blocked.subquery())) or 0


def blocked_among(session: Session, account: str, others: Collection[str | None]) -> frozenset[str]:
    """Return those of the others whom an account has blocked; None, as for the seat of a bot, is nobody."""
    found = select(Block.blocked).where(Block.account == account, Block.blocked.in_(others))
    return frozenset(session.scalars(found))


def blocking_among(session: Session, account: str, others: Collection[str | None]) -> frozenset[str]:
    """Return those of the others who have blocked an account; None, as for the seat of a bot, is nobody."""
    found = select(Block.account).where(Block.blocked == account, Block.account.in_(others))
    return frozenset(session.scalars(found))


def are_apart(session: Session, one: str, other: str) -> bool:
    """Return whether one of two accounts has blocked the other."""
    return bool(blocked_among(session, one, [other]) or blocking_among(session, one, [other]))


def forget(session: Session, account: str) -> None:
    """Delete whom an account has blocked, and by whom it is blocked."""
    session.execute(delete(Block).where(or_(Block.account == account, Block.blocked == account)))
