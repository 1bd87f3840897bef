"""The settings pages: what each form changes, and what it refuses."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine.clock.terms import DEFAULT_LADDER, PerWait, Terms
from engine.record import stamp
from service.clocks.absences import earliest
from service.commands import reminding
from service.queries.notifications import own_notifications
from service.queries.quiet_times import absences_of, quiet_times_of
from service.store.accounts import Account
from service.store.callers import KnownAccount
from tests.support import clocked, web, world
from tests.support.browser import dump
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard

MAIL = {
    "turn": "digest", "end": "off", "closed": "at_once", "invitation": "off", "reminder": "at_once", "answer": "whole",
    "digest_hour": "7", "http_commands": "off",
}  # fmt: skip


@pytest.fixture
def ann(person: Callable[[str], str]) -> str:
    return person("Ann")


@pytest.fixture
def browser(app: Flask, session: Session, ann: str) -> FlaskClient:
    """Return a browser that is signed in as Ann."""
    return signed_in(app, session, ann, NOW)


def account(session: Session, id: str) -> Account:
    session.rollback()
    return session.get_one(Account, id, populate_existing=True)


def test_name_and_language_are_changed(session: Session, browser: FlaskClient, ann: str) -> None:
    assert send(browser, "/settings", "/settings/profile", name="Anna", language="fr").status_code == 303
    assert (account(session, ann).name, account(session, ann).language) == ("Anna", "fr")
    assert 'lang="fr"' in browser.get("/settings").text
    send(browser, "/settings", "/settings/profile", name="", language="en")
    assert account(session, ann).name is None


@pytest.mark.parametrize("wrong", [{"name": "www.example.org"}, {"language": "xx"}, {"name": "x" * 31}])
def test_a_name_or_language_that_cannot_be_is_refused(
    session: Session, browser: FlaskClient, ann: str, wrong: dict[str, str]
) -> None:
    answer = send(browser, "/settings", "/settings/profile", **{"name": "Anna", "language": "de"} | wrong)
    assert answer.status_code == 422
    assert (account(session, ann).name, account(session, ann).language) == ("Ann", "en")


def test_mails_are_chosen(session: Session, browser: FlaskClient, ann: str) -> None:
    assert send(browser, "/settings", "/settings/mail", **MAIL).status_code == 303
    wanted = own_notifications(session, ann)
    assert (wanted.turn, wanted.end, wanted.closed, wanted.invitation) == ("digest", "off", "at_once", "off")
    assert (wanted.answer, wanted.digest_hour, wanted.hints, wanted.http_commands) == ("whole", 7, False, "off")
    page = browser.get("/settings").text
    assert page.count('<option value="digest" selected>') == 1 and page.count('<option value="off" selected>') == 3
    send(browser, "/settings", "/settings/mail", **MAIL, hints="yes")
    session.rollback()
    assert own_notifications(session, ann).hints


@pytest.mark.parametrize(
    "wrong", [{"turn": "never"}, {"answer": "at_once"}, {"digest_hour": "24"}, {"http_commands": "x"}]
)
def test_a_choice_of_mails_that_cannot_be_changes_nothing(
    session: Session, browser: FlaskClient, ann: str, wrong: dict[str, str]
) -> None:
    before = own_notifications(session, ann)
    session.rollback()
    assert send(browser, "/settings", "/settings/mail", **MAIL | wrong).status_code == 422
    assert own_notifications(session, ann) == before


def test_reminders_are_chosen(session: Session, browser: FlaskClient, ann: str) -> None:
    def chosen() -> list[str]:
        session.rollback()
        return own_notifications(session, ann).reminders

    page = browser.get("/settings").text
    assert re.findall('name="at" value="([^"]+)" checked', page) == chosen() == ["half", "P1D", "PT3H"]
    form = hidden(page, "form")
    assert browser.post("/settings/reminders", data={"form": form, "at": ["P7D", "PT1H"]}).status_code == 303
    assert chosen() == ["P7D", "PT1H"]
    reminding.choose(session, ann, ("PT90M",), NOW)  # as by the API
    session.commit()
    page = browser.get("/settings").text
    assert re.findall('name="at" value="([^"]+)" checked', page) == ["PT1H30M"]
    assert browser.post("/settings/reminders", data={"form": form, "at": ["PT1H30M", "half"]}).status_code == 303
    for wrong in (["PT2H"], ["", "half"], ["half", "P7D", "P3D", "P1D", "PT3H", "PT1H"]):
        assert browser.post("/settings/reminders", data={"form": form, "at": wrong}).status_code == 422
    assert chosen() == ["PT1H30M", "half"]
    assert browser.post("/settings/reminders", data={"form": form}).status_code == 303
    assert chosen() == []


def test_zone_and_quiet_times_are_changed(session: Session, browser: FlaskClient, ann: str) -> None:
    fields = {"zone": "Europe/Berlin", "mon-0": "yes", "tue-0": "yes", "from-0": "22:00", "to-0": "07:00"}
    fields |= {"from-1": "", "to-1": "", "from-2": "", "to-2": ""}
    assert send(browser, "/settings/times", "/settings/times/quiet", **fields).status_code == 303
    quiet = quiet_times_of(session, KnownAccount(ann))
    assert quiet is not None and quiet.zone == "Europe/Berlin"
    assert quiet.quiet == [{"days": ["mon", "tue"], "from": "22:00", "to": "07:00"}]
    page = browser.get("/settings/times").text
    assert 'name="mon-0" value="yes" checked' in page and 'value="22:00"' in page


@pytest.mark.parametrize(
    "wrong",
    [{"zone": "Moon/Sea"}, {"from-0": ""}, {"mon-0": "", "from-0": "1:00"}, {"to-0": "07:01"}],
)
def test_quiet_times_that_cannot_be_are_refused(
    session: Session, browser: FlaskClient, ann: str, wrong: dict[str, str]
) -> None:
    fields = {"zone": "Europe/Berlin", "mon-0": "yes", "from-0": "22:00", "to-0": "07:00"} | wrong
    assert send(browser, "/settings/times", "/settings/times/quiet", **fields).status_code == 422
    quiet = quiet_times_of(session, KnownAccount(ann))
    assert quiet is not None and (quiet.zone, quiet.quiet) == ("UTC", [])


def test_an_absence_is_announced_and_ended(session: Session, browser: FlaskClient, ann: str) -> None:
    until = (NOW + timedelta(days=5)).date().isoformat()
    assert send(browser, "/settings/times", "/settings/times/absences", until=until).status_code == 303
    (absence,) = absences_of(session, KnownAccount(ann), NOW) or []
    assert absence.ends.date() == NOW.date() + timedelta(days=6)
    page = browser.get("/settings/times").text
    assert "I am back" not in heard(page), "it has not begun"
    form = hidden(page, "form")
    browser.post("/settings/times/absences", data={"form": form, "take_back": button(page, "take_back")})
    session.rollback()
    assert not absences_of(session, KnownAccount(ann), NOW)


def button(page: str, name: str) -> str:
    """Return the value of a page's first button with this name."""
    found = re.search(f'name="{name}" value="([^"]+)"', page)
    assert found
    return found[1]


