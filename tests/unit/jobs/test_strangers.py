"""A stranger's scanner follows every link of every mail, and nothing changes."""

import re
from email.message import EmailMessage
from html import unescape

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.links import unsubscribe_of
from service.commands import accounts, invitations, tables
from service.commands.notifications import change
from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.world import KEYS
from tests.unit.jobs.test_delivery_preferences import mails, pass_over
from tests.unit.jobs.test_outgoing_mail import UNLIMITED, a_code

# The tables that a request may change: counters of requests.
_LEFT_BEHIND = {"rate_limits"}

_LINK = re.compile(r"https?://[^\s\"'<>)]+")


def links(message: EmailMessage) -> set[str]:
    """Return all links of a mail: in its text, its HTML and its headers."""
    found = set(_LINK.findall(str(message["List-Unsubscribe"] or "")))
    for part in message.walk():
        if part.get_content_maintype() == "text":
            found |= {unescape(link) for link in _LINK.findall(str(part.get_content()))}
    return found


def dump(session: Session) -> dict[str, list[str]]:
    """Return everything in the database, table by table."""
    session.rollback()
    names = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")).all()
    return {
        name: sorted(map(str, session.scalars(text(f"SELECT {name}::text FROM {name}"))))
        for name in set(names) - _LEFT_BEHIND
    }


@pytest.fixture
def all_kinds(session: Session, context: WorkerContext, clock: Clock) -> list[EmailMessage]:
    """Return a mail of each kind, from a few mailboxes."""
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    running = world.match(session, ann, ben, goal_discs=5)
    ended = world.match(session, ann, ben, goal_discs=5)
    world.play_out(session, ended)
    closing = world.open_table(session, ann, seats=3)
    world.join(session, ben, closing)
    tables.close(session, ann, closing, NOW)
    asking = world.open_table(session, ann, seats=3)
    for address in ("ben@example.org", "guest@example.org"):
        invitations.invite(session, ann, asking, address, UNLIMITED, NOW)
    a_code(session, "ann@example.org")
    accounts.change(session, ben, {"email": "new@example.org"}, NOW)
    change(session, world.account(session, "Cleo"), {"turn": "digest"}, NOW)
    waiting = world.match(session, world.account(session, "Cleo"), world.account(session, "Dora"))
    change(session, world.account(session, "Dora"), {"turn": "digest"}, NOW)
    mails(context, session)
    found = pass_over(context, clock, session, world.later(days=1))
    assert running and waiting
    return found


@pytest.mark.slow
def test_a_scanner_changes_nothing(session: Session, app: Flask, all_kinds: list[EmailMessage]) -> None:
    kinds = {str(message["Message-ID"])[1:].partition(".")[0] for message in all_kinds}
    assert kinds == {"turn", "end", "closed", "invitation", "code", "digest"}
    client = app.test_client()
    before = dump(session)
    seen = {link for message in all_kinds for link in links(message)}
    assert {link.split("/")[3].partition("?")[0] for link in seen} >= {"games", "never-mail", "unsubscribe", "v1"}
    for link in seen:
        path = link.removeprefix("https://nova-luna.example.org")
        assert path.startswith("/"), f"{link} leads elsewhere"
        for method in ("HEAD", "GET", "GET"):
            answer = client.open(path, method=method, headers={"User-Agent": "scanner", "Accept": "*/*"})
            assert answer.status_code < 500 and "Set-Cookie" not in answer.headers
    assert dump(session) == before


def test_every_header_to_unsubscribe_leads_to_its_reader(all_kinds: list[EmailMessage], app: Flask) -> None:
    client = app.test_client()
    for message in all_kinds:
        kind = str(message["Message-ID"])[1:].partition(".")[0]
        header = message["List-Unsubscribe"]
        if kind == "code":
            continue
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        link = str(header).strip("<>")
        if "/unsubscribe?" in link:
            of = unsubscribe_of(KEYS, link.partition("link=")[2])
            assert of is not None and of.kind == kind
        answer = client.post(link.removeprefix("https://nova-luna.example.org"), data={"List-Unsubscribe": "One-Click"})
        assert (answer.status_code, answer.mimetype) == (200, "text/plain")
