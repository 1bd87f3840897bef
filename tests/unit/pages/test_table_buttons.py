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
from service.access.links import table_link
from service.commands import entries, tables
from service.config import Settings
from tests.support import world
from tests.support.browsers import hidden, send, signed_in
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


def press(client: FlaskClient, path: str, do: str, **headers: str) -> TestResponse:
    return client.post(path, data={"do": do}, headers=headers)


def test_clocks_7_5_the_others_offer_time(
    client: FlaskClient, session: Session, people: list[str], path: Callable[[str, str], str]
) -> None:
    table, mover, (one, other) = clocked(session, *people)
    assert "more</button>" not in client.get(path(mover, table)).text
    page = client.get(path(one, table)).text
    names = dict(zip(people, ("Ann", "Ben", "Cleo"), strict=True))
    assert all(f"Give {names[mover]} {time} more" in page for time in OFFERS)
    before = last(session, table)
    answer = press(client, path(one, table), "P3D")
    assert (answer.status_code, answer.headers["Location"]) == (303, path(one, table).removeprefix("http://localhost"))
    assert last(session, table) == before
    for reader in (one, mover):
        assert f"Offered so far: {names[one]} (3 days)." in heard(client.get(path(reader, table)).text)
    assert "Offered so far" not in client.get(f"/games/{table}").text
    press(client, path(other, table), "P1D")
    assert last(session, table)[1] == "mark clock.more"
    assert "Offered so far" not in client.get(path(one, table)).text


def test_clocks_6_6_a_seat_is_taken_back(
    client: FlaskClient, session: Session, people: list[str], path: Callable[[str, str], str]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    mark(session, table, seat, "clock.autopilot", {"wait": 0})
    assert "Take my seat back" not in client.get(path(other, table)).text
    assert "Take my seat back" in client.get(path(mover, table)).text
    assert press(client, path(mover, table), "back").status_code == 303
    assert last(session, table) == (seat, "mark clock.back")
    assert press(client, path(mover, table), "back").status_code == 303
    assert last(session, table) == (seat, "mark clock.back")


def test_clocks_9_2_a_warned_game_is_kept(
    client: FlaskClient, session: Session, people: list[str], path: Callable[[str, str], str]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    assert "Keep this game" not in client.get(path(other, table)).text
    mark(session, table, seat, "clock.warning", {"wait": 0, "not_before": stamp(NOW + timedelta(days=90))})
    assert "Keep this game" in client.get(path(other, table)).text
    press(client, path(other, table), "keep")
    assert last(session, table)[1] == "mark clock.keep"
    assert "Keep this game" not in client.get(path(other, table)).text


def test_only_the_linked_player_presses_a_button_and_only_here(
    client: FlaskClient, session: Session, people: list[str], path: Callable[[str, str], str]
) -> None:
    table, _, (other, *_) = clocked(session, *people[:2])
    before = last(session, table)
    assert press(client, f"/games/{table}", "keep").status_code == 404
    assert press(client, path(other, table) + "x", "keep").status_code == 404
    assert press(client, path(people[2], table), "keep").status_code == 303
    assert press(client, path(other, table), "keep", **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert press(client, path(other, table), "P2D").status_code == 303
    assert last(session, table) == before


def test_a_player_who_is_signed_in_presses_the_buttons_without_a_link(
    app: Flask, session: Session, people: list[str]
) -> None:
    table, mover, (other, *_) = clocked(session, *people[:2])
    seat = world.loaded(session, table).seat_of(mover)
    here = f"/games/{table}"
    mark(session, table, seat, "clock.autopilot", {"wait": 0})
    mark(session, table, seat, "clock.warning", {"wait": 0, "not_before": stamp(NOW + timedelta(days=90))})
    before = last(session, table)
    browser = signed_in(app, session, mover, NOW)
    for form in ("", hidden(signed_in(app, session, other, NOW).get(here).text, "form")):
        assert browser.post(here, data={"do": "back", "form": form}).status_code == 403
    assert last(session, table) == before
    for do, done in (("back", "mark clock.back"), ("keep", "mark clock.keep")):
        assert send(browser, here, here, do=do).headers["Location"] == here
        assert last(session, table) == (seat, done)
    assert send(signed_in(app, session, other, NOW), here, here, do="P1D").status_code == 303
    assert last(session, table)[1] == "mark clock.more"
