"""Store incoming mail, and decide the reply to the relay: nothing is acknowledged before it is committed."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import psycopg
import structlog
from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service.access.addresses import from_mail
from service.access.invalid_text import InvalidText
from service.access.reply_addresses import Recipient, ToBounces, ToService, recipient
from service.access.return_path import is_proven
from service.config import Settings
from service.reading import headers
from service.receiver import authentication, limits
from service.receiver.deduplication import digests
from service.receiver.redaction import redacted
from service.store import closed_connections, deliveries, incoming, primary, queue, timeouts
from service.store.base import engine_url
from service.store.connecting import WEB, connect_args

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ReceivedMail:
    """A mail as it was received.

    Attributes:
        to: the recipients, in the order in which they were named.
        sender: the envelope sender; empty for the null path.
        raw: the bytes of the mail.
        answers_each: whether each recipient gets its own reply; otherwise all of them are accepted, or none.
    """

    to: tuple[Recipient, ...]
    sender: str
    raw: bytes
    answers_each: bool


class Disposition(enum.StrEnum):
    """The result of a mail for one recipient."""

    KEPT = "kept"
    AGAIN = "again"
    PUT_OFF = "put_off"
    NOT_PROVEN = "not_proven"
    LOOPS = "loops"
    UNKNOWN = "unknown"
    NO_ACCOUNT = "no_account"


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a mail for one recipient, and the reply to the relay."""

    became: Disposition
    text: str


_LOOKED_AT = 10_000
"""In how many bytes of To and Cc other addresses of the service are looked for."""

_KEPT = Reply(Disposition.KEPT, "250 2.0.0 It is kept, and will be read")
_AGAIN = Reply(Disposition.AGAIN, "250 2.0.0 It was here before")
_PUT_OFF = Reply(Disposition.PUT_OFF, "451 4.3.0 It can't be stored now; try again later")
_UNKNOWN = Reply(Disposition.UNKNOWN, "550 5.1.1 There is no such address here")
_NO_ACCOUNT = Reply(
    Disposition.NO_ACCOUNT, "550 5.6.7 Not taken: no account here can have a sender with such letters; use another one"
)
_LOOPS = Reply(Disposition.LOOPS, "554 5.4.6 It has been through too many hands")


def sessions(settings: Settings) -> sessionmaker[Session]:
    """Return a factory of database sessions, for as many mails at once as are stored."""
    engine = create_engine(
        engine_url(settings.database_url),
        pool_size=limits.STORING,
        max_overflow=0,
        hide_parameters=True,
        connect_args=connect_args(settings, WEB, "novaluna mailin"),
    )
    timeouts.bind(engine, WEB, timeouts.Circuit())
    closed_connections.watch(engine)
    primary.watch(engine, settings.database_url)
    return sessionmaker(engine, expire_on_commit=False)


def ingest(
    settings: Settings, sessions: sessionmaker[Session], mail: ReceivedMail, clock: Callable[[], datetime]
) -> list[Reply]:
    """Store a mail and queue the jobs that read it, in one transaction for all acceptable recipients.

    Returns:
        the reply for each recipient.
    """
    try:
        fields, body = headers.split(mail.raw)
        results = authentication.found(fields, settings.mail_checker)
        general, is_answer = _refusal(settings, fields, results), _is_answer(settings, mail, fields)
        of_service = general or (None if is_answer else _no_account(fields))
        refused = {
            place: refusal
            for place, to in enumerate(mail.to)
            if (
                refusal := _unknown(settings, sessions, to)
                if isinstance(to, ToBounces)
                else of_service
                if isinstance(to, ToService)
                else general
            )
        }
        if refused and not mail.answers_each:
            return [next(iter(refused.values())) for _ in mail.to]
        settled = dict(refused)
        if is_answer:  # read as that alone, or it would take effect twice
            settled |= {place: _AGAIN for place, to in enumerate(mail.to) if isinstance(to, ToService)} | refused
        taken = [to for place, to in enumerate(mail.to) if place not in settled]
        kept = iter(_keep(sessions, mail, taken, digests(taken, fields, body), results, clock()))
        return [settled.get(place) or next(kept) for place in range(len(mail.to))]
    except Exception as error:  # noqa: BLE001  (whatever it is, the relay should try again)
        away = isinstance(error, SQLAlchemyError | psycopg.Error)
        (_log.warning if away else _log.error)("a mail can't be stored", exc_info=error)
        return [_PUT_OFF for _ in mail.to]


def _is_answer(settings: Settings, mail: ReceivedMail, fields: Sequence[headers.Field]) -> bool:
    """Return whether a mail also goes to an address for answers, even if that was in another delivery."""
    named = b", ".join((*headers.values(fields, "to"), *headers.values(fields, "cc")))[:_LOOKED_AT]
    written = (recipient(settings, address) for _, address in headers.addresses([named.decode("utf-8", "replace")]))
    return any(to is not None and not isinstance(to, ToService | ToBounces) for to in (*mail.to, *written))


def _refusal(settings: Settings, fields: Sequence[headers.Field], results: Mapping[str, str]) -> Reply | None:
    if len(headers.values(fields, "received")) > limits.MOST_HOPS:
        return _LOOPS
    if lacking := authentication.lacking(results, settings.mail_required):
        named = " and ".join(method.upper() for method in lacking)
        return Reply(Disposition.NOT_PROVEN, f"550 5.7.26 Not taken, as {named} did not pass")
    return None


def _no_account(fields: Sequence[headers.Field]) -> Reply | None:
    """Return the reply that refuses a sender beyond ASCII to whom no account can belong, and no answer can be sent."""
    senders = b", ".join(headers.values(fields, "from"))[:_LOOKED_AT].decode("utf-8", "replace")
    for _, address in headers.addresses([senders]):
        try:
            if not address.isascii():
                from_mail(address)
        except InvalidText:
            return _NO_ACCOUNT
    return None


def _unknown(settings: Settings, sessions: sessionmaker[Session], to: ToBounces) -> Reply | None:
    """Return the reply that refuses a forged return path, or None if the path is genuine."""
    if is_proven(settings.secret_keys, to.reference):
        return None
    with sessions.begin() as session:
        return None if deliveries.sent(session, to.reference) else _UNKNOWN


def _keep(
    sessions: sessionmaker[Session],
    mail: ReceivedMail,
    taken: Sequence[Recipient],
    digests: Sequence[bytes],
    results: Mapping[str, str],
    now: datetime,
) -> list[Reply]:
    raw, sender = redacted(mail.raw), mail.sender.encode("utf-8", "replace").decode().replace("\0", "?")
    answers = []
    with sessions.begin() as session:
        for to, same in zip(taken, digests, strict=True):
            id = incoming.add(session, same, to, sender, results, raw, now)
            if id is not None:
                queue.defer(session, "take_in", {"incoming": id})
            answers.append(_AGAIN if id is None else _KEPT)
    for answer in answers:
        _log.info("a mail came in", became=answer.became, bytes=len(mail.raw))
    return answers
