"""Forms that are sent twice, as by a second tap before the answer comes: they are carried out once."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.access.links import sign_in_link
from service.commands import talk
from service.config import Settings
from service.pages.repeated_forms import LIFETIME
from service.store import idempotency
from service.store.accounts import Account, Code, Token
from service.store.tables import Table
from tests.support import web, world
from tests.support.at_once import at_once
from tests.support.browsers import COOKIE, browser_of, hidden, signed_in
from tests.support.clock import NOW
from tests.support.every_page import BROWSER
from tests.support.mail.html_reader import heard

_KEPT = text("SELECT path, headers::text, body FROM idempotency WHERE key LIKE 'form %'")


@pytest.fixture
def ann(person: Callable[[str], str], session: Session) -> str:
    made = person("Ann")
    session.commit()
    return made


@pytest.fixture
def browser(app: Flask, session: Session, ann: str) -> FlaskClient:
    return signed_in(app, session, ann, NOW)


def twice(browser: FlaskClient, page: str, path: str, **fields: str) -> tuple[TestResponse, TestResponse]:
    """Send a form of a page two times."""
    sent = {"form": hidden(browser.get(page).text, "form"), **fields}
    return browser.post(path, data=sent), browser.post(path, data=sent)


def led_to(*answers: TestResponse) -> str:
    """Return where all these responses lead."""
    assert {answer.status_code for answer in answers} == {303}, [heard(answer.text) for answer in answers]
    (place,) = {answer.headers["Location"] for answer in answers}
    return place


def tables_of(session: Session, account: str) -> list[str]:
    session.rollback()
    return list(session.scalars(select(Table.id).where(Table.maker == account)))


def test_a_form_sent_twice_opens_one_table(browser: FlaskClient, session: Session, ann: str) -> None:
    (game,) = led_to(*twice(browser, "/tables/new", "/tables/new", seats="2")).split("/")[2:]
    assert tables_of(session, ann) == [game]


def test_a_form_sent_twice_at_the_same_moment_opens_one_table(
    app: Flask, browser: FlaskClient, session: Session, ann: str
) -> None:
    sent, cookie = {"form": hidden(browser.get("/tables/new").text, "form"), "seats": "2"}, browser.get_cookie(COOKIE)
    assert cookie is not None

    def post() -> TestResponse:
        client = browser_of(app)
        client.set_cookie(COOKIE, cookie.value, secure=True)
        return client.post("/tables/new", data=sent)

    led_to(*at_once(post, post, post))
    assert len(tables_of(session, ann)) == 1


def test_a_seat_taken_twice_is_not_refused_the_second_time(
    browser: FlaskClient, session: Session, person: Callable[[str], str]
) -> None:
    game = world.open_table(session, person("Ben"), seats=3)
    session.commit()
    assert led_to(*twice(browser, f"/games/{game}", f"/games/{game}/players")) == f"/games/{game}"


def test_a_note_deleted_twice_is_not_missed_the_second_time(
    browser: FlaskClient, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    game = world.match(session, ann, person("Ben"))
    note = talk.note(session, game, ann, "Sevens", NOW)
    session.commit()
    assert led_to(*twice(browser, f"/games/{game}", f"/games/{game}/notes", delete=note.id)).endswith("#notes")


def test_another_content_of_the_same_form_is_another_form(
    browser: FlaskClient, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    game = world.match(session, ann, person("Ben"))
    session.commit()
    form = hidden(browser.get(f"/games/{game}").text, "form")
    for words in ("One", "Two", "Two"):
        led_to(browser.post(f"/games/{game}/messages", data={"form": form, "text": words}))
    shown = heard(browser.get(f"/games/{game}").text)
    assert (shown.count("One"), shown.count("Two")) == (1, 1)


def test_a_form_repeated_after_another_one_is_meant_again(browser: FlaskClient, session: Session, ben: str) -> None:
    """Else who blocks somebody, takes it back and blocks again is told that it is done, and it is not."""
    session.commit()
    here, there = f"/players/{ben}", f"/players/{ben}/block"
    first, second = (hidden(browser.get(here).text, "form") for _ in range(2))
    for form, do in ((first, "block"), (second, "unblock"), (first, "block")):
        led_to(browser.post(there, data={"form": form, "do": do}))
    assert 'value="unblock"' in browser.get(here).text


def test_a_refused_form_between_leaves_a_repetition_one(browser: FlaskClient, session: Session, ann: str) -> None:
    sent = {"form": hidden(browser.get("/tables/new").text, "form"), "seats": "2"}
    first = led_to(browser.post("/tables/new", data=sent))
    assert browser.post("/tables/new", data=sent | {"seats": "9"}).status_code >= 400
    assert led_to(browser.post("/tables/new", data=sent)) == first
    assert len(tables_of(session, ann)) == 1


def test_forms_of_a_session_and_address_take_one_row(browser: FlaskClient, session: Session) -> None:
    session.execute(text("DELETE FROM idempotency"))
    session.commit()
    for number in range(5):
        form = hidden(browser.get("/settings").text, "form")
        led_to(browser.post("/tables/language", data={"form": form, "language": "en", "x": number}))
    assert len(session.execute(_KEPT).all()) == 1


def test_forms_of_nobody_with_other_fields_take_one_row(app: Flask, session: Session) -> None:
    browser = browser_of(app)
    session.execute(text("DELETE FROM idempotency"))
    session.commit()
    sent = {"own": hidden(browser.get("/sign-in").text, "own"), "email": "somebody.new@example.org"}
    own = browser.get_cookie(BROWSER)
    assert own is not None
    for number in range(3):
        browser.set_cookie(BROWSER, own.value, secure=True)
        led_to_code = browser.post("/sign-in", data=sent | {"x": str(number), "form": str(number)})
        assert led_to_code.status_code == 303
    assert len(session.execute(_KEPT).all()) == 1


def test_forms_are_purged_after_their_own_time(browser: FlaskClient, session: Session) -> None:
    form = hidden(browser.get("/settings").text, "form")
    led_to(browser.post("/tables/language", data={"form": form, "language": "en"}))
    idempotency.purge(session, NOW + LIFETIME - timedelta(seconds=1), 1000)
    assert session.execute(_KEPT).all()
    idempotency.purge(session, NOW + LIFETIME, 1000)
    assert not session.execute(_KEPT).all()
    session.rollback()


def test_a_form_sent_again_much_later_is_carried_out_again(browser: FlaskClient, session: Session, ann: str) -> None:
    sent = {"form": hidden(browser.get("/tables/new").text, "form"), "seats": "2"}
    led_to(browser.post("/tables/new", data=sent))
    session.execute(text("UPDATE idempotency SET created_at = created_at - :time"), {"time": LIFETIME})
    session.commit()
    led_to(browser.post("/tables/new", data=sent))
    assert len(tables_of(session, ann)) == 2


def test_a_refused_form_is_not_stored_and_may_be_sent_again(
    browser: FlaskClient, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    game = world.open_table(session, person("Ben"), seats=2, visibility="private")
    session.commit()
    sent = {"form": hidden(browser.get("/account").text, "form")}
    path = f"/games/{game}/players"
    assert browser.post(path, data=sent).status_code == 404
    assert not [row for row in session.execute(_KEPT) if row.path == path]
    session.execute(text("UPDATE tables SET visibility = 'public' WHERE id = :game"), {"game": game})
    session.commit()
    assert led_to(browser.post(path, data=sent)) == f"/games/{game}"


def test_the_sign_out_sent_twice_leads_to_the_sign_in_both_times(browser: FlaskClient) -> None:
    assert led_to(*twice(browser, "/account", "/sign-out")).partition("?")[0] == "/sign-in"


def test_three_taps_without_a_cookie_begin_one_solo(app: Flask, session: Session) -> None:
    """The browser has no cookie yet when it sends the second; whichever answer it keeps, it has the same session."""
    browser = browser_of(app)
    sent = {"form": hidden(browser.get("/").text, "form")}
    answers, cookies = [], set()
    for _ in range(3):
        answers.append(browser.post("/tables/new-solo", data=sent))
        cookie = browser.get_cookie(COOKIE)
        assert cookie is not None
        cookies.add(cookie.value)
        browser.delete_cookie(COOKIE)
    game, secret = led_to(*answers).partition("#")[0], *cookies
    browser.set_cookie(COOKIE, secret, secure=True)
    assert "Your move" in heard(browser.get(game).text)
    assert secret not in str(session.execute(_KEPT).all())


def test_a_form_for_nobody_begins_nothing_for_another_network(app: Flask) -> None:
    """Else whoever has made somebody send a form of theirs would share the session that it begins."""
    mine, theirs = browser_of(app), browser_of(app)
    sent = {"form": hidden(mine.get("/").text, "form")}
    games = {led_to(each.post("/tables/new-solo", data=sent)) for each in (mine, theirs)}
    assert len(games) == 2


class TestSigningIn:
    @pytest.fixture
    def address(self, session: Session, ann: str) -> str:
        found = session.get_one(Account, ann).email
        assert found is not None
        return found

    @pytest.fixture
    def browser(self, app: Flask) -> FlaskClient:
        return browser_of(app)

    def asked(self, browser: FlaskClient, address: str) -> str:
        """Ask for a code three times, and return where all answers lead."""
        sent = {"own": hidden(browser.get("/sign-in").text, "own"), "email": address}
        return led_to(*[browser.post("/sign-in", data=sent) for _ in range(3)])

    def sessions(self, browser: FlaskClient, path: str, **fields: str) -> set[str]:
        """Send a form that signs in, as if each answer was lost, and return the session that the answers have."""
        sent, own = {"own": hidden(browser.get(path).text, "own"), **fields}, browser.get_cookie(BROWSER)
        assert own is not None
        found = set()
        for _ in range(3):
            browser.set_cookie(BROWSER, own.value, secure=True)
            assert led_to(browser.post(path, data=sent)) == "/tables"
            cookie = browser.get_cookie(COOKIE)
            assert cookie is not None
            found.add(cookie.value)
            browser.delete_cookie(COOKIE)
        return found

    def test_three_taps_mail_one_code(self, app: Flask, browser: FlaskClient, address: str) -> None:
        self.asked(browser, address)
        assert len(web.codes_for(app, address)) == 1

    def test_a_code_asked_for_anew_is_mailed(self, app: Flask, browser: FlaskClient, address: str) -> None:
        for _ in range(2):
            self.asked(browser, address)
        assert len(web.codes_for(app, address)) == 2

    def test_a_code_sent_thrice_signs_in_once(
        self, app: Flask, browser: FlaskClient, session: Session, ann: str, address: str
    ) -> None:
        where = self.asked(browser, address)
        (secret,) = self.sessions(browser, where, code=web.codes_for(app, address)[0])
        browser.set_cookie(COOKIE, secret, secure=True)
        assert browser.get("/account").status_code == 200
        assert len(session.scalars(select(Token.id).where(Token.account == ann)).all()) == 1

    def test_a_link_confirmed_thrice_signs_in_once(
        self, browser: FlaskClient, session: Session, settings: Settings, ann: str, address: str
    ) -> None:
        self.asked(browser, address)
        code = session.scalars(select(Code).where(Code.email == address)).one()
        session.rollback()
        (secret,) = self.sessions(browser, sign_in_link(settings, code.id).removeprefix(settings.base_url))
        browser.set_cookie(COOKIE, secret, secure=True)
        assert browser.get("/account").status_code == 200

    def test_what_is_kept_lets_nobody_in(
        self, app: Flask, browser: FlaskClient, session: Session, address: str
    ) -> None:
        where = self.asked(browser, address)
        code = web.codes_for(app, address)[0]
        (secret,) = self.sessions(browser, where, code=code)
        kept = str(session.execute(_KEPT).all())
        assert "/sign-in/code" in kept and not [each for each in (secret, code, "link=") if each in kept]
