"""The mails about clocks: reminders, and those about steps of the clock and decisions of the host."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy.orm import Session

from service.access.links import unsubscribe_link
from service.config import Settings
from service.jobs.outgoing_mail import OutgoingMail, about_table, table_reply_address
from service.jobs.table_pages import table_page
from service.mail import reminder, scenes, step
from service.queries.reminder_context import reminder as reminder_facts
from service.queries.step_context import step as step_facts
from service.store import mail_kinds
from service.store.delivery_preferences import TABLE

REMINDER = "reminder"
"""The kind of mail in the link that stops reminders."""


def for_reminder(session: Session, settings: Settings, now: datetime, *, account: str, at: int) -> OutgoingMail | None:
    """Return the mail with an account's reminders that were combined at a time, in milliseconds since 1970."""
    facts = reminder_facts(session, account, at, now)
    if facts is None:
        return None
    games = tuple(game.turn for game in facts.games)
    first = games[0]
    key = mail_kinds.REMINDER.key(account=account, at=at)
    stop = unsubscribe_link(settings, account, None, REMINDER)
    answers = {game.table: table_reply_address(settings, game) for game in games}
    pages = {game.table: table_page(settings, account, game.table, game) for game in games}
    compose = partial(reminder.compose, games, settings.base_url, pages, answers, stop)
    envelope = about_table(settings, first.to, first.table, key, stop, answers[first.table])
    return OutgoingMail(compose, envelope, account, scene=scenes.of_turn(first))


def for_step(
    session: Session, settings: Settings, now: datetime, *, game: str, seq: int, account: str
) -> OutgoingMail | None:
    """Return the mail about an entry of a clock or of the host to one of the players."""
    facts = step_facts(session, game, seq, account, now)
    if facts is None:
        return None
    key = mail_kinds.STEP.key(game=game, seq=seq, account=account)
    stop, reply_to = unsubscribe_link(settings, account, game, TABLE), table_reply_address(settings, facts)
    page = table_page(settings, account, game, facts.turn)
    compose = partial(step.compose, facts, settings.base_url, page, stop, reply_to=reply_to)
    envelope = replace(about_table(settings, facts.to, game, key, stop, reply_to), history=facts.step_head)
    scene = None if facts.turn is None else scenes.of_turn(facts.turn)
    return OutgoingMail(compose, envelope, account, scene=scene)
