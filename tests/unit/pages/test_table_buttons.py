"""The buttons of a table's page: who has which, and what they do."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from engine.clock.terms import Terms
from engine.moves import Mark
from engine.record import stamp
from service.access.links import MoveLink, move_link, table_link
from service.commands import entries, tables
from service.config import Settings
from tests.support import world
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard

OFFERS = ["1 day", "3 days", "7 days"]


@pytest.fixture
def people(person: Callable[[str], str]) -> list[str]:
    return [person("Ann"), person("Ben"), person("Cleo")]


@pytest.fixture
def path(settings: Settings) -> Callable[[str, str], str]:
    """Return a function that returns the path of a table's page for one of its players."""
    return lambda account, table: table_link(settings, account, table).removeprefix(settings.base_url)


def clocked(session: Session, *players: str) -> tuple[str, str, list[str]]:
    """Start a game with a clock; return its id, the player to move, and the others."""
    settings = tables.TableSettings(len(players), 20, "public", terms=Terms.chosen("days-3"))
    made = tables.create(session, players[0], settings, now=NOW)
    for player in players[1:]:
        world.join(session, player, made.id)
    session.commit()
    mover = players[world.loaded(session, made.id).state.turn or 0]
    return made.id, mover, [player for player in players if player != mover]


def mark(session: Session, table: str, seat: int | None, kind: str, data: object) -> None:
    """Append a mark to a game."""
    assert entries.add(session, world.loaded(session, table), seat, Mark(kind, data), NOW) is not None
    session.commit()


def last(session: Session, table: str) -> tuple[int | None, str]:
    """Return the seat of the last entry, and the beginning of its move."""
    session.rollback()
    entry = world.loaded(session, table).entries[-1]
    return entry.seat, " ".join(entry.move.split()[:2])


@pytest.fixture
def enter(app: Flask, session: Session) -> Callable[[str], FlaskClient]:
    """Return a function that signs a browser in to an account, always the same one."""
    browsers: dict[str, FlaskClient] = {}

    def browser(account: str) -> FlaskClient:
        if account not in browsers:
            browsers[account] = signed_in(app, session, account, NOW)
        return browsers[account]

    return browser


def press(browser: FlaskClient, table: str, do: str) -> TestResponse:
    """Press a button of a table's page, or send what it would send."""
    return send(browser, "/account", f"/games/{table}", do=do)


def test_clocks_7_5_the_others_offer_time(
    client: FlaskClient, session: Session, people: list[str], enter: Callable[[str], FlaskClient]
) -> None:
    table, mover, (one, other) = clocked(session, *people)
    here = f"/games/{table}"
    assert "more</button>" not in enter(mover).get(here).text
    page = enter(one).get(here).text
    names = dict(zip(people, ("Ann", "Ben", "Cleo"), strict=True))
    assert all(f"Give {names[mover]} {time} more</button>" in page for time in OFFERS)
    before = last(session, table)
    answer = press(enter(one), table, "P3D")
    assert (answer.status_code, answer.headers["Location"]) == (303, here)
    assert last(session, table) == before
    for reader in (one, mover):
        assert f"Offered so far: {names[one]} (3 days)." in heard(enter(reader).get(here).text)
    assert "Offered so far" not in client.get(here).text
    press(enter(other), table, "P1D")
    assert last(session, table)[1] == "mark clock.more"
    assert "Offered so far" not in enter(one).get(here).text


def test_clocks_6_6_a_seat_is_taken_back(
    session: Session, people: list[str], enter: Callable[[str], FlaskClient]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    mark(session, table, seat, "clock.autopilot", {"wait": 0})
    assert "Take my seat back" not in enter(other).get(f"/games/{table}").text
    assert "Take my seat back</button>" in enter(mover).get(f"/games/{table}").text
    for _ in range(2):
        assert press(enter(mover), table, "back").status_code == 303
        assert last(session, table) == (seat, "mark clock.back")


def test_clocks_9_2_a_warned_game_is_kept(
    session: Session, people: list[str], enter: Callable[[str], FlaskClient]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    here = f"/games/{table}"
    assert "Keep this game" not in enter(other).get(here).text
    mark(session, table, seat, "clock.warning", {"wait": 0, "not_before": stamp(NOW + timedelta(days=90))})
    assert "Keep this game</button>" in enter(other).get(here).text
    press(enter(other), table, "keep")
    assert last(session, table)[1] == "mark clock.keep"
    assert "Keep this game" not in enter(other).get(here).text


def test_a_link_names_the_buttons_and_leads_to_the_sign_in(
    app: Flask, session: Session, settings: Settings, people: list[str], path: Callable[[str, str], str]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    loaded = world.loaded(session, table)
    past = MoveLink(mover, table, loaded.version, loaded.head)
    world.move(session, table)
    session.commit()
    seat = world.loaded(session, table).seat_of(mover)
    mark(session, table, seat, "clock.warning", {"wait": 0, "not_before": stamp(NOW + timedelta(days=90))})
    before = last(session, table)
    linked = (path(mover, table), path(other, table), move_link(settings, past).removeprefix(settings.base_url))
    stranger = signed_in(app, session, people[2], NOW)
    for browser in (browser_of(app), stranger):
        for there in linked:
            page = browser.get(there)
            assert "Keep this game" in heard(page.text) and 'name="do"' not in page.text
            assert f'<a class="button quiet" href="/sign-in?onward=/games/{table}">Sign in</a>' in page.text
            fields = {"do": "keep"}
            if browser is stranger:
                fields["form"] = hidden(browser.get("/account").text, "form")
            browser.post(there, data=fields)
            assert last(session, table) == before
    refused = browser_of(app).post(linked[0], data={"do": "keep"})
    assert refused.status_code == 403 and f'href="/sign-in?onward=/games/{table}"' in refused.text


def test_only_a_player_presses_a_button_and_only_by_its_own_page(
    app: Flask, session: Session, people: list[str], enter: Callable[[str], FlaskClient]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    here = f"/games/{table}"
    mark(session, table, seat, "clock.autopilot", {"wait": 0})
    before = last(session, table)
    mine = enter(mover)
    for form in ("", hidden(enter(other).get(here).text, "form")):
        assert mine.post(here, data={"do": "back", "form": form}).status_code == 403
    own = {"do": "back", "form": hidden(mine.get(here).text, "form")}
    assert mine.post(here, data=own, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert browser_of(app).post(here, data=own).status_code == 403
    assert press(enter(people[2]), table, "keep").status_code == 303
    assert press(enter(other), table, "P2D").status_code == 303
    assert last(session, table) == before
    assert mine.post(here, data=own).status_code == 303
    assert last(session, table) == (seat, "mark clock.back")
