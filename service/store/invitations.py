"""Invitations to a table: who was invited by mail, and what became of it."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class Invitation(Base):
    """One invitation. Its secret is made from the id (`service.access.secrets`), so it is not stored.

    At most one of `taken_back_at`, `declined_at` and `used_at` is set. `email` is null once it was erased.
    """

    __tablename__ = "invitations"

    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), index=True)
    email: Mapped[str | None] = mapped_column(index=True)
    invited_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    taken_back_at: Mapped[datetime | None]
    declined_at: Mapped[datetime | None]
    used_at: Mapped[datetime | None]

    def state(self, now: datetime) -> str:
        """What became of it: `used`, `declined`, `taken_back`, `expired`, or `open` while it can be used."""
        if self.used_at:
            return "used"
        if self.declined_at:
            return "declined"
        if self.taken_back_at:
            return "taken_back"
        return "open" if now < self.expires_at else "expired"
