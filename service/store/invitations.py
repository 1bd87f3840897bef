"""Store invitations to a table, and what became of them."""

from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, SmallInteger, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.base import Base
from service.store.purging import deleted


class Invitation(Base):
    """An invitation. Its secret is derived from the id (`service.access.secrets`), so it is not stored.

    It is for an address, or for the account of a player; `email` and `account` are null once they were erased. `link`
    is the invitation link by which somebody asked for it, and `language` the one that they asked in. At most one of
    `taken_back_at`, `declined_at` and `used_at` is set.
    """

    __tablename__ = "invitations"

    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"))
    email: Mapped[str | None]
    account: Mapped[str | None]
    link: Mapped[str | None]
    language: Mapped[str | None]
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


LINK_KEPT = timedelta(days=30)
"""The time for which a link that has expired is kept, so that whoever opens it is told that."""


class InvitationLink(Base):
    """A link that lets in whoever has it, `uses` players at most. Its text is signed, so it is not stored."""

    __tablename__ = "invitation_links"

    id: Mapped[str] = mapped_column(primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"))
    made_by: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    uses: Mapped[int] = mapped_column(SmallInteger)
    used: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(TIMESTAMP(timezone=True, precision=3))
    expires_at: Mapped[datetime] = mapped_column(TIMESTAMP(timezone=True, precision=3))
    revoked_at: Mapped[datetime | None] = mapped_column(TIMESTAMP(timezone=True, precision=3))

    def state(self, now: datetime) -> str:
        """Return the state: `revoked`, `used_up`, `expired`, or `open` while it lets players in."""
        if self.revoked_at:
            return "revoked"
        if self.used >= self.uses:
            return "used_up"
        return "open" if now < self.expires_at else "expired"


_PURGE_LINKS = text("""
    DELETE FROM invitation_links WHERE expires_at <= :past
       AND ctid = ANY (ARRAY(SELECT ctid FROM invitation_links WHERE expires_at <= :past LIMIT :most))
""")


def purge_links(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` links that expired long ago, and return how many were deleted."""
    return deleted(session, _PURGE_LINKS, past=now - LINK_KEPT, most=most)
