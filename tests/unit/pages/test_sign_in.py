"""Signing a browser in and out: by code, by link, and what neither lets anybody do."""

import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.access.links import sign_in_link
from service.commands.suspensions import suspend
from service.config import Settings
from service.store.accounts import Account, Code, Token
from tests.support import web
from tests.support.browser import dump
from tests.support.browsers import COOKIE as SESSION
from tests.support.browsers import browser_of, hidden
from tests.support.clock import NOW
from tests.support.every_page import BROWSER
from tests.support.mail.html_reader import heard


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    """Return a browser, which is on the site's own origin, as cookies are for https alone."""
    return browser_of(app)


@pytest.fixture
def address(person: Callable[[str], str], session: Session) -> str:
    account = session.get_one(Account, person("Ann"))
    session.commit()
    assert account.email is not None
    return account.email


def ask(browser: FlaskClient, address: str, **more: str) -> TestResponse:
    """Ask for a code as the page does."""
    page = browser.get("/sign-in").text
    return browser.post("/sign-in", data={"own": hidden(page, "own"), "email": address, **more})


def redeem(browser: FlaskClient, where: str, code: str, **more: str) -> TestResponse:
    page = browser.get(where).text
    return browser.post(where, data={"own": hidden(page, "own"), "code": code, **more})


def sign_in(app: Flask, browser: FlaskClient, address: str, **more: str) -> TestResponse:
    """Sign a browser in by a mailed code."""
    where = ask(browser, address).headers["Location"]
    return redeem(browser, where, web.codes_for(app, address)[0], **more)


def test_a_mailed_code_signs_in_and_the_cookie_is_kept_from_others(
    app: Flask, browser: FlaskClient, address: str
) -> None:
    answer = sign_in(app, browser, address)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/tables")
    (cookie,) = [line for line in answer.headers.getlist("Set-Cookie") if line.startswith(f"{SESSION}=")]
    parts = {part.strip().partition("=")[0] for part in cookie.split(";")}
    assert {"Secure", "HttpOnly", "SameSite", "Path"} <= parts and "Domain" not in parts
    assert "SameSite=Lax" in cookie and "Path=/" in cookie
    assert browser.get("/tables").status_code == 200
    assert address in heard(browser.get("/account").text)
    assert "You are signed in already." in heard(browser.get("/sign-in").text)


def test_a_new_address_gets_an_account_with_the_name(app: Flask, browser: FlaskClient, session: Session) -> None:
    assert sign_in(app, browser, "zoe@example.org", name="Zoë").status_code == 303
    account = session.scalars(select(Account).where(Account.email == "zoe@example.org")).one()
    assert account.name == "Zoë"


def test_a_name_that_cannot_be_is_refused_before_the_code_is_used(
    app: Flask, browser: FlaskClient, session: Session
) -> None:
    answer = sign_in(app, browser, "yan@example.org", name="see www.example.org")
    assert answer.status_code == 422 and "A name must not look like a web address" in heard(answer.text)
    assert re.search(r'id="name"[^>]* value="see www.example.org" [^>]*aria-describedby="wrong"', answer.text)
    assert re.search(r'id="code"[^>]* value="[A-Z0-9-]{11}">', answer.text), "kept, and not called wrong"
    assert session.scalars(select(Account).where(Account.email == "yan@example.org")).first() is None
    assert sign_in(app, browser, "yan@example.org", name="Yan").status_code == 303


def test_a_wrong_code_is_refused(app: Flask, browser: FlaskClient, address: str) -> None:
    where = ask(browser, address).headers["Location"]
    answer = redeem(browser, where, "AAAAA-AAAAA")
    assert answer.status_code == 403 and "This code is wrong" in heard(answer.text)
    assert re.search(r'id="code"[^>]* value="AAAAA-AAAAA"[^>]*aria-describedby="wrong"', answer.text)
    assert browser.get("/tables").status_code == 303


