"""The page of an invitation link: a GET shows the table, a POST mails an invitation, whose answer takes a seat."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from urllib.parse import parse_qs, urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from service.access.links import invitation_link, invitation_text
from service.commands import invitation_links, players
from service.config import Settings
from service.queries import invitation_context
from service.queries.invitations import sent
from service.store.invitations import Invitation, InvitationLink
from tests.support import web, world
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links
from tests.support.world import KEYS

_numbers = count(1)


@pytest.fixture
def address() -> str:
    """Return an address of this test alone."""
    return f"linked.{next(_numbers)}@example.org"


@pytest.fixture
def link(session: Session, person: Callable[[str], str]) -> InvitationLink:
    """Return a link to a private table of Ann's for three."""
    ann = person("Ann")
    table = world.open_table(session, ann, seats=3, visibility="private")
    made = invitation_links.make(session, ann, table, uses=1, lifetime=timedelta(days=7), now=NOW)
    session.commit()
    return made


def path(settings: Settings, link: InvitationLink) -> str:
    return invitation_link(settings, link.id).removeprefix(settings.base_url)


def asked(session: Session, link: InvitationLink) -> list[Invitation]:
    """Return the invitations that were asked for on the page of a link."""
    session.rollback()
    return list(session.scalars(select(Invitation).where(Invitation.link == link.id)))


def test_a_get_shows_the_table_and_changes_nothing(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink
) -> None:
    for _ in range(2):
        answer = client.get(path(settings, link))
        assert answer.status_code == 200
        told = heard(answer.text)
        assert "Ann invites you to a game of Nova Luna" in told and "1 of 3 seats is taken" in told
        assert 'method="post"' in answer.text and "Set-Cookie" not in answer.headers
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "private, no-store"
    session.refresh(link)
    assert (asked(session, link), link.used) == ([], 0)


def test_a_post_mails_one_invitation_whose_answer_uses_the_link(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, address: str
) -> None:
    for _ in range(2):
        sent = client.post(path(settings, link), data={"email": f" {address.upper()} "})
        assert sent.status_code == 303
    assert "Look into your mail" in client.get(sent.headers["Location"]).text
    (made,) = asked(session, link)
    assert (made.email, made.invited_by) == (address, link.made_by)
    queued = text("SELECT count(*) FROM procrastinate_jobs WHERE args->>'invitation' = :id")
    assert session.scalar(queued, {"id": made.id}) == 1
    guest = world.account(session, address.partition("@")[0])
    table = session.scalar(text("SELECT id FROM tables WHERE key = :key"), {"key": link.game})
    players.join(session, guest, str(table), invitation=world.secret_of(made), entropy="", keys=KEYS, now=NOW)
    session.commit()
    session.refresh(link)
    assert link.used == 1
    assert "has let in as many players" in client.get(path(settings, link)).text


def test_a_link_that_leads_nowhere_shows_no_table(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, address: str
) -> None:
    good = path(settings, link)
    for wrong in ("/invitation", "/invitation?link=", good[:-2], good.replace("link=", "link=x")):
        for answer in (client.get(wrong), client.post(wrong, data={"email": address})):
            assert answer.status_code == 404 and "There is no such invitation link." in heard(answer.text)
    link.revoked_at = NOW
    session.commit()
    for answer in (client.get(good), client.post(good, data={"email": address})):
        assert answer.status_code == 404 and "was revoked" in answer.text and "Ann" not in answer.text
    assert asked(session, link) == []


def test_what_is_no_address_is_told(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink
) -> None:
    for wrong in ({}, {"email": ""}, {"email": "no address"}, {"email": "x" * 400 + "@example.org"}):
        answer = client.post(path(settings, link), data=wrong)
        assert answer.status_code == 422 and 'role="alert"' in answer.text
    assert asked(session, link) == []


