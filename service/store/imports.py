"""Store imports: games that were played elsewhere, as records or texts, each of one account."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class Import(Base):
    """An imported game.

    `content` is a record's line if `is_record`, else a canonical text, and `digest` is its SHA-256. `summary` is JSON
    text (`service.queries.imported_games`). `shared` is whether others may see it.
    """

    __tablename__ = "imports"

    id: Mapped[str] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    imported_at: Mapped[datetime] = mapped_column(TIMESTAMP(timezone=True, precision=3))
    digest: Mapped[bytes]
    content: Mapped[str]
    is_record: Mapped[bool]
    summary: Mapped[str]
    shared: Mapped[bool] = mapped_column(server_default="false")
