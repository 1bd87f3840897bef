"""Store invitations to a table, and what became of them."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.store.base import Base


class Invitation(Base):
    """An invitation. Its secret is derived from the id (`service.access.secrets`), so it is not stored.

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
        """Return the state: `used`, `declined`, `taken_back`, `expired`, or `open` while it is valid."""
        if self.used_at:
            return "used"
        if self.declined_at:
            return "declined"
        if self.taken_back_at:
            return "taken_back"
        return "open" if now < self.expires_at else "expired"
