"""The optional parts of a turn mail.

They depend on what the account wants and what the table allows; moves by a program are for those with a token.
"""

from datetime import UTC, datetime

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from service.access.tokens import hash_of
from service.commands import notifications
from service.ids import new_id
from service.jobs.worker_context import WorkerContext
from service.store.accounts import Token
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.test_outgoing_mail import sent
from tests.unit.jobs.writing import taking_mail


def first_mail(
    session: Session,
    context: WorkerContext,
    *,
    table_hints: bool = True,
    tokens: bool = False,
    expires: datetime | None = None,
    wishes: dict[str, object] | None = None,
) -> str:
    """Return the text of the turn mail of a match whose players have these preferences, with tokens or without."""
    both = world.account(session, "Ann"), world.account(session, "Ben")
    for account in both:
        if wishes:
            notifications.change(session, account, wishes, NOW)
        if tokens:
            session.add(Token(id=new_id(), account=account, hash=hash_of(account), created_at=NOW, expires_at=expires))
    table = world.match(session, *both)
    session.execute(update(Table).where(Table.id == table).values(hints=table_hints))
    (mail,) = sent(taking_mail(context), session)
    return text_of(mail)


def test_hints_are_told_unless_somebody_does_not_want_them(session: Session, context: WorkerContext) -> None:
    assert "Covers no goal now." in first_mail(session, context)


@pytest.mark.parametrize(("hints", "wishes"), [(False, {}), (True, {"hints": False}), (False, {"hints": True})])
def test_hints_are_left_out_where_account_or_table_says_so(
    session: Session, context: WorkerContext, hints: bool, wishes: dict[str, object]
) -> None:
    text = first_mail(session, context, table_hints=hints, wishes=wishes)
    assert "Covers" not in text and "YOUR CHOICES" in text


@pytest.mark.parametrize(
    ("tokens", "wishes", "told"),
    [
        (False, {}, False),
        (True, {}, True),
        (True, {"http_commands": "off"}, False),
        (False, {"http_commands": "on"}, True),
        (True, {"http_commands": "auto"}, True),
    ],
)
def test_commands_go_to_holders_of_a_token_and_who_asked(
    session: Session, context: WorkerContext, tokens: bool, wishes: dict[str, object], told: bool
) -> None:
    text = first_mail(session, context, tokens=tokens, wishes=wishes)
    assert ("curl -X POST" in text) == ("OVER HTTP" in text) == told


def test_an_expired_token_brings_no_commands(session: Session, context: WorkerContext) -> None:
    assert "curl" not in first_mail(session, context, tokens=True, expires=datetime(2026, 1, 1, tzinfo=UTC))


def test_where_no_mail_is_taken_in_everybody_is_told_of_http(session: Session, context: WorkerContext) -> None:
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    (mail,) = sent(context, session)
    text = text_of(mail)
    assert text.index("curl -X POST") < text.index("YOUR CHOICES")
