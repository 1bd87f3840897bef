"""A mail server's scanner follows every link of every mail, also in a browser, and nothing changes."""

import re
from email.message import EmailMessage

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands import invitations, notifications, tables
from service.commands.play import play
from service.jobs.worker_context import WorkerContext
from service.mail.maildir import Maildir
from service.store.accounts import Code
from service.store.purging import in_pieces
from service.store.queue import defer
from tests.support import world
from tests.support.browser import chromium, dump, needs_chromium, reading
from tests.support.clock import Clock
from tests.support.mail.html_reader import links
from tests.unit.jobs.job_queue import run
from tests.unit.jobs.test_outgoing_mail import UNLIMITED
from tests.unit.jobs.writing import SERVICE, Post, taking_mail

pytestmark = needs_chromium

KINDS = {"turn", "end", "closed", "invitation", "code", "address-changed", "digest", "answer"}


def send_each_kind(session: Session, context: WorkerContext, clock: Clock) -> list[EmailMessage]:
    """Send a mail of each kind to people with and without accounts, from a service that receives mail."""
    context = taking_mail(context)
    assert isinstance(context.transport, Maildir)
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    world.match(session, ann, ben)
    ended = world.loaded(session, world.match(session, ann, ben))
    play(session, ended, ended.state.turn or 0, RESIGN, None, clock.now)
    closed = world.open_table(session, ann, seats=3)
    world.join(session, ben, closed)
    tables.close(session, ann, closed, clock.now)
    invited = world.open_table(session, ann, seats=4, visibility="private")
    for address in ("guest@example.org", "ben@example.org"):
        invitations.invite(session, ann, invited, address, UNLIMITED, clock.now)
    for purpose, id in (("sign-in", "CdDe23456789"), ("email-change", "CoDe3456789a")):
        session.add(
            Code(
                id=id,
                purpose=purpose,
                email=f"{purpose}@example.org",
                created_at=clock.now,
                expires_at=world.later(days=3),
                account=ann if purpose == "email-change" else None,
            )
        )
        session.flush()
        defer(session, "mail_code", {"code": id})
    session.get_one(Code, "CoDe3456789a").former_email = "former@example.org"
    defer(session, "mail_address_changed", {"code": "CoDe3456789a"})
    session.commit()
    run(context)
    answer_each_kind(Post(context, session), list(context.transport.messages()))
    run(context)
    for each in (ann, ben):
        notifications.change(session, each, {"turn": "digest"}, clock.now)
    world.match(session, ann, ben)
    session.commit()
    run(context)  # the turn is left to the digest before there is one
    clock.now = world.later(days=2)
    in_pieces(context.sessions, notifications.queue_due_digests, clock.now, 1)
    run(context)
    return list(context.transport.messages())


def answer_each_kind(post: Post, mails: list[EmailMessage]) -> None:
    """Send answers that get each kind of reply.

    Ann makes a move that is refused and one that is played, and asks for the history and for help; she resigns in reply
    to a mail of a game that is over; a stranger asks for a solo game.
    """
    turn, end = (
        next(mail for mail in mails if str(mail["Message-ID"]).startswith(f"<{kind}.")) for kind in ("turn", "end")
    )
    for said, mail in (("choice 9 A", turn), ("choice 1 A", turn), ("history", turn), ("resign", end)):
        post.put(str(mail["Reply-To"]), said, str(mail["To"]), about=mail)
    post.put(SERVICE, "help", "Ann <ann@example.org>")
    post.put(SERVICE, "solo", "Somebody <stranger@example.org>")


def leads(message: EmailMessage) -> set[str]:
    """Return all links of a mail: in its headers, its text and its HTML."""
    text, html = (message.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None and html is not None
    found = {*links(html.get_content()), *re.findall(r"https://[^\s<>\"']+", text.get_content())}
    found |= set(re.findall(r"<(https:[^>]+)>", str(message["List-Unsubscribe"])))
    return {each.rstrip(".,") for each in found if each.startswith("https:")}


@pytest.mark.slow
def test_every_link_of_every_mail_is_followed_and_nothing_changes(
    session: Session, context: WorkerContext, app: Flask, clock: Clock
) -> None:
    mails = send_each_kind(session, context, clock)
    assert {str(mail["Message-ID"])[1:].split(".")[0] for mail in mails} == KINDS
    assert len([mail for mail in mails if mail["Auto-Submitted"] == "auto-replied"]) == 5
    found = set().union(*map(leads, mails))
    paths = {each.partition("?")[0].rsplit("/", 1)[1] if "?" in each else "" for each in found}
    assert {"unsubscribe", "never-mail"} <= paths and len(found) > 10
    before = dump(session)
    client, site = app.test_client(), context.settings.base_url
    pages = []
    for each in sorted(found):
        assert each.startswith(site), "nothing leads elsewhere"
        path = each.removeprefix(site) or "/"
        answers = [client.open(path, method=method, follow_redirects=True) for method in ("GET", "HEAD", "OPTIONS")]
        assert answers[0].status_code in (200, 401, 404, 405), each
        if answers[0].mimetype == "text/html":
            assert answers[0].status_code == 200, each
            pages.append(site + (answers[0].request.path if answers[0].history else path))
    assert len(pages) > 5
    with chromium() as browser, reading(browser, client, site, scheme="light", width=360) as (page, wrong):
        for each in pages:
            page.goto(each)
            assert page.evaluate("document.readyState") == "complete"
    assert wrong == []
    assert dump(session) == before
