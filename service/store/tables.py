"""Mapped classes for what people edit at a table, and for a game's set-up and projection.

The log of moves is not here: `service.store.log` reads and writes it in plain SQL. `setups` accepts only inserts, which
a trigger enforces; `progress` is a projection that `service.commands.rebuild` can rebuild.
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
    """A table: open, started (it has a `Setup`) or closed. Times are in UTC.

    `status` is open, running, finished or closed. It follows from `closed_at` and the game's progress; triggers
    maintain it, so that lists and deadlines can use an index. `hints` is whether mails may say where tiles cover goals.
    `rematch` is the id of the table that was last opened for a rematch of this game.
    `maker` is an account's id without a foreign key, whose checks would lock other players' accounts.
    `clock` is what the mark `clock` says (CLOCKS.md 12) as RFC 8785 text, None for no clock; `abandoned_after` is a
    duration (CLOCKS.md 1.2). `facts` counts changes of what the players' clocks depend on and nobody else may see, so
    it is in no ETag.
    """

    __tablename__ = "tables"

    key: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    seats: Mapped[_Small]
    goal_discs: Mapped[_Small]
    visibility: Mapped[str]
    maker: Mapped[str | None]
    commitment: Mapped[bytes]
    created_at: Mapped[datetime]
    revision: Mapped[int] = mapped_column(server_default="0")
    closed_at: Mapped[datetime | None]
    closed_because: Mapped[str | None]
    status: Mapped[str] = mapped_column(server_default="open")
    hints: Mapped[bool] = mapped_column(server_default=text("true"))
    rematch: Mapped[str | None]
    clock: Mapped[str | None]
    abandoned_after: Mapped[str] = mapped_column(server_default="P90D")
    facts: Mapped[int] = mapped_column(server_default="0")


class Seat(Base):
    """A taken seat of a table: an account with its text for the draw, or a bot, given by its name.

    `kind` and `status` are copies of the table's.
    """

    __tablename__ = "seats"
    __table_args__ = (UniqueConstraint("account", "game"),)

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    seat: Mapped[_Small] = mapped_column(primary_key=True)
    account: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    bot: Mapped[str | None]
    entropy: Mapped[str] = mapped_column(server_default="")
    joined_at: Mapped[datetime]
    kind: Mapped[str] = mapped_column(server_default="match")
    status: Mapped[str] = mapped_column(server_default="open")


class DrawSecret(Base):
    """The seed of a game's draw. It appears in no response, log line or export before the game has ended."""

    __tablename__ = "draw_secrets"

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    server_seed: Mapped[bytes]


class Setup(Base):
    """The header of a started game's record (format, rules, game, draw) as RFC 8785 text. Append-only."""

    __tablename__ = "setups"

    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    header: Mapped[str]


class ProgressRow(Base):
    """The projection of a game's set-up and log, stored for queries; `service.store.log.Progress` explains it.

    `clock_seq` is the version to which `acted_seq` and the columns of clocks belong. The previous release does not set
    it, so they are valid only if it equals `version`.
    """

    __tablename__ = "progress"
    __table_args__ = (
        Index("progress_turn", "turn_account", "game", postgresql_where=text("turn_account IS NOT NULL")),
        Index("progress_clock_due", "clock_due_at", postgresql_where=text("clock_due_at IS NOT NULL")),
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
    acted_seq: Mapped[_Small | None]
    clock_seq: Mapped[_Small | None]
    clock: Mapped[str | None]
    clock_due_at: Mapped[datetime | None] = mapped_column(_Millisecond)
    runs_out_at: Mapped[datetime | None] = mapped_column(_Millisecond)
