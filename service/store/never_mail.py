"""The list of addresses that asked never to be mailed again, by their hashes (`service.access.address_hash`).

A hash is made with one of the secret keys, so each lookup uses the hashes by all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, exists, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.base import Base


class NeverMail(Base):
    """An address that asked for no more mail, and when."""

    __tablename__ = "never_mail"

    address_hash: Mapped[bytes] = mapped_column(primary_key=True)
    at: Mapped[datetime]


def is_listed(session: Session, hashes: Sequence[bytes]) -> bool:
    """Return whether the address with these hashes asked never to be mailed."""
    return bool(session.scalar(select(exists().where(NeverMail.address_hash.in_(hashes)))))


def add(session: Session, hashes: Sequence[bytes], now: datetime) -> None:
    """Put an address on the list; nothing happens if it is there already."""
    session.execute(insert(NeverMail).values(address_hash=hashes[0], at=now).on_conflict_do_nothing())


def remove(session: Session, hashes: Sequence[bytes]) -> None:
    """Take an address off the list."""
    session.execute(delete(NeverMail).where(NeverMail.address_hash.in_(hashes)))
