"""Store accounts, the codes mailed to their addresses, and their access tokens."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, SmallInteger, delete, select, text
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from service.ids import new_id
from service.store.autocommit_pool import Statements, statements
from service.store.base import Base
from service.store.callers import Bearer, by_caller
from service.store.purging import deleted

TOKEN, SESSION = "token", "session"
"""The kinds of tokens: an access token for programs, and the session of a browser."""

SIGN_IN = "sign-in"
EMAIL_CHANGE = "email-change"

# A confirmed change of address is kept this long, so that the old address can still be notified.
_TOLD_WITHIN = timedelta(days=3)


class Account(Base):
    """A person who signed up, or a guest, who has no `email`. Once erased, only the id and the times are left.

    `zone` is a time zone of the IANA database, in which times are shown. While `mail_stopped_at` is set, only codes are
    mailed, because mails to the address came back too often, the last one with the status `mail_stopped_because`.
    `quiet` holds the present quiet times (`service.clocks.quiet_times`), None for none; `absences` all absences that
    were announced, in order, each as the times of its announcement, beginning and end.
    """

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str | None] = mapped_column(unique=True)
    name: Mapped[str | None]
    language: Mapped[str] = mapped_column(server_default="en")
    created_at: Mapped[datetime]
    erased_at: Mapped[datetime | None]
    zone: Mapped[str] = mapped_column(server_default="UTC")
    mail_stopped_at: Mapped[datetime | None]
    mail_stopped_because: Mapped[str | None]
    quiet: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    absences: Mapped[list[list[str]] | None] = mapped_column(JSONB(none_as_null=True))
    suspended_at: Mapped[datetime | None]
    calendar_link: Mapped[int] = mapped_column(server_default="0")


class Code(Base):
    """A code that was mailed to `email`. Its text follows from the secret key, `purpose` and `id`.

    `account` is set only for a change of address. `former_email` is the address to notify of a confirmed change,
    emptied once that was done. `language` is the one that the code was requested in. `asked` holds the commands of a
    mail that this code confirms, to be carried out once the address is proven (`service.commands.strangers`). `tries`
    is no longer counted; the previous release reads it. `browser` is the hash of the secret of the browser that asked
    for the code, and that alone may use the link in the mail; None: the mail has no such link.
    """

    __tablename__ = "codes"

    id: Mapped[str] = mapped_column(primary_key=True)
    purpose: Mapped[str]
    email: Mapped[str]
    account: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))
    former_email: Mapped[str | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    tries: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    used_at: Mapped[datetime | None]
    language: Mapped[str] = mapped_column(server_default="en")
    asked: Mapped[list[list[Any]] | None] = mapped_column(JSONB(none_as_null=True))
    browser: Mapped[bytes | None]


class FormerAddress(Base):
    """An address that an account had before it was changed. It is kept as long as the account, to be erased with it."""

    __tablename__ = "former_addresses"

    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"), primary_key=True)
    email: Mapped[str] = mapped_column(primary_key=True)
    until: Mapped[datetime]


class Token(Base):
    """An access token or a browser's session, stored as a hash of its text (`service.access.tokens`).

    Without `expires_at` it is valid until it is revoked. `kind` is `TOKEN` or `SESSION`.

    `suspended` repeats whether its account is, because the token is looked up with each request.
    """

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(primary_key=True)
    account: Mapped[str] = mapped_column(ForeignKey("accounts.id"))
    hash: Mapped[bytes] = mapped_column(unique=True)
    label: Mapped[str | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    suspended: Mapped[bool] = mapped_column(server_default=text("false"))
    kind: Mapped[str] = mapped_column(server_default=TOKEN)


_OF_CALLER = by_caller("SELECT caller.account FROM {caller}")


def account_of_token(store: Session | Statements, token_hash: bytes, now: datetime) -> str | None:
    """Return the id of the account whose unexpired token has this SHA-256, or None."""
    caller = Bearer(token_hash, now)
    account: str | None = statements(store).read(_OF_CALLER[Bearer], caller.arguments())[0]
    return account


def revoke_oldest(session: Session, account: str, kind: str, most: int) -> None:
    """Delete the oldest tokens of a kind of an account, keeping the newest `most`."""
    newest = (
        select(Token.id)
        .where(Token.account == account, Token.kind == kind)
        .order_by(Token.created_at.desc(), Token.id.desc())
    )
    session.execute(delete(Token).where(Token.id.in_(newest.offset(most))))


def is_erased(session: Session, account: str) -> bool:
    """Return whether the account with this id was deleted."""
    return session.scalar(select(Account.erased_at).where(Account.id == account)) is not None


def account_by_email(session: Session, email: str) -> Account | None:
    """Return the account that a normalized address belongs to, or None."""
    return session.scalar(select(Account).where(Account.email == email))


def hold_account(session: Session, email: str, *, to_change: bool = False) -> Account | None:
    """Return the account that a normalized address belongs to, locked against changes and deletion until the commit.

    With `to_change`, others cannot lock it either.
    """
    return session.scalar(
        select(Account).where(Account.email == email).with_for_update(read=not to_change, key_share=to_change)
    )


def ensure_account(session: Session, email: str, *, name: str | None, language: str | None, now: datetime) -> Account:
    """Return the account of a normalized address, creating it with this name and language if there is none.

    Of several simultaneous callers, one creates it and the others get the same. It cannot be deleted before the commit.
    """
    while (account := hold_account(session, email)) is None:
        session.execute(
            insert(Account)
            .values(id=new_id(), email=email, name=name, language=language or "en", created_at=now)
            .on_conflict_do_nothing(index_elements=[Account.email])
        )
    return account


def lock_standing_codes(
    session: Session,
    purpose: str,
    *,
    email: str | None = None,
    account: str | None = None,
    now: datetime,
) -> list[Code]:
    """Return the valid codes of an address or an account, newest first, locked until the commit.

    The lock serializes callers that use codes, and a code that an earlier caller has used is no longer returned.
    """
    query = select(Code).where(Code.purpose == purpose, Code.used_at.is_(None), Code.expires_at > now)
    if email is not None:
        query = query.where(Code.email == email)
    if account is not None:
        query = query.where(Code.account == account)
    return list(
        session.scalars(
            query.order_by(Code.created_at.desc(), Code.id).with_for_update().execution_options(populate_existing=True)
        )
    )


_PURGE_TOKENS = text("""
    DELETE FROM tokens WHERE expires_at <= :now
       AND ctid = ANY (ARRAY(SELECT ctid FROM tokens WHERE expires_at <= :now LIMIT :most))
""")

_PURGE_CODES = text("""
    DELETE FROM codes WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM codes WHERE expires_at <= :now AND (former_email IS NULL OR expires_at <= :untold) LIMIT :most
    )) AND expires_at <= :now
""")


def purge_tokens(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired tokens, and return how many were deleted."""
    return deleted(session, _PURGE_TOKENS, now=now, most=most)


def purge_codes(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` codes that can no longer be used, and return how many were deleted.

    A change of address that the old address is still to be notified of is kept.
    """
    return deleted(session, _PURGE_CODES, now=now, untold=now - _TOLD_WITHIN, most=most)