def test_one_absence_to_come_is_taken_back_and_the_others_stay(
    session: Session, browser: FlaskClient, ann: str
) -> None:
    for first in (5, 10):
        ends = {"from": first, "until": first + 2}
        days = {name: (NOW + timedelta(days=number)).date().isoformat() for name, number in ends.items()}
        assert send(browser, "/settings/times", "/settings/times/absences", **days).status_code == 303
    page = browser.get("/settings/times").text
    assert page.count("Take this absence back") == 2
    send(browser, "/settings/times", "/settings/times/absences", take_back=button(page, "take_back"))
    session.rollback()
    (left,) = absences_of(session, KnownAccount(ann), NOW) or []
    assert left.begins.date() == (NOW + timedelta(days=10)).date()


def test_a_player_who_is_away_can_say_they_are_back(session: Session, browser: FlaskClient, ann: str) -> None:
    times = [NOW - timedelta(days=2), NOW - timedelta(days=1), NOW + timedelta(days=2)]
    session.get_one(Account, ann).absences = [[stamp(each) for each in times]]
    session.commit()
    page = heard(browser.get("/settings/times").text)
    assert "I am back" in page and "Take this absence back" not in page


@pytest.mark.parametrize("until", ["", "tomorrow", "2020-01-01", "2999-01-01", "9999-12-31", "0001-01-01"])
def test_an_absence_that_cannot_be_is_refused(session: Session, browser: FlaskClient, ann: str, until: str) -> None:
    assert send(browser, "/settings/times", "/settings/times/absences", until=until).status_code == 422
    assert not absences_of(session, KnownAccount(ann), NOW)


def test_clocks_4_7_the_page_names_games_where_an_absence_does_not_count(
    session: Session, browser: FlaskClient, ann: str
) -> None:
    for name, absences in (("Ben", True), ("Dora", False)):
        terms = Terms(PerWait(timedelta(days=1)), DEFAULT_LADDER, absences=absences)
        clocked.match(session, ann, world.account(session, name), terms=terms, now=NOW)
    session.commit()
    send(browser, "/settings/times", "/settings/times/absences", until=(NOW + timedelta(days=5)).date().isoformat())
    told = heard(browser.get("/settings/times").text)
    assert "It does not count where your time was up or the table says so: with Dora." in told
    assert "from 12 hours after it was announced" in told


