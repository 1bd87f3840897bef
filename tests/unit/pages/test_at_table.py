"""Who is signed in moves, joins, talks, keeps notes and leaves on a table's page; nobody else does."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from limits.storage import MemoryStorage
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import Place
from service.access.limits import Limiter
from service.access.links import invitation_link, invitation_text, table_link
from service.commands import invitation_links, talk
from service.config import Settings
from service.pages.table_talk import SHOWN
from service.queries.talk import kept_notes, messages
from service.store.callers import KnownAccount
from tests.support import world
from tests.support.browser import dump
from tests.support.browsers import browser_of, hidden, send
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links
from tests.support.world import KEYS

Enter = Callable[[str], FlaskClient]


def running(session: Session, *people: str) -> str:
    """Start a private game, and return its id."""
    game = world.match(session, *people)
    session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": game})
    session.commit()
    return game


def mover_of(session: Session, game: str) -> str:
    session.rollback()
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    return mover


def first_move(session: Session, game: str) -> Place:
    move = world.loaded(session, game).state.legal_moves()[0]
    assert isinstance(move, Place)
    return move


def test_a_session_moves_without_a_link(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = running(session, ann, ben)
    mover = mover_of(session, game)
    other = ben if mover == ann else ann
    move = first_move(session, game)
    query = f"?tile={move.tile}&x={move.x}&y={move.y}"
    assert 'name="confirm"' not in enter(other).get(f"/games/{game}{query}").text
    browser = enter(mover)
    assert "Your move" in heard(browser.get(f"/games/{game}").text)
    confirm = hidden(browser.get(f"/games/{game}{query}").text, "confirm")
    assert enter(other).post(f"/games/{game}/moves", data={"confirm": confirm}).status_code == 404
    answer = browser.post(f"/games/{game}/moves", data={"confirm": confirm})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/games/{game}#board")
    session.rollback()
    assert len(world.loaded(session, game).entries) == 1


def test_a_session_whose_wait_is_over_is_told_what_happened(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = running(session, ann, ben)
    mover = mover_of(session, game)
    move = first_move(session, game)
    browser = enter(mover)
    preview = browser.get(f"/games/{game}?tile={move.tile}&x={move.x}&y={move.y}").text
    for _ in range(2):
        world.move(session, game)
    session.commit()
    answer = browser.post(f"/games/{game}/moves", data={"confirm": hidden(preview, "confirm")})
    assert answer.status_code == 409 and answer.text.count(" placed tile ") == 2
    assert "Your move was not made" in heard(answer.text) and "Nothing was done" in heard(answer.text)
    assert f'href="/games/{game}#board"' in answer.text
    session.rollback()
    assert world.loaded(session, game).version == 2


def test_a_session_sees_its_private_tables_alone(
    session: Session, enter: Enter, ann: str, ben: str, person: Callable[[str], str]
) -> None:
    game = running(session, ann, ben)
    assert enter(ann).get(f"/games/{game}").status_code == 200
    hidden_from = enter(person("Eve")).get(f"/games/{game}")
    assert hidden_from.status_code == 404 and '<a class="button" href="/tables">My tables</a>' in hidden_from.text


def test_a_player_by_a_link_is_told_what_needs_a_sign_in(
    app: Flask, session: Session, enter: Enter, settings: Settings, ann: str, ben: str
) -> None:
    game = running(session, ann, ben)
    link = table_link(settings, ann, game).removeprefix(settings.base_url)
    for browser, is_told, is_other in ((browser_of(app), 1, 0), (enter(ben), 1, 1), (enter(ann), 0, 0)):
        page = re.sub("<template.*?</template>", "", browser.get(link).text)  # for scripts
        assert page.count('href="/sign-in?onward=/games/') == is_told
        assert heard(page).count("You see this table as Ann does") == is_other
    assert 'id="more"' not in enter(ann).get(f"/games/{game}").text


def test_a_session_joins_a_table_with_a_free_seat(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = world.open_table(session, ann, seats=2)
    session.commit()
    browser = enter(ben)
    assert "A seat is free" in heard(browser.get(f"/games/{game}").text)
    assert send(browser, f"/games/{game}", f"/games/{game}/players", entropy="herons").status_code == 303
    session.rollback()
    table = world.loaded(session, game)
    assert table.status == "running" and table.players[1].account == ben and table.players[1].entropy == "herons"
    assert send(browser, f"/games/{game}", f"/games/{game}/players").status_code == 409


def test_a_text_for_the_draw_that_cannot_be_is_refused(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = world.open_table(session, ann, seats=2)
    session.commit()
    for wrong in ("é", "x" * 65):
        assert send(enter(ben), f"/games/{game}", f"/games/{game}/players", entropy=wrong).status_code == 422
    session.rollback()
    assert len(world.loaded(session, game).players) == 1


def test_an_invitation_link_is_made_and_lets_in_after_a_yes(
    session: Session, enter: Enter, settings: Settings, ann: str, ben: str
) -> None:
    game = world.open_table(session, ann, seats=2, visibility="private")
    session.commit()
    maker = enter(ann)
    made = send(maker, f"/games/{game}", f"/games/{game}/invitation-links")
    assert (made.status_code, made.headers["Location"]) == (303, f"/games/{game}#invite")
    page = maker.get(f"/games/{game}").text
    address = page.partition(f"{settings.base_url}/invitation?link=")[2].partition('"')[0]
    browser = enter(ben)
    assert browser.get(f"/games/{game}").status_code == 404
    before = dump(session)
    shown = browser.get(f"/invitation?link={address}")
    assert "Take a seat" in heard(shown.text) and dump(session) == before
    fields = {"form": hidden(shown.text, "form"), "invitation": hidden(shown.text, "invitation")}
    assert browser.post(f"/games/{game}/players", data=fields).headers["Location"] == f"/games/{game}"
    session.rollback()
    assert world.loaded(session, game).status == "running"


@pytest.mark.parametrize(("seats", "sitting", "lets_in"), [(2, 1, "1 player,"), (4, 2, "2 players,")])
def test_an_invitation_link_lets_in_as_many_as_seats_are_free(
    session: Session, enter: Enter, person: Callable[[str], str], seats: int, sitting: int, lets_in: str
) -> None:
    ann = person("Ann")
    game = world.open_table(session, ann, seats=seats)
    for _ in range(sitting - 1):
        world.join(session, person("Ben"), game)
    session.commit()
    maker = enter(ann)
    send(maker, f"/games/{game}", f"/games/{game}/invitation-links")
    assert f"Lets in {lets_in} until" in heard(maker.get(f"/games/{game}").text)
    session.rollback()
    uses = "SELECT uses FROM invitation_links JOIN tables ON tables.key = game WHERE tables.id = :id"
    assert session.scalar(text(uses), {"id": game}) == seats - sitting


def test_open_links_are_listed_for_the_maker_and_revoked(
    session: Session, enter: Enter, settings: Settings, ann: str, ben: str
) -> None:
    game = world.open_table(session, ann, seats=4)
    used_up, first, _ = (
        invitation_links.make(session, ann, game, uses=uses, lifetime=timedelta(days=7), now=NOW) for uses in (1, 3, 3)
    )
    world.join(session, ben, game, invitation=invitation_text(KEYS, used_up.id))
    first.used = 1
    session.commit()
    maker = enter(ann)

    def left() -> list[str]:
        page = maker.get(f"/games/{game}").text
        assert page.count(f'value="{settings.base_url}/invitation?link=') == page.count('name="revoke"')
        return sorted(re.findall(r"Lets in (\d)", page))

    assert left() == ["2", "3"]
    for other in (enter(ben), browser_of(maker.application)):
        assert "/invitation?link=" not in other.get(f"/games/{game}").text
    revoke = f"/games/{game}/invitation-links"
    for _ in range(2):
        assert send(maker, f"/games/{game}", revoke, revoke=first.id).headers["Location"] == f"/games/{game}#invite"
        assert left() == ["3"]
    assert send(maker, f"/games/{game}", revoke, revoke="abcdefgh2345").status_code == 404
    assert send(enter(ben), f"/games/{game}", revoke, revoke=first.id).status_code == 403
    mine = enter(ann)
    assert mine.get(invitation_link(settings, first.id).removeprefix(settings.base_url)).status_code == 200


def test_links_are_limited_on_the_page_as_in_the_api(session: Session, enter: Enter, ann: str) -> None:
    game = world.open_table(session, ann, seats=4)
    session.commit()
    maker = enter(ann)
    made = [send(maker, f"/games/{game}", f"/games/{game}/invitation-links").status_code for _ in range(11)]
    assert made == [303] * 10 + [409]


def test_an_open_table_offers_strangers_and_guests_the_sign_in(app: Flask, session: Session, ann: str) -> None:
    game = world.open_table(session, ann, seats=2)
    session.commit()
    guest = browser_of(app)
    guest.post("/tables/new-solo")
    for browser in (browser_of(app), guest):
        page = browser.get(f"/games/{game}").text
        assert f'<a class="button" href="/sign-in?onward=/games/{game}">Sign in to take a seat</a>' in page
    french = browser_of(app).get(f"/games/{game}?language=fr", headers={"Accept-Language": "en"})
    assert french.headers["Content-Language"] == "fr"
    assert f'href="/sign-in?onward=/games/{game}&amp;language=fr"' in french.text


def test_messages_are_sent_and_seen_by_the_table(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = running(session, ann, ben)
    browser = enter(ann)
    assert send(browser, f"/games/{game}", f"/games/{game}/messages", text="Well played <b>!").status_code == 303
    assert send(browser, f"/games/{game}", f"/games/{game}/messages", text=" ").status_code == 422
    page = enter(ben).get(f"/games/{game}").text
    assert "Well played <b>!" in heard(page) and "<b>!" not in page
    session.rollback()
    assert [said.said for said in messages(session, KnownAccount(ann), game, None, 5).messages] == ["Well played <b>!"]


def test_a_text_that_is_refused_can_be_copied(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game, text = running(session, ann, ben), "Well <b>played</b>! " * 30
    for name in ("messages", "notes"):
        answer = send(enter(ann), f"/games/{game}", f"/games/{game}/{name}", text=text)
        assert answer.status_code == 422 and "Well &lt;b&gt;played&lt;/b&gt;! Well" in answer.text
        assert f'class="button" href="/games/{game}"' in answer.text


def test_a_signed_out_player_keeps_the_text_and_the_way_back(
    session: Session, enter: Enter, ann: str, ben: str
) -> None:
    game = running(session, ann, ben)
    browser = enter(ann)
    form = hidden(browser.get(f"/games/{game}").text, "form")
    session.execute(text("DELETE FROM tokens WHERE account = :account"), {"account": ann})
    session.commit()
    sent = {"form": form, "text": "Well <b>played</b>!"}
    for name in ("messages", "notes"):
        answer = browser.post(f"/games/{game}/{name}", data=sent)
        assert answer.status_code == 403 and "you were signed out" in heard(answer.text)
        assert f'href="/sign-in?onward=/games/{game}"' in answer.text
        assert "Well &lt;b&gt;played&lt;/b&gt;!</textarea>" in answer.text
    crossing = browser.post(f"/games/{game}/messages", data=sent, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossing.status_code == 403 and "played" not in crossing.text
    again = enter(ann).post(f"/games/{game}/messages", data=sent)
    assert again.status_code == 403 and f'class="button" href="/games/{game}"' in again.text
    assert "Well &lt;b&gt;played&lt;/b&gt;!</textarea>" in again.text


def test_a_signed_out_player_is_told_so_when_confirming_a_move(
    session: Session, enter: Enter, app: Flask, ann: str, ben: str
) -> None:
    game = running(session, ann, ben)
    mover = mover_of(session, game)
    move = first_move(session, game)
    confirm = hidden(enter(mover).get(f"/games/{game}?tile={move.tile}&x={move.x}&y={move.y}").text, "confirm")
    session.rollback()
    answer = browser_of(app).post(f"/games/{game}/moves", data={"confirm": confirm})
    assert answer.status_code == 403 and "you were signed out" in heard(answer.text)
    assert f'href="/sign-in?onward=/games/{game}"' in answer.text
    assert len(world.loaded(session, game).entries) == 0


def test_notes_are_kept_deleted_and_seen_by_their_author_alone(
    session: Session, enter: Enter, settings: Settings, ann: str, ben: str
) -> None:
    game = running(session, ann, ben)
    browser = enter(ann)
    send(browser, f"/games/{game}", f"/games/{game}/notes", text="take the sevens")
    assert "take the sevens" in heard(browser.get(f"/games/{game}").text)
    assert "take the sevens" not in enter(ben).get(f"/games/{game}").text
    linked = table_link(settings, ann, game).removeprefix(settings.base_url)
    assert "take the sevens" not in enter(ben).get(linked).text
    session.rollback()
    (note,) = kept_notes(session, KnownAccount(ann), game, None, 5).notes
    assert send(enter(ben), f"/games/{game}", f"/games/{game}/notes", delete=note.id).status_code == 404
    assert send(browser, f"/games/{game}", f"/games/{game}/notes", delete=note.id).status_code == 303
    session.rollback()
    assert kept_notes(session, KnownAccount(ann), game, None, 5).notes == []


def test_leaving_a_game_needs_a_yes(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = running(session, ann, ben)
    browser = enter(ann)
    assert send(browser, f"/games/{game}", f"/games/{game}/leaving").status_code == 422
    session.rollback()
    assert world.loaded(session, game).status == "running"
    assert send(browser, f"/games/{game}", f"/games/{game}/leaving", sure="yes").status_code == 303
    session.rollback()
    assert world.loaded(session, game).status == "finished"


def test_the_maker_closes_a_table_and_others_leave_it(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = world.open_table(session, ann, seats=3)
    world.join(session, ben, game)
    session.commit()
    send(enter(ben), f"/games/{game}", f"/games/{game}/leaving", sure="yes")
    session.rollback()
    assert world.loaded(session, game).accounts == [ann]
    send(enter(ann), f"/games/{game}", f"/games/{game}/leaving", sure="yes")
    session.rollback()
    assert world.loaded(session, game).status == "closed"


def test_a_rematch_is_asked_for_on_a_finished_games_page(session: Session, enter: Enter, ann: str, ben: str) -> None:
    game = world.match(session, ann, ben, goal_discs=5)
    session.commit()
    browser = enter(ann)
    assert send(browser, f"/games/{game}", f"/games/{game}/rematch").status_code == 409
    session.rollback()
    world.play_out(session, game)
    session.commit()
    assert "Ask for a rematch" in heard(browser.get(f"/games/{game}").text)
    again = send(browser, f"/games/{game}", f"/games/{game}/rematch").headers["Location"].split("/")[2]
    session.rollback()
    assert world.loaded(session, again).accounts == [ann]


PATHS = ("rematch", "messages", "notes", "players", "leaving", "invitation-links")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_done_without_a_session_and_its_form(
    app: Flask, session: Session, enter: Enter, settings: Settings, ann: str, ben: str, path: str
) -> None:
    game = world.open_table(session, ann, seats=3)
    world.join(session, ben, game)
    session.commit()
    mine, other = enter(ann), enter(ben)
    fields = {"text": "x", "sure": "yes"}
    form = hidden(other.get(f"/games/{game}").text, "form")
    before = dump(session)
    link = table_link(settings, ann, game).partition("?")[2]
    assert browser_of(app).post(f"/games/{game}/{path}?{link}", data=fields).status_code == 403
    assert mine.post(f"/games/{game}/{path}", data=fields).status_code == 403
    assert mine.post(f"/games/{game}/{path}", data={**fields, "form": form}).status_code == 403
    assert dump(session) == before


@pytest.mark.parametrize("path", PATHS)
def test_a_table_that_one_may_not_see_is_not_there(
    session: Session, enter: Enter, ann: str, ben: str, person: Callable[[str], str], path: str
) -> None:
    game = running(session, ann, ben)
    eve = enter(person("Eve"))
    fields = {"text": "x", "sure": "yes"}
    before = dump(session)
    for table in (game, "abcdefghijkL"):
        assert send(eve, "/account", f"/games/{table}/{path}", **fields).status_code == 404
    assert dump(session) == before


def test_notes_and_messages_go_on_page_by_page(
    session: Session, enter: Callable[[str], FlaskClient], ann: str, ben: str
) -> None:
    game = world.match(session, ann, ben)
    limits = talk.MessageLimits(Limiter(MemoryStorage(), KEYS[0], lambda: NOW), 0)
    for number in range(SHOWN + 1):
        talk.note(session, game, ann, f"note<{number}>", NOW + timedelta(seconds=number))
        talk.say(session, game, ben, f"said<{number}>", NOW + timedelta(seconds=number), limits)
    session.commit()
    browser = enter(ann)
    table = browser.get(f"/games/{game}").text
    for name, word in (("notes", "note"), ("messages", "said")):
        whole = f"/games/{game}/all-{name}"
        assert f"{word}<0>" not in heard(table) and whole in links(table)
        first = browser.get(whole).text
        assert f"{word}<1>" in heard(first) and f"{word}<0>" not in heard(first)
        (onward,) = [link for link in links(first) if "?" in link]
        assert f"{word}<0>" in heard(browser.get(onward).text)
    page = browser.get(f"/games/{game}/all-notes").text
    assert 'name="delete"' in page
