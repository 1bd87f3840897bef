"""The mail of each mail job, by the job's name: read the present facts, address it, and say how to compose it.

A function returns None if there is nothing to send any more. Its arguments have the names that
`service.store.queue.defer` is given. Nobody who asked never to be mailed gets any of these mails, except a sign-in code
that an account's owner requests over HTTP (`heeding_list`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from service.access import secrets
from service.access.address_hash import address_hashes
from service.access.links import never_mail_link, record_link, sign_in_link, table_link, unsubscribe_link
from service.access.reply_addresses import ToCode, ToInvitation, ToTable, own_address, reply_address
from service.commands import talk
from service.config import Settings
from service.jobs.table_pages import table_page
from service.mail import about, closed, codes, end, invitation, messages_mail, scenes, turn
from service.mail.example import example
from service.mail.message import Answered, Content, Envelope, Picture
from service.pictures.plots.story import StoryScene
from service.pictures.scene import Scene
from service.queries import closed_context, code_context, end_context, invitation_context, talk_context, turn_context
from service.queries.end_context import End
from service.queries.recipients import Recipient
from service.queries.step_context import StepTold
from service.queries.talk import NewMessages
from service.queries.talk_context import Talked
from service.queries.turn_context import Turn
from service.store import mail_kinds, never_mail
from service.store.accounts import EMAIL_CHANGE, Code
from service.store.delivery_preferences import TABLE

TURN, END, CLOSED, INVITATION = "turn", "end", "closed", "invitation"
"""The kinds of mail in the links to stop them."""


@dataclass(frozen=True, slots=True)
class OutgoingMail:
    """A mail that can be composed without a transaction, with a picture of `scene` or without one.

    Attributes:
        compose: composes the mail from the picture, which may be None; if there are `plots`, with them as `plots=`.
        envelope: the recipient and the ids.
        account: the recipient's account.
        after: called in a transaction once the mail has been sent.
        scene: the picture; None: there is none.
        plots: the course of a finished game, as a second picture; None: there is none.
        instead: called in a transaction if the mail must not be sent.
        to_listed: whether it is also sent to an address that wants no mail.
    """

    compose: partial[Content]
    envelope: Envelope
    account: str | None
    after: Callable[[Session], None] | None = None
    scene: Scene | None = None
    plots: StoryScene | None = None
    instead: Callable[[Session], None] | None = None
    to_listed: bool = False

    def of_history(self, history: str) -> OutgoingMail:
        """Return the mail with this history as part of its identity (`Envelope.history`)."""
        return replace(self, envelope=replace(self.envelope, history=history))

    def tells_the_same_as(self, other: OutgoingMail) -> bool:
        """Return whether both go to the same address and say the same, whatever each does after it was sent.

        What changes by itself as time goes by, such as the time of reading, must not count in the facts' equality.
        """
        mine, others = self.compose, other.compose
        return (
            self.envelope == other.envelope
            and mine.func == others.func
            and mine.args == others.args
            and mine.keywords == others.keywords
        )


@dataclass(frozen=True, slots=True)
class NothingToSend:
    """A decision to send nothing: `after` is called in a transaction, and `reason` is for the ledger."""

    after: Callable[[Session], None]
    reason: str = "stale"


def heeding_list(
    session: Session, settings: Settings, mail: OutgoingMail | NothingToSend | None
) -> OutgoingMail | NothingToSend | None:
    """Return the mail, or `NothingToSend` if its address is on the never-mail list and it is not `to_listed`."""
    if not isinstance(mail, OutgoingMail) or mail.to_listed:
        return mail
    if not never_mail.is_listed(session, address_hashes(settings.secret_keys, mail.envelope.recipient)):
        return mail
    return NothingToSend(mail.instead or _nothing, "never_mail")


def for_turn(session: Session, settings: Settings, now: datetime, *, game: str, wait: int) -> OutgoingMail | None:
    """Return the mail at the start of a wait of a game."""
    facts = turn_context.turn(session, game, wait, now)
    if facts is None or facts.to.account is None:
        return None
    account = facts.to.account
    key = mail_kinds.TURN.key(game=game, wait=wait, account=account)
    facts = replace(facts, heard=talk.claim(session, account, facts.heard, key, now))
    stop, reply_to = unsubscribe_link(settings, account, game, TURN), table_reply_address(settings, facts)
    link = table_page(settings, account, game, facts)
    compose = partial(turn.compose, facts, settings.base_url, link, stop, reply_to=reply_to)
    envelope = replace(about_table(settings, facts.to, game, key, stop, reply_to), history=facts.wait_head)
    return OutgoingMail(compose, envelope, account, _told(account, facts.heard, key), scenes.of_turn(facts))


def for_end(session: Session, settings: Settings, now: datetime, *, game: str, account: str) -> OutgoingMail | None:
    """Return the mail at the end of a game to one of its players."""
    facts = end_context.end(session, game, account)
    if facts is None:
        return None
    key = mail_kinds.END.key(game=game, account=account)
    facts = replace(facts, heard=talk.claim(session, account, facts.heard, key, now))
    stop, reply_to = unsubscribe_link(settings, account, None, END), table_reply_address(settings, facts)
    link = table_link(settings, account, game)
    compose = partial(
        end.compose, facts, link, record_link(settings, game), stop, reply_to=reply_to, contact=settings.contact
    )
    envelope = replace(about_table(settings, facts.to, game, key, stop, reply_to), history=facts.head)
    told = _told(account, facts.heard, key)
    return OutgoingMail(compose, envelope, account, told, scenes.of_end(facts), scenes.plots_of_end(facts))


def for_closed(session: Session, settings: Settings, now: datetime, *, game: str, account: str) -> OutgoingMail | None:
    """Return the mail about a table that was closed before its game began, to one of its players."""
    facts = closed_context.closed(session, game, account)
    if facts is None:
        return None
    key = mail_kinds.CLOSED.key(game=game, account=account)
    facts = replace(facts, heard=talk.claim(session, account, facts.heard, key, now))
    stop = unsubscribe_link(settings, account, None, CLOSED)
    write_to = None if settings.mail_in is None else own_address(settings)
    content = closed.compose(facts, settings.base_url, stop, write_to)
    envelope = about_table(settings, facts.to, game, key, stop)
    return OutgoingMail(_plain(content), envelope, account, _told(account, facts.heard, key))


def for_talk(
    session: Session, settings: Settings, now: datetime, *, game: str, account: str, message: int
) -> OutgoingMail | None:
    """Return the mail with the messages at a table from this one on, when no other mail about it is due."""
    facts = talk_context.talked(session, game, account)
    if facts is None:
        return None
    key = mail_kinds.TALK.key(game=game, message=message, account=account)
    facts = replace(facts, heard=talk.claim(session, account, facts.heard, key, now))
    if not facts.heard.messages:
        return None
    stop, reply_to = unsubscribe_link(settings, account, game, TABLE), table_reply_address(settings, facts)
    compose = partial(messages_mail.compose, facts, table_link(settings, account, game), stop, reply_to is not None)
    envelope = about_table(settings, facts.to, game, key, stop, reply_to)
    return OutgoingMail(compose, envelope, account, _told(account, facts.heard, key))


def for_invitation(session: Session, settings: Settings, now: datetime, *, invitation: str) -> OutgoingMail | None:
    """Return the mail with an invitation."""
    facts = invitation_context.invitation(session, invitation, now)
    if facts is None:
        return None
    secret = secrets.secret(settings.secret_keys, "invitation", invitation)
    stop = _never(settings, facts.to)
    if facts.to.account is not None:
        stop = unsubscribe_link(settings, facts.to.account, None, INVITATION)
    reply_to = reply_address(settings, ToInvitation(invitation))
    compose = partial(_compose_invitation, facts, secret, settings.base_url, stop, reply_to)
    envelope = _envelope(settings, facts.to, mail_kinds.INVITATION.key(invitation=invitation), stop, reply_to)
    return OutgoingMail(compose, envelope, facts.to.account, None, example(facts.seats, facts.to.reader.language))


def for_code(session: Session, settings: Settings, now: datetime, *, code: str) -> OutgoingMail | None:
    """Return the mail with a code: to sign in, or to confirm a new address."""
    facts = code_context.code(session, code, now)
    if facts is None:
        return None
    confirms = facts.purpose == EMAIL_CHANGE
    text = secrets.code(settings.secret_keys, facts.purpose, code)
    never = _never(settings, facts.to) if facts.to.account is None else None
    reply_to = None if confirms else reply_address(settings, ToCode(code))
    if confirms:
        content = codes.compose_address_confirm(facts, text, settings.base_url, never)
    else:
        link = sign_in_link(settings, code) if facts.by_browser else None
        content = codes.compose_sign_in(facts, text, settings.base_url, never, reply_to, link)
    key = mail_kinds.CODE.key(code=code, account=facts.changing)
    envelope = _envelope(settings, facts.to, key, reply_to=reply_to)
    to_listed = not confirms and not facts.by_mail and facts.to.account is not None
    return OutgoingMail(_plain(content), envelope, facts.changing or facts.to.account, to_listed=to_listed)


def for_about(session: Session, settings: Settings, now: datetime, *, code: str) -> OutgoingMail | None:
    """Return the mail that describes the service to a stranger who wrote; the address is deleted once it is sent."""
    to = code_context.about(session, code, now)
    if to is None:
        return None

    def forget(session: Session) -> None:
        session.execute(delete(Code).where(Code.id == code))

    never = _never(settings, to)
    content = about.compose(to.reader.language, settings.base_url, own_address(settings), never)
    envelope = replace(_envelope(settings, to, mail_kinds.ABOUT.key(code=code), never), answers=Answered(None))
    return OutgoingMail(_plain(content), envelope, None, forget, instead=forget)


def for_address_changed(session: Session, settings: Settings, now: datetime, *, code: str) -> OutgoingMail | None:
    """Return the mail that tells an account's former address of the change; afterwards the address is deleted."""
    facts = code_context.address_changed(session, code)
    if facts is None:
        return None

    def forget(session: Session) -> None:
        session.execute(update(Code).where(Code.id == code).values(former_email=None))

    content = codes.compose_address_changed(facts, settings.base_url, _never(settings, facts.to), settings.contact)
    key = mail_kinds.ADDRESS_CHANGED.key(code=code, account=facts.to.account)
    envelope = _envelope(settings, facts.to, key, reply_to=settings.contact)
    return OutgoingMail(_plain(content), envelope, facts.to.account, forget, instead=forget)


