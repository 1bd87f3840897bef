"""The rows that people edit at a table, and a game's set-up and projection: mapped classes without behaviour.

The log of moves is not here: `service.store.log` reads and writes it in plain SQL. `setups` takes inserts only (a
trigger holds it); `progress` is a projection that `service.commands.rebuild` can make again.
"""

from datetime import datetime
from typing import Annotated

from sqlalchemy import ForeignKey, Identity, Index, SmallInteger, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base

_Small = Annotated[int, mapped_column(SmallInteger)]
_Millisecond = TIMESTAMP(timezone=True, precision=3)


class Table(Base):
    """A table: open, started (a `Setup` exists) or closed. Times are UTC.

    `status` is open, running, finished or closed. It follows from `closed_at` and from the game's progress; triggers
    keep it, for lists and deadlines to be read off an index. `hints`: whether mails may say where tiles cover goals.
    """

    __tablename__ = "tables"

    key: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    seats: Mapped[_Small]
    goal_discs: Mapped[_Small]
    visibility: Mapped[str]
    maker: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    commitment: Mapped[bytes]
    created_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(server_default="0")
    closed_at: Mapped[datetime | None]
    closed_because: Mapped[str | None]
    status: Mapped[str] = mapped_column(server_default="open")
    hints: Mapped[bool] = mapped_column(server_default=text("true"))


class Seat(Base):
    """An account at a table, with the text that it gives to the draw; `kind` and `status` are the table's."""

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("account", "game"),)

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    seat: Mapped[_Small] = mapped_column(primary_key=True, autoincrement=False)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    entropy: Mapped[str] = mapped_column(server_default="")
    joined_at: Mapped[datetime]
    kind: Mapped[str] = mapped_column(server_default="match")
    status: Mapped[str] = mapped_column(server_default="open")


class DrawSecret(Base):
    """The seed of a game's draw. It is in no response, log line or export before the game has ended."""

    __tablename__ = "draw_secrets"

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    server_seed: Mapped[bytes]


class Setup(Base):
    """A started game's record header (format, rules, game, draw) as its RFC 8785 text. Append-only."""

    __tablename__ = "setups"

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    header: Mapped[str]


class ProgressRow(Base):
    """What follows from a game's set-up and log, kept for queries; see `service.store.log.Progress` for its meaning."""

    __tablename__ = "progress"
    __table_args__ = (
        Index("progress_turn", "turn_account", "game", postgresql_where=text("turn_account IS NOT NULL")),
    )

    game: Mapped[int] = mapped_column(ForeignKey("setups.game"), primary_key=True)
    status: Mapped[str]
    version: Mapped[_Small]
    head: Mapped[bytes]
    last_at: Mapped[datetime] = mapped_column(_Millisecond)
    turn: Mapped[_Small | None]
    turn_account: Mapped[str | None]
    wait_seq: Mapped[_Small | None]
    ended_at: Mapped[datetime | None] = mapped_column(_Millisecond)
    result: Mapped[str | None]