def test_the_link_in_the_mail_signs_in_the_browser_that_asked(
    app: Flask, browser: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    ask(browser, address)
    code = session.scalars(select(Code).where(Code.email == address)).one()
    path = sign_in_link(settings, code.id).removeprefix(settings.base_url)
    session.rollback()
    before = dump(session)
    other = browser_of(app)
    assert other.get(path).status_code == 404
    assert other.post(path, data={"own": "x"}).status_code == 404
    page = browser.get(path)
    assert address in heard(page.text) and dump(session) == before
    answer = browser.post(path, data={"own": hidden(page.text, "own")})
    assert answer.status_code == 303 and browser.get("/tables").status_code == 200
    again = browser.post(path, data={"own": hidden(page.text, "own")})
    assert "You are signed in already." in heard(again.text) and "Set-Cookie" in again.headers
    browser.delete_cookie(SESSION)
    assert browser.get(path).status_code == 404


def link_for(session: Session, settings: Settings, address: str) -> str:
    """Return the path of the link in the newest mail with a code to an address."""
    session.rollback()
    code = session.scalars(select(Code).where(Code.email == address).order_by(Code.created_at.desc())).first()
    session.rollback()
    assert code is not None
    return sign_in_link(settings, code.id).removeprefix(settings.base_url)


def test_the_link_in_the_mail_leads_on_as_the_code_does(
    app: Flask, browser: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    page = browser.get("/sign-in?onward=/games/AbCdEfGh2345").text
    sent = {"own": hidden(page, "own"), "onward": hidden(page, "onward"), "email": address}
    browser.post("/sign-in", data=sent)
    path = link_for(session, settings, address)
    answer = browser.post(path, data={"own": hidden(browser.get(path).text, "own")})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/games/AbCdEfGh2345")


@pytest.mark.parametrize("onward", ["https://evil.example", "//evil.example", "/a?b=c"])
def test_a_cookie_that_was_changed_leads_to_no_other_site(
    browser: FlaskClient, session: Session, settings: Settings, address: str, onward: str
) -> None:
    ask(browser, address)
    cookie = browser.get_cookie(BROWSER)
    assert cookie is not None
    browser.set_cookie(BROWSER, f"{cookie.value.partition('.')[0]}.{quote(onward, safe='')}", secure=True)
    path = link_for(session, settings, address)
    answer = browser.post(path, data={"own": hidden(browser.get(path).text, "own")})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/tables")


def test_a_second_tab_says_that_one_is_signed_in_and_leads_on(
    app: Flask, browser: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    other = browser.get("/sign-in?onward=/tables/open").text
    where = ask(browser, address, onward="/tables/open").headers["Location"]
    form = {"own": hidden(browser.get(where).text, "own"), "code": web.codes_for(app, address)[0]}
    assert browser.post(where, data=form).status_code == 303
    sent = {"own": hidden(other, "own"), "onward": "/tables/open", "email": address}
    for answer in (browser.post("/sign-in", data=sent), browser.post(where, data=form)):
        assert answer.status_code == 200 and "You are signed in already." in heard(answer.text)
        assert '<a class="way" href="/tables/open">Go on</a>' in answer.text
    assert "You are signed in already." in heard(browser.get(link_for(session, settings, address)).text)


def test_a_new_account_has_the_language_of_the_page(
    app: Flask, browser: FlaskClient, session: Session, settings: Settings
) -> None:
    english = {"Accept-Language": "en"}
    addresses = ("lea@example.org", "lou@example.org")
    for address in addresses:
        page = browser.get("/sign-in?language=fr", headers=english).text
        assert '<form method="post" action="/sign-in?language=fr">' in page
        sent = {"own": hidden(page, "own"), "email": address}
        where = browser.post("/sign-in?language=fr", data=sent, headers=english).headers["Location"]
        if address == addresses[0]:
            page = browser.get(where, headers=english).text
            assert '<html lang="fr">' in page
            form = {"own": hidden(page, "own"), "code": web.codes_for(app, address)[0]}
            action = re.findall(r'<form method="post" action="([^"]+)"', page)[0].replace("&amp;", "&")
        else:
            action = link_for(session, settings, address)
            page = browser.get(action, headers=english).text
            assert '<html lang="fr">' in page
            form = {"own": hidden(page, "own")}
        assert browser.post(action, data=form, headers=english).status_code == 303
        browser.delete_cookie(SESSION)
    found = session.scalars(select(Account.language).where(Account.email.in_(addresses))).all()
    assert found == ["fr", "fr"]


def test_a_code_asked_for_by_a_program_has_no_link(
    app: Flask, browser: FlaskClient, session: Session, settings: Settings, address: str
) -> None:
    browser.get("/sign-in")
    app.test_client().post("/v1/sign-ins", json={"email": address})
    code = session.scalars(select(Code).where(Code.email == address)).one()
    assert code.browser is None
    assert browser.get(sign_in_link(settings, code.id).removeprefix(settings.base_url)).status_code == 404


def test_nobody_signs_another_browser_in(app: Flask, browser: FlaskClient, address: str) -> None:
    """A form of another browser, or of another site, is refused, so nobody acts in an account that is not theirs."""
    mine = browser_of(app)
    where = ask(mine, address).headers["Location"]
    own = hidden(mine.get(where).text, "own")
    code = web.codes_for(app, address)[0]
    assert browser.post(where, data={"own": own, "code": code}).status_code == 422
    browser.get("/sign-in")
    assert browser.post(where, data={"own": own, "code": code}).status_code == 422
    crossing = {"Sec-Fetch-Site": "cross-site"}
    for path in (where, "/sign-in", "/sign-in/link", "/sign-out"):
        assert mine.post(path, data={"own": own, "code": code}, headers=crossing).status_code in (303, 403)
    assert browser.get("/tables").status_code == 303 and mine.get("/tables").status_code == 303
    assert mine.post(where, data={"own": own, "code": code}).status_code == 303


def test_a_session_ends_with_the_sign_out(app: Flask, browser: FlaskClient, session: Session, address: str) -> None:
    sign_in(app, browser, address)
    page = browser.get("/account").text
    assert browser.post("/sign-out", data={}).status_code == 403
    own = {"form": hidden(page, "form")}
    assert browser.post("/sign-out", data=own, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    cookie = browser.get_cookie(SESSION)
    assert cookie is not None
    assert browser.post("/sign-out", data={"form": hidden(page, "form")}).status_code == 303
    assert browser.get_cookie(SESSION) is None
    browser.set_cookie(SESSION, cookie.value, secure=True)
    assert browser.get("/tables").status_code == 303
    assert session.scalars(select(Token.id).join(Account).where(Account.email == address)).all() == []


def test_sessions_are_listed_and_revoked_with_the_tokens(app: Flask, browser: FlaskClient, address: str) -> None:
    sign_in(app, browser, address)
    bearer = web.sign_up(app, address)
    api = app.test_client()
    items = api.get("/v1/tokens", headers=bearer.headers).get_json()["items"]
    assert sorted(item["kind"] for item in items) == ["session", "token"]
    (own,) = [item["id"] for item in items if item["kind"] == "session"]
    assert "This browser" in heard(browser.get("/account").text)
    assert api.delete(f"/v1/tokens/{own}", headers=bearer.headers).status_code == 204
    assert browser.get("/tables").status_code == 303


def test_a_browser_revokes_a_token_of_its_own_account_alone(
    app: Flask, browser: FlaskClient, session: Session, address: str
) -> None:
    sign_in(app, browser, address)
    mine, other = web.sign_up(app, address), web.sign_up(app, "eve@example.org")
    api = app.test_client()
    form = hidden(browser.get("/account").text, "form")
    for person in (mine, other):
        items = api.get("/v1/tokens", headers=person.headers).get_json()["items"]
        (token,) = [item["id"] for item in items if item["current"]]
        assert browser.post("/account/tokens", data={"form": form, "token": token}).status_code == 303
    assert api.get("/v1/me", headers=mine.headers).status_code == 401
    assert api.get("/v1/me", headers=other.headers).status_code == 200


def test_pages_take_no_token_and_the_api_takes_no_cookie(app: Flask, browser: FlaskClient, address: str) -> None:
    sign_in(app, browser, address)
    cookie = browser.get_cookie(SESSION)
    assert cookie is not None
    assert browser.get("/v1/me").status_code == 401
    api = app.test_client()
    assert api.get("/v1/me", headers={"Authorization": f"Bearer {cookie.value}"}).status_code == 401
    bearer = web.sign_up(app, address)
    assert api.get("/v1/me", headers=bearer.headers).status_code == 200
    other = browser_of(app)
    assert other.get("/tables", headers=bearer.headers).status_code == 303
    other.set_cookie(SESSION, bearer.token, secure=True)
    assert other.get("/tables").status_code == 303


def test_a_suspended_account_does_not_get_in_and_does_nothing(
    app: Flask, browser: FlaskClient, session: Session, address: str
) -> None:
    sign_in(app, browser, address)
    form = hidden(browser.get("/account").text, "form")
    account = session.scalars(select(Account).where(Account.email == address)).one()
    suspend(session, account.id, NOW)
    session.commit()
    answer = browser.post("/account/tokens", data={"form": form, "token": "x"})
    assert answer.status_code == 403 and "suspended" in heard(answer.text)
    again = sign_in(app, browser_of(app), address)
    assert again.status_code == 403 and "suspended" in heard(again.text)


@pytest.mark.parametrize(
    ("onward", "reached"),
    [
        ("/games/abc", "/games/abc"),
        ("//evil.example", "/tables"),
        ("https://evil.example", "/tables"),
        ("/a?b=c", "/tables"),
        ("/invitation?link=WyJh.b-c_d", "/invitation?link=WyJh.b-c_d"),
        ("/invitation?link=a&b=c", "/tables"),
        ("/invitation?link=a#//evil.example", "/tables"),
        ("/invitation?link=a\n", "/tables"),
        ("//evil.example/invitation?link=a", "/tables"),
    ],
)
def test_signing_in_leads_on_to_a_page_of_this_site(
    app: Flask, browser: FlaskClient, address: str, onward: str, reached: str
) -> None:
    page = browser.get("/sign-in", query_string={"onward": onward}).text
    where = browser.post(
        "/sign-in", data={"own": hidden(page, "own"), "onward": hidden(page, "onward"), "email": address}
    ).headers["Location"]
    assert redeem(browser, where, web.codes_for(app, address)[0]).headers["Location"] == reached


def test_a_browser_without_cookies_is_told_so(app: Flask, address: str) -> None:
    answer = app.test_client(use_cookies=False).post("/sign-in", data={"own": "x", "email": address})
    assert answer.status_code == 422 and "kept no cookie" in heard(answer.text)


def test_codes_are_limited_as_in_the_api(settings: Settings, address: str) -> None:
    with web.opened(replace(settings, limit_sign_ins_per_ip=2, limit_code_tries=1), lambda: NOW) as app:
        browser = browser_of(app)
        where = ask(browser, address).headers["Location"]
        assert ask(browser, address).status_code == 303
        refused = ask(browser, address)
        assert refused.status_code == 429 and int(refused.headers["Retry-After"]) > 0
        wrong, refused = redeem(browser, where, "AAAAA-AAAAA"), redeem(browser, where, "AAAAA-AAAAB")
        assert wrong.status_code == 403 and "This code is wrong" in heard(wrong.text)
        assert refused.status_code == 429 and "Too many wrong codes" in heard(refused.text)
        assert int(refused.headers["Retry-After"]) > 0