MAILS: dict[str, Callable[..., OutgoingMail | None]] = {
    "mail_turn": for_turn,
    "mail_end": for_end,
    "mail_closed": for_closed,
    "mail_talk": for_talk,
    "mail_invitation": for_invitation,
    "mail_code": for_code,
    "mail_about": for_about,
    "mail_address_changed": for_address_changed,
}
"""The jobs that send mail; each is called with a session, the settings, the time, and its arguments by name."""

_compose_invitation = invitation.compose  # `invitation` is the name of an argument above, as in the job


def about_table(
    settings: Settings, to: Recipient, game: str, key: str, stop: str | None, reply_to: str | None = None
) -> Envelope:
    """Return the envelope of a mail about a table; the mails about a game to one player refer to each other."""
    thread = f"game.{game}.{to.account}"
    return replace(_envelope(settings, to, key, stop, reply_to), thread=thread, table=game)


def _envelope(
    settings: Settings, to: Recipient, key: str, stop: str | None = None, reply_to: str | None = None
) -> Envelope:
    return Envelope(settings.mail_from, to.address, key, name=to.name, unsubscribe=stop, reply_to=reply_to)


def table_reply_address(settings: Settings, facts: Turn | End | Talked | StepTold) -> str | None:
    """Return the address that answers a mail which shows this table to this player."""
    return reply_address(settings, ToTable(facts.table, facts.seat, facts.version, False, facts.head))


def _told(account: str, heard: NewMessages, mail: str) -> Callable[[Session], None] | None:
    """Return the function that records messages as delivered once the mail has been sent."""
    return (lambda session: talk.mark_mailed(session, account, heard, mail)) if heard.messages else None


def _plain(content: Content) -> partial[Content]:
    """Return the composer of a mail without a picture, whose content is ready."""
    return partial(_as_given, content)


def _as_given(content: Content, _: Picture | None) -> Content:
    return content


def _nothing(_: Session) -> None:
    """Do nothing in place of a mail that is not sent."""


def _never(settings: Settings, to: Recipient) -> str:
    return never_mail_link(settings, to.address)
