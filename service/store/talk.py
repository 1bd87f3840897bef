"""Store messages at tables, how far each reader has received them by mail, and private notes.

A message's `number` counts from 1 at its table, and from a higher number in each further epoch (`service.store.epoch`).
Two that are written at once get successive numbers, as the primary key decides, so a lower number never appears after a
higher one. What a reader has received is therefore everything up to one number.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.base import Base

TELLING = timedelta(minutes=15)
"""The time for which a mail that is about to bring messages keeps other mails from bringing them."""


class Message(Base):
    """A message at a table (given by its key). `text` is None once its author was erased."""

    __tablename__ = "messages"

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    at: Mapped[datetime]
    text: Mapped[str | None]


class Listener(Base):
    """The last message at a table that an account has received by mail.

    `muted` is whether it wants none. `telling` is the key of the mail that is about to bring more. Without a row, the
    account has received none and is not muted.
    """

    __tablename__ = "listeners"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    told: Mapped[int] = mapped_column(server_default="0")
    muted: Mapped[bool] = mapped_column(server_default="false")
    telling: Mapped[str | None]
    telling_at: Mapped[datetime | None]


class Note(Base):
    """A private note of an account at a table."""

    __tablename__ = "notes"

    id: Mapped[str] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"))
    at: Mapped[datetime]
    text: Mapped[str]


_ADD = text("""
    INSERT INTO messages (game, number, account, at, text)
    SELECT CAST(:game AS integer), greatest(coalesce(max(number), 0), (SELECT counted_from FROM epoch)) + 1,
           :account, :now, :text
      FROM messages WHERE game = :game
    ON CONFLICT DO NOTHING
    RETURNING number
""")


def add(session: Session, game: int, account: str, said: str, now: datetime) -> Message:
    """Store a message under the next number of its table, after any that is just being written there."""
    while True:
        number = session.scalar(_ADD, {"game": game, "account": account, "now": now, "text": said})
        if number is not None:
            return session.get_one(Message, (game, number))


def last_number(session: Session, game: int) -> int | None:
    """Return the number of the last message at a table, or None if there is none."""
    return session.scalar(select(func.max(Message.number)).where(Message.game == game))


_TELL = text("""
    INSERT INTO listeners AS kept (account, game, telling, telling_at)
    SELECT id, CAST(:game AS integer), :mail, CAST(:now AS timestamptz)
      FROM accounts WHERE id = :account AND erased_at IS NULL FOR KEY SHARE
    ON CONFLICT (account, game) DO UPDATE SET telling = excluded.telling, telling_at = excluded.telling_at
     WHERE kept.told = :told AND (kept.telling IS NULL OR kept.telling = :mail OR kept.telling_at <= :late)
    RETURNING game
""")


def claim(session: Session, account: str, game: int, told: int, mail: str, now: datetime) -> bool:
    """Claim the messages after the number `told` for this mail, given by its key; return whether it may bring them.

    It may not if another mail has brought them since, or is about to. A mail not sent within `TELLING` loses its claim.
    """
    given = {"account": account, "game": game, "told": told, "mail": mail, "now": now, "late": now - TELLING}
    return session.scalar(_TELL, given) is not None


_TOLD = text("""
    UPDATE listeners SET told = greatest(told, :number), telling = nullif(telling, :mail)
     WHERE account = :account AND game = :game
""")


def mark_mailed(session: Session, account: str, game: int, number: int, mail: str) -> None:
    """Record that this mail has brought all messages up to this number."""
    session.execute(_TOLD, {"account": account, "game": game, "number": number, "mail": mail})


_LEFT_UNTOLD = text("""
    UPDATE listeners SET telling = NULL
     WHERE account = :account AND game = (SELECT key FROM tables WHERE id = :game) AND telling = :mail
""")


def release_claim(session: Session, account: str, game: str, mail: str) -> None:
    """Release the claim of a mail that will not be sent after all, so that the next one may bring the messages."""
    session.execute(_LEFT_UNTOLD, {"account": account, "game": game, "mail": mail})


def is_muted(session: Session, account: str, game: int) -> bool:
    """Return whether the account receives no messages of this table by mail."""
    mine = (Listener.account == account, Listener.game == game)
    return session.scalar(select(Listener.muted).where(*mine)) is True


def set_muted(session: Session, account: str, game: int, muted: bool) -> None:
    """Mute a table for an account, or stop muting it. Messages sent while it was muted are not mailed later."""
    if muted == is_muted(session, account, game):
        return
    last = select(func.coalesce(func.max(Message.number), 0)).where(Message.game == game).scalar_subquery()
    row = insert(Listener).values(account=account, game=game, muted=muted)
    changes = {"muted": muted} if muted else {"muted": muted, "told": last}
    session.execute(row.on_conflict_do_update(index_elements=["account", "game"], set_=changes))


def erase(session: Session, account: str) -> None:
    """Delete the texts of all messages of the account, leaving gaps, and delete its notes."""
    session.execute(update(Message).where(Message.account == account, Message.text.is_not(None)).values(text=None))
    session.execute(delete(Note).where(Note.account == account))
    session.execute(delete(Listener).where(Listener.account == account))
