"""How people want to be written to: by kind, and by game. Whoever wants all at once has no row.

A mail is held back by nothing else: not by an open page, and not by a move that was made a minute ago.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from datetime import datetime

from sqlalchemy import ForeignKey, SmallInteger, delete, exists, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.store.accounts import Account
from service.store.base import Base

AT_ONCE, DIGEST, OFF = "at_once", "digest", "off"
HOWS = (AT_ONCE, DIGEST, OFF)
"""How a mail can be wanted: when it happens, as a part of the daily digest, not at all."""

KINDS = ("turn", "end", "closed", "invitation")
"""The kinds of mail that have this choice."""

ANSWER = "answer"
WHOLE, SHORT, PROBLEMS = "whole", "short", "problems"
ANSWERS = (WHOLE, SHORT, PROBLEMS)
"""How the answer to one's own mail can be wanted, where it is not one's turn again: with the table, as a line and the next
step, only where something went wrong or is asked. Answers are no `KINDS`, as none waits for a digest or is off."""

AUTO = "auto"
HTTP_COMMANDS = (AUTO, "on", "off")
"""Whether turn mails say how to move over HTTP: where the account has an access token, always, never."""

DIGEST_HOUR = 18
"""The hour of the digest of those who never chose one."""


class Notifications(Base):
    """An account's wishes. `digest_due_at` is when its next digest is due, None if nothing goes into one.

    `hints`: turn mails say where a tile would cover goals. `http_commands`: how to move over HTTP, one of
    `HTTP_COMMANDS`.
    """

    __tablename__ = "notifications"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    turn_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    end_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    closed_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    invitation_mail: Mapped[str] = mapped_column(server_default=AT_ONCE)
    answer_mail: Mapped[str] = mapped_column(server_default=SHORT)
    digest_hour: Mapped[int] = mapped_column(SmallInteger, server_default=str(DIGEST_HOUR))
    digest_due_at: Mapped[datetime | None]
    hints: Mapped[bool] = mapped_column(server_default=text("true"))
    http_commands: Mapped[str] = mapped_column(server_default=AUTO)

    def of(self, kind: str) -> str:
        """How mails of this kind are wanted."""
        how: str = getattr(self, f"{kind}_mail")
        return how


class GameNotifications(Base):
    """An account's wishes for the mails of one game (`game` is the table's key), and for the answers to its own about it;
    they go before those by kind. None: as for all games."""

    __tablename__ = "game_notifications"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    game: Mapped[int] = mapped_column(ForeignKey("tables.key"), primary_key=True)
    mail: Mapped[str | None]
    answer: Mapped[str | None]


def locked(session: Session, account: str) -> Notifications:
    """The row of an account, made if it has none, locked until the commit."""
    session.execute(insert(Notifications).values(account=account).on_conflict_do_nothing())
    return session.scalars(
        select(Notifications)
        .where(Notifications.account == account)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()


def due(session: Session, now: datetime, most: int) -> list[tuple[Notifications, str]]:
    """Those whose digest is due, with their zones, so many at most, locked; what others have locked is passed over."""
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
    """Have the digests of these accounts due at another time."""
    session.execute(update(Notifications).where(Notifications.account.in_(accounts)).values(digest_due_at=until))


def of_game(session: Session, account: str, game: int) -> str | None:
    """The wish for a game's mails by its key; None: as for all games."""
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    return session.scalar(select(GameNotifications.mail).where(*mine))


def answers_of_game(session: Session, account: str, game: int) -> str | None:
    """The wish for answers about a game by its key; None: as for all games."""
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    return session.scalar(select(GameNotifications.answer).where(*mine))


def answers(session: Session, account: str, game: int | None) -> str:
    """How answers are wanted, about the game of this key if it is about one."""
    of_one = None if game is None else answers_of_game(session, account, game)
    of_all = select(Notifications.answer_mail).where(Notifications.account == account)
    return of_one or session.scalar(of_all) or SHORT


def of_kind(session: Session, account: str, kind: str, game: int) -> str:
    """How mails of a kind (of `KINDS`) about a game are wanted (`HOWS`)."""
    of_all = select(getattr(Notifications, f"{kind}_mail")).where(Notifications.account == account)
    return of_game(session, account, game) or session.scalar(of_all) or AT_ONCE


def set_of_game(session: Session, account: str, game: int, **wishes: str | None) -> None:
    """Keep the wishes for a game that are named, `mail` or `answer`; None: as for all games."""
    wish = insert(GameNotifications).values(account=account, game=game, **wishes)
    session.execute(wish.on_conflict_do_update(index_elements=["account", "game"], set_=wishes))
    nothing = (GameNotifications.mail.is_(None), GameNotifications.answer.is_(None))
    mine = (GameNotifications.account == account, GameNotifications.game == game)
    session.execute(delete(GameNotifications).where(*mine, *nothing))


def any_game_in_digest(session: Session, account: str) -> bool:
    """Whether some game's mails go into the digest."""
    mine = (GameNotifications.account == account, GameNotifications.mail == DIGEST)
    return bool(session.scalar(select(exists().where(*mine))))


def stop_games_in_digest(session: Session, account: str) -> None:
    """Want no more mail of the games whose mails went into the digest."""
    mine = (GameNotifications.account == account, GameNotifications.mail == DIGEST)
    session.execute(update(GameNotifications).where(*mine).values(mail=OFF))


def forget(session: Session, account: str) -> None:
    """Remove all wishes of an account."""
    session.execute(delete(GameNotifications).where(GameNotifications.account == account))
    session.execute(delete(Notifications).where(Notifications.account == account))
