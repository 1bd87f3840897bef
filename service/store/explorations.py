"""Store explorations: what might have followed a position of a game, each of one account."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from sqlalchemy import ForeignKey, SmallInteger
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base

_Small = Annotated[int, mapped_column(SmallInteger)]


class Exploration(Base):
    """An exploration.

    `origin` is the key of the game's table, `seq` the last entry of the game that is kept, and `hash` that entry's, or
    that of the game's header. `tiles` is how many tiles of the draw order are those of the game; `seed` shuffles the
    rest. The account plays `seat`, and the bot `bot` all others; without a bot, the account plays every seat. `moves`
    is what followed, as JSON text (`service.queries.explored_games`); `version` and `status` follow from it.
    """

    __tablename__ = "explorations"

    id: Mapped[str] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    origin: Mapped[int] = mapped_column(ForeignKey("tables.key"))
    seq: Mapped[_Small]
    hash: Mapped[bytes]
    tiles: Mapped[_Small]
    seed: Mapped[bytes | None]
    seat: Mapped[_Small | None]
    bot: Mapped[str | None]
    moves: Mapped[str]
    version: Mapped[_Small]
    status: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(TIMESTAMP(timezone=True, precision=3))
