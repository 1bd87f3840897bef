"""Limit how many tables, games, solos, invitations and links an account has at a time, and makes a day.

The rows are counted while the account is locked (`service.commands.tables.lock_account`), so simultaneous requests
cannot get more together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from engine.phrases import phrase
from service.access.limits import Hit, Limit, Limiter
from service.config import Settings
from service.errors import Conflict
from service.queries.counting import count_up_to
from service.store.invitations import Invitation, InvitationLink
from service.store.tables import Seat, Table

_STANDING = ("open", "running")


@dataclass(frozen=True, slots=True)
class AccountLimits:
    """The limits of every account; 0 means no limit."""

    settings: Settings
    limiter: Limiter

    def before_table(self, session: Session, account: str, kind: str) -> None:
        """Refuse to open one table too many.

        Raises:
            Conflict: `too_many_solos`, `too_many_open_tables` or `too_many_games`.
            LimitReached: `too_many_tables` within a day.
        """
        if kind == "solo":
            most = self.settings.limit_solos_per_account
            if most and count_up_to(session, _seats(account, kind), most) >= most:
                detail = phrase("You can have at most %(most)s solos that are not over; end one first.", most=most)
                raise Conflict("too_many_solos", detail, most=most)
        else:
            if most := self.settings.limit_open_tables_per_account:
                opened = select(Table.key).where(Table.maker == account, Table.status == "open", Table.kind == "match")
                if count_up_to(session, opened, most) >= most:
                    detail = phrase(
                        "You can have at most %(most)s open tables; close one, or wait until one starts.",
                        most=most,
                    )
                    raise Conflict("too_many_open_tables", detail, most=most)
            self.before_seat(session, account)
        most = self.settings.limit_tables_per_account
        detail = phrase("You can open at most %(amount)s tables a day; try again later.", amount=most)
        self.limiter.require([Hit(Limit.TABLES_PER_ACCOUNT, most, account)], "too_many_tables", detail, session)

    def before_seat(self, session: Session, account: str) -> None:
        """Refuse to take one seat too many in unfinished games.

        Raises:
            Conflict: `too_many_games`.
        """
        most = self.settings.limit_games_per_account
        if most and count_up_to(session, _seats(account, "match"), most) >= most:
            detail = phrase(
                "You sit at %(most)s tables whose games are not over, and may sit at no more; end a game, or leave a"
                " table, first.",
                most=most,
            )
            raise Conflict("too_many_games", detail, most=most)

    def before_invitation(self, session: Session, account: str, now: datetime) -> None:
        """Refuse to send one invitation too many to the account's open tables.

        Raises:
            Conflict: `too_many_standing_invitations`.
        """
        most = self.settings.limit_standing_invitations_per_account
        standing = (
            select(Invitation.id)
            .join(Table, Table.key == Invitation.game)
            .where(
                Table.maker == account,
                Table.status == "open",
                Invitation.link.is_(None),  # strangers ask for those
                Invitation.expires_at > now,
                Invitation.used_at.is_(None),
                Invitation.declined_at.is_(None),
                Invitation.taken_back_at.is_(None),
            )
        )
        if most and count_up_to(session, standing, most) >= most:
            detail = phrase(
                "You can have at most %(most)s invitations that nobody has answered; take one back, or wait.",
                most=most,
            )
            raise Conflict("too_many_standing_invitations", detail, most=most)

    def before_link(self, session: Session, account: str, now: datetime) -> None:
        """Refuse to make one invitation link too many.

        Raises:
            Conflict: `too_many_standing_links`, if so many are open.
            LimitReached: `too_many_new_links` within a day.
        """
        most = self.settings.limit_standing_links_per_account
        standing = select(InvitationLink.id).where(
            InvitationLink.made_by == account,
            InvitationLink.expires_at > now,
            InvitationLink.revoked_at.is_(None),
            InvitationLink.used < InvitationLink.uses,
        )
        if most and count_up_to(session, standing, most) >= most:
            detail = phrase("You can have at most %(most)s open invitation links; revoke one.", most=most)
            raise Conflict("too_many_standing_links", detail, most=most)
        most = self.settings.limit_links_per_account
        detail = phrase(
            "You can make at most %(amount)s invitation links a day; try again later.",
            amount=most,
        )
        self.limiter.require([Hit(Limit.LINKS_PER_ACCOUNT, most, account)], "too_many_new_links", detail, session)


def _seats(account: str, kind: str) -> Select[int]:
    return select(Seat.game).where(Seat.account == account, Seat.kind == kind, Seat.status.in_(_STANDING))
