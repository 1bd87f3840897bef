"""Mails of a suspended account: answered, and nothing else."""

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.commands import suspensions
from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


def tables(post: Post) -> object:
    return post.session.scalar(text("SELECT count(*) FROM tables"))


def test_a_reply_about_a_game_does_nothing_and_says_why(post: Post) -> None:
    match = Match(post)
    suspensions.suspend(post.session, match.accounts[match.seat], NOW)
    (told,) = post.answer(match.mail, "choice 1 A\nsay hello\nresign")
    assert "This account is suspended" in text_of(told)
    assert match.moves() == []


def test_a_reply_names_whom_to_ask(session: Session, context: WorkerContext) -> None:
    post = Post(taking_mail(context, contact="help@example.org"), session)
    match = Match(post)
    suspensions.suspend(session, match.accounts[match.seat], NOW)
    (told,) = post.answer(match.mail, "resign")
    assert "Ask those who run this service: help@example.org" in text_of(told)


def test_a_mail_that_begins_something_does_nothing(post: Post) -> None:
    suspensions.suspend(post.session, world.account(post.session, "Ann"), NOW)
    before = tables(post)
    (told,) = post.write(SERVICE, "solo", "Ann <ann@example.org>")
    assert "This account is suspended" in text_of(told) and tables(post) == before
    post.dmarc = None
    assert post.write(SERVICE, "solo", "Ann <ann@example.org>") == [] and post.got("ann@example.org") == [told]


def test_an_invitation_or_a_code_does_nothing(post: Post) -> None:
    world.account(post.session, "Ann")
    post.dmarc = None
    post.write(SERVICE, "solo", "Ann <ann@example.org>")
    (code,) = post.got("ann@example.org")
    post.dmarc = "pass"
    world.account(post.session, "Ben")
    post.write(SERVICE, "new 2, ann@example.org", "ben@example.org")
    invitation = post.got("ann@example.org")[-1]
    suspensions.suspend(post.session, world.account(post.session, "Ann"), NOW)
    before = tables(post)
    for mail in (code, invitation):
        (told,) = post.answer(mail, "yes")
        assert "This account is suspended" in text_of(told)
    assert tables(post) == before
    assert post.session.scalar(text("SELECT count(*) FROM invitations WHERE used_at IS NOT NULL")) == 0