def test_another_site_asks_for_no_mail(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, address: str
) -> None:
    answer = client.post(path(settings, link), data={"email": address}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403 and asked(session, link) == []


def test_a_network_that_asks_for_too_many_mails_is_told_when_to_try_again(
    settings: Settings, link: InvitationLink, address: str
) -> None:
    with web.opened(replace(settings, limit_sign_ins_per_ip=1), lambda: NOW) as app:
        client = app.test_client()
        answers = [client.post(path(settings, link), data={"email": address}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 429]
    assert int(answers[1].headers["Retry-After"]) > 0


def test_the_maker_does_not_see_who_asked(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, address: str
) -> None:
    client.post(path(settings, link), data={"email": address})
    session.rollback()
    assert sent(session, link.game, None, 10) == []


def test_a_link_mails_so_many_invitations_at_most(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitation_links, "MOST_MAILED", 2)
    for number in range(4):
        sent = client.post(path(settings, link), data={"email": f"{link.id}.{number}@example.org".lower()})
        assert sent.status_code == 303
    assert len(asked(session, link)) == 2


def test_a_stranger_signs_in_and_comes_back_to_take_a_seat(
    app: Flask, session: Session, settings: Settings, link: InvitationLink, address: str
) -> None:
    here = path(settings, link)
    browser = browser_of(app)
    found = [each for each in links(browser.get(here).text) if each.startswith("/sign-in?onward=")]
    page = browser.get(found[0]).text
    sent = {"own": hidden(page, "own"), "onward": hidden(page, "onward"), "email": address}
    where = browser.post("/sign-in", data=sent).headers["Location"]
    form = {"own": hidden(browser.get(where).text, "own"), "code": web.codes_for(app, address)[0]}
    back = browser.post(where, data=form).headers["Location"]
    assert back == here
    shown = browser.get(back).text
    fields = {name: hidden(shown, name) for name in ("form", "invitation", "onward")}
    (action,) = re.findall(r'<form method="post" action="(/games/[^"]+)"', shown)
    taken = browser.post(action, data=fields)
    assert taken.status_code == 303 and browser.get(taken.headers["Location"]).status_code == 200


def test_a_session_that_is_over_leads_back_to_the_invitation(
    app: Flask, session: Session, settings: Settings, link: InvitationLink, person: Callable[[str], str]
) -> None:
    here = path(settings, link)
    shown = signed_in(app, session, person("Ben"), NOW).get(here).text
    (action,) = re.findall(r'<form method="post" action="(/games/[^"]+)"', shown)
    fields = {name: hidden(shown, name) for name in ("form", "invitation", "onward")}
    answer = browser_of(app).post(action, data=fields)
    assert answer.status_code == 403 and f"/sign-in?{urlencode({'onward': here})}" in sign_ins(answer.text)
    forged = browser_of(app).post(action, data=fields | {"onward": "https://evil.example/"})
    assert "evil" not in forged.text


def sign_ins(page: str) -> list[str]:
    return [f"/sign-in?{urlencode(parse_qs(each.partition('?')[2]), True)}" for each in links(page) if "onward" in each]


def test_a_guest_is_told_that_an_address_is_needed_and_led_back(
    app: Flask, settings: Settings, link: InvitationLink
) -> None:
    here = path(settings, link)
    guest = browser_of(app)
    send(guest, "/", "/tables/new-solo")
    page = guest.get(here).text
    assert "you play without one" in heard(page) and 'action="/games/' not in page
    assert f"/sign-in?{urlencode({'onward': here})}" in sign_ins(page)


def test_a_player_of_the_table_is_led_there(
    app: Flask, session: Session, settings: Settings, link: InvitationLink
) -> None:
    page = signed_in(app, session, link.made_by, NOW).get(path(settings, link)).text
    table = session.scalar(text("SELECT id FROM tables WHERE key = :key"), {"key": link.game})
    assert "You have a seat at this table." in heard(page) and f"/games/{table}" in links(page)
    assert "Take a seat" not in heard(page)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"used": 3}, "has let in as many players as it may"),
        ({"expires_at": NOW - timedelta(days=1)}, "has expired"),
        ({"revoked_at": NOW}, "was revoked"),
    ],
)
def test_a_link_that_is_over_leads_the_players_of_its_table_there(
    app: Flask,
    client: FlaskClient,
    session: Session,
    settings: Settings,
    link: InvitationLink,
    person: Callable[[str], str],
    changed: dict[str, object],
    told: str,
) -> None:
    table = session.scalar(text("SELECT id FROM tables WHERE key = :key"), {"key": link.game})
    ben = person("Ben")
    world.join(session, ben, str(table), invitation=invitation_text(KEYS, link.id))
    for name, value in {"uses": 3, **changed}.items():
        setattr(link, name, value)
    session.commit()
    for account in (ben, link.made_by):
        page = signed_in(app, session, account, NOW).get(path(settings, link))
        assert page.status_code == 200 and f"/games/{table}" in links(page.text)
        assert "You have a seat at this table." in heard(page.text) and told in heard(page.text)
        assert "invitation" not in re.findall(r'name="(\w+)"', page.text)
    for other in (client, signed_in(app, session, person("Eve"), NOW)):
        page = other.get(path(settings, link))
        assert page.status_code == 404 and told in page.text and str(table) not in page.text


@pytest.mark.parametrize("way", ["browser", "link"])
def test_the_mail_is_in_the_language_of_the_page(
    client: FlaskClient, session: Session, settings: Settings, link: InvitationLink, address: str, way: str
) -> None:
    here = path(settings, link) + ("" if way == "browser" else "&language=fr")
    headers = {"Accept-Language": "fr" if way == "browser" else "en"}
    page = client.get(here, headers=headers)
    assert page.headers["Content-Language"] == "fr"
    (action,) = re.findall(r'<form method="post" action="(/invitation[^"]+)"', page.text)
    assert client.post(action.replace("&amp;", "&"), data={"email": address}, headers=headers).status_code == 303
    (made,) = asked(session, link)
    found = invitation_context.invitation(session, made.id, NOW)
    assert found is not None and found.to.reader.language.code == "fr"
