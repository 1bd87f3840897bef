"""My tables, finished games, tables with free seats, new tables and players, in the browser."""

import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from limits.storage import MemoryStorage
from sqlalchemy.orm import Session

from engine.clock.terms import Terms
from service.access.limits import Limiter
from service.commands import invitations, tables
from service.commands.invitation_limits import InvitationLimits
from service.config import Settings
from service.queries.own_games import MOST
from service.store.accounts import Account
from tests.support import world
from tests.support.browsers import browser_of, hidden, send
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links
from tests.support.world import KEYS

Enter = Callable[[str], FlaskClient]

UNLIMITED = InvitationLimits(Limiter(MemoryStorage(), KEYS[0], lambda: NOW), per_account=0, per_recipient=0)


def games(page: str) -> list[str]:
    """Return the ids of the tables that a page leads to, in their order."""
    return [link.split("/")[2] for link in links(page) if link.startswith("/games/")]


def test_the_tables_that_wait_for_the_player_come_first(session: Session, enter: Enter, ann: str, ben: str) -> None:
    started = [world.match(session, ann, ben) for _ in range(6)]
    waiting = world.open_table(session, ann, seats=3)
    session.commit()
    mine = [
        game
        for game in started
        if world.loaded(session, game).account_of(world.loaded(session, game).state.turn) == ann
    ]
    page = enter(ann).get("/tables")
    assert page.status_code == 200
    shown = games(page.text)
    assert set(shown[: len(mine)]) == set(mine) and shown[-1] == waiting and set(shown[:-1]) == set(started)


def test_invitations_are_shown_with_their_table_taken_and_declined(
    session: Session, settings: Settings, enter: Enter, ann: str, ben: str
) -> None:
    made = [world.open_table(session, ann, seats=3, visibility="private") for _ in range(2)]
    address = session.get_one(Account, ben).email or ""
    for table in made:
        invitations.invite(session, ann, table, address, UNLIMITED, NOW)
    session.commit()
    browser = enter(ben)
    page = browser.get("/tables")
    assert heard(page.text).count("Ann invites you to a game of Nova Luna") == 2 and "At the table: Ann." in heard(
        page.text
    )
    secret, form = hidden(page.text, "invitation"), hidden(page.text, "form")
    (taken,) = re.findall(r'action="/games/([^/]+)/players"', page.text)[:1]
    fields = {"form": form, "invitation": secret}
    assert browser.post(f"/games/{taken}/players", data=fields).headers["Location"] == f"/games/{taken}"
    page = browser.get("/tables")
    (left,) = re.findall(r'action="/games/([^/]+)/players"', page.text)
    wrong = {"form": form, "invitation": secret, "game": left}
    assert browser.post("/tables/invitations", data=wrong).status_code == 404
    assert (
        browser.post("/tables/invitations", data=wrong | {"invitation": hidden(page.text, "invitation")}).status_code
        == 303
    )
    assert "invites you" not in heard(browser.get("/tables").text)
    session.rollback()
    assert ben in world.loaded(session, taken).accounts and ben not in world.loaded(session, left).accounts


@pytest.mark.slow
def test_finished_games_go_on_page_by_page(session: Session, enter: Enter, ann: str, ben: str) -> None:
    ended = []
    for _ in range(22):
        game = world.match(session, ann, ben, goal_discs=5)
        world.play_out(session, game)
        ended.append(game)
    session.commit()
    browser = enter(ann)
    first = browser.get("/tables/finished").text
    assert games(first) == ended[:1:-1]
    (onward,) = [link for link in links(first) if "after=" in link]
    assert games(browser.get(onward).text) == ended[1::-1]


def test_open_tables_are_shown_to_everybody_and_filtered(
    app: Flask, session: Session, enter: Enter, ann: str, ben: str
) -> None:
    two = world.open_table(session, ann, seats=2)
    hidden = world.open_table(session, ann, seats=3, visibility="private")
    timed = tables.create(
        session,
        ben,
        tables.TableSettings(seats=3, goal_discs=17, visibility="public", terms=Terms.chosen("days-3")),
        now=NOW,
    ).id
    session.commit()
    anybody = browser_of(app)
    shown = games(anybody.get("/tables/open").text)
    assert shown[:2] == [timed, two] and hidden not in shown
    assert "Each player has 3 days for each turn." in heard(anybody.get("/tables/open").text)
    assert two not in games(anybody.get("/tables/open?seats=3").text)
    assert timed in games(anybody.get("/tables/open?seats=3&clock=days-3").text)
    assert timed not in games(anybody.get("/tables/open?clock=none").text)
    assert hidden not in games(enter(ann).get("/tables/open").text)
    assert anybody.get("/tables/open?seats=x&clock=y&after=z").status_code == 200


