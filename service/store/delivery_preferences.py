"""Store delivery preferences: how each account wants its mail, by kind and by game.

An account without a row wants every mail at once. Nothing else holds back a mail: neither an open page, nor a move made
a minute ago.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from datetime import UTC, datetime

from sqlalchemy import ForeignKey, SmallInteger, delete, exists, select, text, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from engine import record
from service.store.accounts import Account
from service.store.base import Base

AT_ONCE, DIGEST, OFF = "at_once", "digest", "off"
HOWS = (AT_ONCE, DIGEST, OFF)
"""The preferences for a mail: at once, in the daily digest, or not at all."""

KINDS = ("turn", "end", "closed", "invitation", "reminder")
"""The kinds of mail that have this preference."""

TABLE = "table"
"""The kind, in the links to stop mails, of those that follow only the preference for their game: talk and steps."""

ANSWER = "answer"
WHOLE, SHORT, PROBLEMS = "whole", "short", "problems"
ANSWERS = (WHOLE, SHORT, PROBLEMS)
"""The preferences for replies to one's own mail, if it is not one's turn again.

They are: with the table, only a line and the next step, or only if there was a problem or a question. Replies are not
in `KINDS`, because they cannot be held for a digest or turned off.
"""

AUTO = "auto"
HTTP_COMMANDS = (AUTO, "on", "off")
"""The preferences for how turn mails explain moves over HTTP: if the account has an access token, always, or never."""

DIGEST_HOUR = 18
"""The default hour of the digest."""


class Notifications(Base):
    """An account's preferences. `digest_due_at` is when its next digest is due, None if nothing goes into one.

    `reminders` are the points at which the account wants to be reminded (CLOCKS.md 5.1), each with the time at which it
    was chosen; None for the default ones.

    `hints` is whether turn mails say where a tile would cover goals. `http_commands` is one of `HTTP_COMMANDS`.
    """

    __tablename__ = "notifications"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    turn_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    end_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    closed_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    invitation_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    reminder_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    reminders: Mapped[list[list[str]] | None] = mapped_column(JSONB(none_as_null=True))
    answer_mail: Mapped[str] = mapped_column(server_default=SHORT)
    digest_hour: Mapped[int] = mapped_column(SmallInteger, server_default=str(DIGEST_HOUR))
    digest_due_at: Mapped[datetime | None]
    hints: Mapped[bool] = mapped_column(server_default=text("true"))
    http_commands: Mapped[str] = mapped_column(server_default=AUTO)

    def of(self, kind: str) -> str:
        """Return the preference for mails of this kind."""
        how: str = getattr(self, f"{kind}_mail")
        return how


class GameNotifications(Base):
    """An account's preferences for the mails of one game, and for replies about it (`game` is the table's key).

    They override the preferences by kind; None follows those.
    """

    __tablename__ = "game_notifications"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    mail: Mapped[str | None]
    answer: Mapped[str | None]


def locked(session: Session, account: str) -> Notifications:
    """Return the row of an account, creating it if there is none, locked until the commit."""
    session.execute(insert(Notifications).values(account=account).on_conflict_do_nothing())
    return session.scalars(
        select(Notifications)
        .where(Notifications.account == account)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()


def due(session: Session, now: datetime, most: int) -> list[tuple[Notifications, str]]:
    """Lock and return at most `most` accounts whose digest is due, with their zones; skip those locked by others."""
    query = (
        select(Notifications, Account.zone)
        .join(Account, Account.id == Notifications.account)
        .where(Notifications.digest_due_at <= now)
        .order_by(Notifications.digest_due_at)
        .limit(most)
        .with_for_update(of=Notifications, skip_locked=True)
    )
    return [(row, zone) for row, zone in session.execute(query)]


def put_off(session: Session, accounts: Collection[Hashable], until: datetime) -> None:
    """Move the next digest of these accounts to another time."""
    session.execute(update(Notifications).where(Notifications.account.in_(accounts)).values(digest_due_at=until))


def of_game(session: Session, account: str, game: int) -> str | None:
    """Return the preference for the mails of a game, given by its key; None follows the general preference."""
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    return session.scalar(select(GameNotifications.mail).where(*mine))


def answers_of_game(session: Session, account: str, game: int) -> str | None:
    """Return the preference for replies about a game, given by its key; None follows the general preference."""
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    return session.scalar(select(GameNotifications.answer).where(*mine))


def answers(session: Session, account: str, game: int | None) -> str:
    """Return the preference for replies, about the game with this key if one is given."""
    of_one = None if game is None else answers_of_game(session, account, game)
    of_all = select(Notifications.answer_mail).where(Notifications.account == account)
    return of_one or session.scalar(of_all) or SHORT


def of_kind(session: Session, account: str, kind: str, game: int) -> str:
    """Return the preference (`HOWS`) for mails of one of `KINDS` about a game."""
    of_all = select(getattr(Notifications, f"{kind}_mail")).where(Notifications.account == account)
    return of_game(session, account, game) or session.scalar(of_all) or AT_ONCE


def set_of_game(session: Session, account: str, game: int, **preferences: str | None) -> None:
    """Store the given preferences for a game, `mail` or `answer`; None follows the general preference."""
    row = insert(GameNotifications).values(account=account, game=game, **preferences)
    session.execute(row.on_conflict_do_update(index_elements=["account", "game"], set_=preferences))
    nothing = (GameNotifications.mail.is_(None), GameNotifications.answer.is_(None))
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    session.execute(delete(GameNotifications).where(*mine, *nothing))


def any_game_in_digest(session: Session, account: str) -> bool:
    """Return whether the mails of any game go into the digest."""
    mine = (GameNotifications.account == account, GameNotifications.mail == DIGEST)
    return bool(session.scalar(select(exists().where(*mine))))


def stop_games_in_digest(session: Session, account: str) -> None:
    """Turn off the mails of games whose mails went into the digest."""
    mine = (GameNotifications.account == account, GameNotifications.mail == DIGEST)
    session.execute(update(GameNotifications).where(*mine).values(mail=OFF))


USUAL_REMINDERS = ("half", "PT24H", "PT3H")
"""The points at which an account that has chosen none is reminded (CLOCKS.md 5.1)."""

EVER = datetime(2000, 1, 1, tzinfo=UTC)
"""The time from which the default points count."""


def reminder_points(session: Session, account: str) -> list[tuple[str, datetime]]:
    """Return the points at which an account wants to be reminded, each with the time at which it was chosen."""
    query = select(Notifications.reminders, Notifications.reminder_mail).where(Notifications.account == account)
    return points(*session.execute(query).one_or_none() or (None, None))


def points(chosen: list[list[str]] | None, how: str | None) -> list[tuple[str, datetime]]:
    """Return the points that two columns of an account's preferences stand for; both are None if it has no row."""
    if how == OFF:
        return []
    if chosen is None:
        return [(which, EVER) for which in USUAL_REMINDERS]
    return [(which, record.moment(since)) for which, since in chosen]


def forget(session: Session, account: str) -> None:
    """Delete all preferences of an account."""
    session.execute(delete(GameNotifications).where(GameNotifications.account == account))
    session.execute(delete(Notifications).where(Notifications.account == account))