def test_clocks_3_4_the_page_names_games_where_quiet_times_wait(
    session: Session, browser: FlaskClient, ann: str
) -> None:
    game = clocked.match(session, ann, world.account(session, "Dora"), now=NOW)
    while clocked.mover(session, game) != ann:
        world.move(session, game, now=NOW)
    session.commit()
    assert "from your next turn on" not in heard(browser.get("/settings/times").text)
    window = {"mon-0": "yes", "from-0": "22:00", "to-0": "07:00"}
    assert send(browser, "/settings/times", "/settings/times/quiet", zone="UTC", **window).status_code == 303
    told = heard(browser.get("/settings/times").text)
    assert "In games where your time runs now, they count from your next turn on: with Dora." in told


def test_an_absence_may_begin_today(session: Session, browser: FlaskClient, ann: str) -> None:
    days = {"from": NOW.date().isoformat(), "until": (NOW + timedelta(days=5)).date().isoformat()}
    assert send(browser, "/settings/times", "/settings/times/absences", **days).status_code == 303
    (absence,) = absences_of(session, KnownAccount(ann), NOW) or []
    assert absence.begins == earliest(NOW)


def test_an_address_is_changed_by_the_code_that_is_mailed_there(
    app: Flask, session: Session, browser: FlaskClient, ann: str
) -> None:
    new = f"new.{ann.lower()}@example.org"
    here = "/settings/account"
    assert send(browser, here, f"{here}/address", email=new).status_code == 303
    assert new in heard(browser.get(here).text) and account(session, ann).email != new
    assert send(browser, here, f"{here}/code", code="AAAAA-AAAAA").status_code == 403
    assert send(browser, here, f"{here}/code", code=web.codes_for(app, new, "email-change")[0]).status_code == 303
    assert account(session, ann).email == new
    assert send(browser, here, f"{here}/address", email="nonsense").status_code == 422


def test_all_games_are_one_file(session: Session, browser: FlaskClient, ann: str, person: Callable[[str], str]) -> None:
    game = world.match(session, ann, person("Ben"))
    session.commit()
    answer = browser.get("/settings/account/games.ndjson")
    assert answer.status_code == 200 and "attachment" in answer.headers["Content-Disposition"]
    first, last = answer.text.splitlines()
    assert f'"id":"{game}"' in first and '"complete":true' in last


def test_an_account_is_deleted_after_a_yes_and_signed_out(session: Session, browser: FlaskClient, ann: str) -> None:
    here = "/settings/account"
    assert send(browser, here, f"{here}/deletion").status_code == 422
    assert account(session, ann).erased_at is None
    assert send(browser, here, f"{here}/deletion", sure="yes").headers["Location"].startswith("/sign-in?")
    assert account(session, ann).erased_at is not None
    assert browser.get("/tables").status_code == 303


def test_a_name_has_thirty_characters_and_is_refused_as_the_name(browser: FlaskClient) -> None:
    assert re.search(r'id="name"[^>]* maxlength="30"', browser.get("/settings").text)
    refused = send(browser, "/settings", "/settings/profile", name="x" * 31, language="en")
    assert refused.status_code == 422 and "A name must have 1 to 30 characters" in heard(refused.text)


def here_of(path: str) -> str:
    """Return the path of the page with a form of the settings."""
    part = path.partition("/")
    return f"/settings/{part[0]}" if part[2] else "/settings"


@pytest.mark.parametrize(
    "path", ["profile", "mail", "times/quiet", "times/absences", "account/address", "account/code", "account/deletion"]
)
def test_settings_need_a_session_and_its_form(
    app: Flask, session: Session, browser: FlaskClient, ann: str, person: Callable[[str], str], path: str
) -> None:
    of_other = hidden(signed_in(app, session, person("Ben"), NOW).get("/settings").text, "form")
    own = hidden(browser.get("/settings").text, "form")
    before = dump(session)
    sure = {"sure": "yes", "name": "Eve", "language": "de"}
    signed_out = browser_of(app).post(f"/settings/{path}", data=sure | {"form": own})
    assert signed_out.status_code == 403 and f'"/sign-in?onward={here_of(path)}"' in signed_out.text
    assert browser.post(f"/settings/{path}", data=sure).status_code == 403
    assert browser.post(f"/settings/{path}", data=sure | {"form": of_other}).status_code == 403
    crossing = {"Sec-Fetch-Site": "same-site"}
    assert browser.post(f"/settings/{path}", data=sure | {"form": own}, headers=crossing).status_code == 403
    assert dump(session) == before