def test_a_table_is_opened_with_the_chosen_settings(session: Session, enter: Enter, ann: str) -> None:
    browser = enter(ann)
    answer = send(
        browser, "/tables/new", "/tables/new", seats="3", bots="1", clock="week", first_game="yes", private="yes"
    )
    game = answer.headers["Location"].split("/")[2]
    session.rollback()
    table = world.loaded(session, game)
    assert (table.table.seats, table.table.goal_discs, table.table.visibility) == (3, 17, "private")
    assert table.players[1].bot and table.terms == Terms.chosen("week") and table.table.hints
    assert browser.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"seats": "5"},
        {"seats": "2", "bots": "2"},
        {"seats": "2", "first_game": "yes"},
        {"clock": "never"},
        {"bots": "-1"},
    ],
)
def test_settings_that_cannot_be_are_refused(session: Session, enter: Enter, ann: str, wrong: dict[str, str]) -> None:
    answer = send(enter(ann), "/tables/new", "/tables/new", **wrong)
    assert answer.status_code == 422 and 'role="alert"' in answer.text and 'action="/tables/new"' in answer.text
    assert games(enter(ann).get("/tables").text) == []


def test_a_game_against_bots_and_a_solo_begin_at_once(session: Session, enter: Enter, ann: str) -> None:
    browser = enter(ann)
    for answer in (
        send(browser, "/tables/new", "/tables/new", seats="2", bots="1"),
        send(browser, "/tables/new", "/tables/new-solo"),
    ):
        session.rollback()
        assert world.loaded(session, answer.headers["Location"].split("/")[2].partition("#")[0]).status == "running"


def test_a_players_page_shows_their_games_and_blocks(
    app: Flask, session: Session, enter: Enter, ann: str, ben: str
) -> None:
    over = world.match(session, ann, ben, goal_discs=5)
    world.play_out(session, over)
    going = world.match(session, ann, ben)
    session.commit()
    anybody = browser_of(app)
    page = anybody.get(f"/players/{ben}")
    assert set(games(page.text)) == {over, going} and "Block this player" not in heard(page.text)
    browser = enter(ann)
    here = f"/players/{ben}"
    assert send(browser, here, f"{here}/block", do="block").status_code == 303
    assert "You have blocked this player." in heard(browser.get(here).text)
    send(browser, here, f"{here}/block", do="unblock")
    assert "Block this player" in heard(browser.get(here).text)
    assert send(browser, here, f"/players/{ann}/block", do="block").status_code == 409
    session.get_one(Account, ben).suspended_at = NOW
    session.commit()
    assert anybody.get(here).status_code == 404


def test_no_game_that_waits_for_the_player_is_left_out(session: Session, enter: Enter, ann: str, ben: str) -> None:
    waiting = world.match(session, ann, ben)
    while (state := world.loaded(session, waiting)).account_of(state.state.turn) != ann:
        world.move(session, waiting)
    others: list[str] = []
    while len(others) < MOST + 1:
        game = world.match(session, ann, ben)
        while (state := world.loaded(session, game)).account_of(state.state.turn) != ben:
            world.move(session, game)
        others.append(game)
    session.commit()
    browser = enter(ann)
    page = browser.get("/tables").text
    assert games(page) == [waiting, *others[:0:-1]]
    assert "/tables/current" in links(page)
    first = browser.get("/tables/current").text
    (onward,) = [link for link in links(first) if "after=" in link]
    assert games(first) + games(browser.get(onward).text) == [*others[::-1], waiting]


def test_few_games_need_no_list_of_all(session: Session, enter: Enter, ann: str, ben: str) -> None:
    world.match(session, ann, ben)
    session.commit()
    assert "/tables/current" not in links(enter(ann).get("/tables").text)


def test_a_seat_whose_player_has_no_name_is_taken(session: Session, enter: Enter, ann: str) -> None:
    session.get_one(Account, ann).name = None
    world.open_table(session, ann, seats=3)
    session.commit()
    assert "1 seat is taken." in heard(enter(ann).get("/tables").text)
