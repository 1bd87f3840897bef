"""The letter that answers somebody's mail."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from service.access.links import table_link
from service.access.reply_addresses import ToTable, reply_address
from service.commands.outcome import ASKED
from service.config import Settings
from service.jobs.letters import Letter, about_table
from service.mail import answer, shown
from service.mail.message import Answered as AnsweredMail
from service.mail.message import Envelope
from service.queries.answer_facts import Answered, answered
from service.store import incoming as mails


def for_answer(session: Session, settings: Settings, now: datetime, *, incoming: int, whom: str) -> Letter | None:
    """The answer to a mail that was read, to its sender or to the account's own address (`answer_facts.WHOM`)."""
    facts = answered(session, incoming, whom)
    if facts is None:
        mails.answered(session, incoming, now)  # there is nobody to be answered any more, so what it said is forgotten
        return None
    account, turn = facts.to.account, facts.turn
    page = None if turn is None or account is None else table_link(settings, account, turn.table)
    compose = partial(answer.compose, facts, settings.base_url, page)
    scene = None if turn is None else shown.of_turn(turn)
    after = partial(_settle, incoming, whom, now)
    key = f"answer.{incoming}.{whom}" if account is None else f"answer.{incoming}.{whom}.{account}"
    return Letter(compose, _envelope(settings, facts, key), account, after, scene)


def _envelope(settings: Settings, facts: Answered, key: str) -> Envelope:
    """It follows the mail that it answers, in the thread of its game; only the sender has that mail."""
    heading = facts.outcome.letter
    mail = None if heading is None else AnsweredMail(heading.message_id, heading.references)
    if facts.turn is None:
        return Envelope(settings.mail_from, facts.to.address, key, name=facts.to.name, answers=mail)
    made = about_table(settings, facts.to, facts.turn.table, key, None, _reply_to(settings, facts))
    return replace(made, answers=mail)


def _reply_to(settings: Settings, facts: Answered) -> str | None:
    assert facts.turn is not None
    asked = any(line.what == ASKED for line in facts.outcome.lines)
    turn = facts.turn
    return reply_address(settings, ToTable(turn.table, turn.seat, turn.version, leaving=asked))


def _settle(incoming: int, whom: str, now: datetime, session: Session) -> None:
    mails.told(session, incoming, whom, now)
