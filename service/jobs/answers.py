"""The reply to somebody's mail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from service.access.links import never_mail_link, record_link, table_link, unsubscribe_link
from service.access.reply_addresses import (
    MUTE,
    STOP,
    ToCode,
    ToInvitation,
    ToReading,
    ToSilencing,
    ToTable,
    reply_address,
)
from service.config import Settings
from service.jobs.outgoing_mail import NothingToSend, OutgoingMail, about_table
from service.jobs.table_pages import table_page
from service.mail import answer, scenes
from service.mail.message import Answered as AnsweredMail
from service.mail.message import Envelope
from service.queries.own_games import OwnGame
from service.queries.reply_context import Answered, answered
from service.store import incoming as mails
from service.store import mail_kinds
from service.store.delivery_preferences import ANSWER, SHORT
from service.store.mail_outcome import ASKED, INVITATION, STILL_ASKED


def for_answer(
    session: Session, settings: Settings, now: datetime, *, incoming: int, whom: str
) -> OutgoingMail | NothingToSend | None:
    """Return the reply to a mail that was processed.

    It is None if nobody is left to reply to, and `NothingToSend` if this person wants no reply when all went well.

    Args:
        whom: to whom the reply goes, one of `reply_context.WHOM`.
    """
    facts = answered(session, incoming, whom, now)
    if facts is None:
        mails.answered(session, incoming, now)  # nobody is left to be answered, so the stored outcome is deleted
        return None
    after = partial(_settle, incoming, whom, now)
    if facts.form is None:
        return NothingToSend(after, "off")
    account, turn = facts.to.account, facts.turn
    page = None if turn is None or account is None else table_page(settings, account, turn.table, turn)
    stop = _stop(settings, facts)
    reply_to = _reply_to(settings, facts)
    links, answers = ({}, {}) if account is None else _ways_to(settings, account, facts.games)
    record = "" if turn is None else record_link(settings, turn.table)
    never = never_mail_link(settings, facts.to.address) if account is None else None
    compose = partial(
        answer.compose,
        facts,
        settings.base_url,
        page,
        stop,
        links,
        answers=answers,
        reply_to=reply_to,
        record=record,
        never=never,
    )
    scene = None if turn is None or facts.form == SHORT else scenes.of_turn(turn)
    key = mail_kinds.ANSWER.key(incoming=incoming, whom=whom, account=account)
    return OutgoingMail(compose, _envelope(settings, facts, key, stop, reply_to), account, after, scene, instead=after)


def _ways_to(
    settings: Settings, account: str, games: Iterable[OwnGame]
) -> tuple[dict[str, str], dict[str, str | None]]:
    """Return the account's links to its games, and the addresses at which mails about the running ones are answered."""
    links, answers = {}, {}
    for game in games:
        links[game.table] = table_link(settings, account, game.table)
        if game.turn is not None:
            answers[game.table] = reply_address(settings, ToTable(game.table, game.seat, game.version, False))
    return links, answers


def _envelope(settings: Settings, facts: Answered, key: str, stop: str | None, reply_to: str | None) -> Envelope:
    """Return the envelope: a reply to the mail, in the thread of its game."""
    header = facts.outcome.header
    mail = None if header is None else AnsweredMail(header.message_id, header.references)
    if facts.turn is None:
        made = Envelope(settings.mail_from, facts.to.address, key, name=facts.to.name, unsubscribe=stop)
        return replace(made, answers=mail, reply_to=reply_to)
    made = about_table(settings, facts.to, facts.turn.table, key, stop, reply_to)
    return replace(made, answers=mail)


def _stop(settings: Settings, facts: Answered) -> str | None:
    """Return the link to get fewer replies, which is for the account's owner alone."""
    account, turn = facts.to.account, facts.turn
    if account is None:
        return None
    return unsubscribe_link(settings, account, None if turn is None else turn.table, ANSWER)


def _reply_to(settings: Settings, facts: Answered) -> str | None:
    """Return the address for an answer: at the table, or to the question that is asked again; None: the service's."""
    again = next((line for line in facts.outcome.lines if line.what == STILL_ASKED), None)
    if again is not None:
        id = again.facts["id"]
        return reply_address(settings, ToInvitation(id) if again.code == INVITATION else ToCode(id))
    if facts.turn is None:
        return None
    asked = next((line for line in facts.outcome.lines if line.what == ASKED), None)
    turn, move = facts.turn, facts.proposal
    if asked is not None and asked.code in (STOP, MUTE):
        what = STOP if asked.code == STOP else MUTE
        return reply_address(settings, ToSilencing(turn.table, turn.seat, turn.version, what))
    table = ToTable(turn.table, turn.seat, turn.version, asked is not None, turn.head)
    return reply_address(settings, table if move is None else ToReading(table, move.choice, move.cell))


def _settle(incoming: int, whom: str, now: datetime, session: Session) -> None:
    mails.told(session, incoming, whom, now)
