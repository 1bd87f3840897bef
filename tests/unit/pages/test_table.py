"""A table's page: what it shows, to whom, and that looking at it changes nothing."""

import base64
import hashlib
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine import record
from engine.clock.terms import Terms
from engine.moves import RESIGN
from engine.tiles import TILES
from service.access.links import table_link
from service.commands import reachability, tables
from service.commands.play import play
from service.config import Settings
from service.language import words
from service.pages import script
from service.store.accounts import Account
from service.store.tables import Table
from tests.support import world
from tests.support.checkpointed import checkpoint
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links, tags


@pytest.fixture
def table(session: Session, ann: str, ben: str) -> str:
    """Return the id of a running public match with twelve moves."""
    table = world.match(session, ann, ben)
    for _ in range(12):
        world.move(session, table)
    session.commit()
    return table


def path(settings: Settings, account: str, table: str) -> str:
    return table_link(settings, account, table).removeprefix(settings.base_url)


def hide(session: Session, table: str) -> None:
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()


def counts(session: Session) -> list[int]:
    """Return the number of rows of everything that a request could change."""
    session.rollback()
    tables = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"))
    return [session.scalar(text(f'SELECT count(*) FROM "{name}"')) for name in tables]


def test_everybody_sees_a_public_table(client: FlaskClient, session: Session, table: str) -> None:
    answer = client.get(f"/games/{table}")
    assert answer.status_code == 200 and answer.mimetype == "text/html"
    page = heard(answer.text)
    game = world.loaded(session, table)
    state = game.state
    assert state.turn is not None
    assert f"It is the turn of {('Ann', 'Ben')[state.turn]}." in page
    for seat, display in enumerate(state.displays):
        for number, _, _, covered in display.placed():
            assert TILES[number].letter in page
            assert all(words.goal(TILES[number].goals[index]) + ", covered" in page for index in covered)
        assert f"{words.goal_discs(state.discs_left[seat])} left" in page
    for number in filter(None, state.wheel.spaces()):
        assert f"Tile {number}: {TILES[number].color}, time cost {TILES[number].cost}" in page
    assert game.table.commitment.hex() in page and game.server_seed.hex() not in answer.text
    assert "(you)" not in page


def test_the_choices_are_numbered_from_the_marker(client: FlaskClient, session: Session, table: str) -> None:
    page = client.get(f"/games/{table}").text
    rows = re.findall(r'<tr class="choice"><td><span class="number">(\d)</span>.*?<b>(\d+)</b>', page)
    assert rows == [
        (str(number), str(id)) for number, id in enumerate(world.loaded(session, table).state.wheel.choices(), start=1)
    ]


def test_the_history_tells_the_last_moves_newest_first(client: FlaskClient, session: Session, table: str) -> None:
    page = client.get(f"/games/{table}").text
    told = re.findall(r'<li value="(\d+)">', page)
    assert told == [str(seq) for seq in range(12, 0, -1)]
    while world.loaded(session, table).version < 33:
        world.move(session, table)
    session.commit()
    page = client.get(f"/games/{table}").text
    assert re.findall(r'<li value="(\d+)">', page) == [str(seq) for seq in range(33, 3, -1)]
    assert f"/games/{table}?at=3#board" in links(page) and "3 earlier moves" in heard(page)


def test_a_private_table_needs_the_link_of_one_who_sits_there(
    client: FlaskClient,
    session: Session,
    settings: Settings,
    table: str,
    ann: str,
    person: Callable[[str], str],
) -> None:
    hide(session, table)
    stranger = person("Eve")
    session.commit()
    assert client.get(f"/games/{table}").status_code == 404
    assert client.get(path(settings, stranger, table)).status_code == 404
    good = path(settings, ann, table)
    answer = client.get(good)
    assert answer.status_code == 200 and "Ann (you)" in heard(answer.text)
    # Not the last character, some of whose bits have no meaning.
    forged = good[:-9] + ("A" if good[-9] != "A" else "B") + good[-8:]
    for wrong in (forged, good.split(".")[0], good + "x"):
        assert client.get(wrong).status_code == 404


def test_a_link_opens_the_table_that_it_is_for_and_no_other(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str, ben: str
) -> None:
    other = world.match(session, ann, ben)
    hide(session, table)
    hide(session, other)
    query = path(settings, ann, other).split("?")[1]
    assert client.get(f"/games/{other}?{query}").status_code == 200
    assert client.get(f"/games/{table}?{query}").status_code == 404


def test_a_link_ends_with_the_account(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str
) -> None:
    hide(session, table)
    session.get_one(Account, ann).erased_at = NOW
    session.commit()
    assert client.get(path(settings, ann, table)).status_code == 404


def test_a_table_that_is_not_there_looks_like_a_private_one(client: FlaskClient, session: Session, table: str) -> None:
    hide(session, table)
    other = "abcdefghijkL"
    missing = client.get(f"/games/{other}")
    private = client.get(f"/games/{table}")
    assert missing.status_code == private.status_code == 404
    assert missing.text == private.text.replace(table, other) and missing.mimetype == "text/html"
    assert f'<a class="button" href="/sign-in?onward=/games/{table}">Sign in</a>' in private.text


def test_looking_changes_nothing(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str
) -> None:
    before = counts(session)
    for _ in range(2):
        assert client.get(path(settings, ann, table)).status_code == 200
    assert counts(session) == before
    assert client.post(path(settings, ann, table)).status_code == 403  # a link presses no button
    assert counts(session) == before


def test_the_page_is_strict(client: FlaskClient, settings: Settings, table: str, ann: str) -> None:
    answer = client.get(path(settings, ann, table))
    style = re.search("<style>(.*)</style>", answer.text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert answer.headers["Content-Security-Policy"] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; manifest-src 'self'; img-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'; script-src 'self'; connect-src 'self'"
    )
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert (
        answer.headers["Cross-Origin-Opener-Policy"] == answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    )
    off = ["camera", "display-capture", "geolocation", "microphone", "payment", "publickey-credentials-get", "usb"]
    assert answer.headers["Permissions-Policy"] == ", ".join(f"{feature}=()" for feature in off)
    assert "Set-Cookie" not in answer.headers
    assert not tags(answer.text) & {"img", "iframe", "form"}
    address = f"/scripts/table.mjs?v={script.version()}"
    assert re.findall("<script([^>]*)></script>", answer.text) == [f' type="module" src="{address}"']
    assert answer.text.count("<script") == 1
    assert re.findall("<link ([^ ]+) ", answer.text) == ['rel="manifest"', 'rel="icon"', 'rel="alternate"']
    assert "style=" not in answer.text and "http-equiv" not in answer.text


def test_its_links_lead_to_the_record_and_the_api_without_the_secret(
    client: FlaskClient, settings: Settings, table: str, ann: str, ben: str
) -> None:
    api = f"{settings.base_url}/v1/games/{table}"
    there = links(client.get(path(settings, ann, table)).text)
    checker = f"/verify#{quote(f'{api}/record')}"
    own = (f"/games/{table}?", f"/games/{table}/text?")
    assert [link for link in there if not link.startswith(own)] == [
        "/",
        "/sign-in",
        f"/players/{ann}",
        f"/players/{ben}",
        f"/sign-in?onward=/games/{table}",
        f"{api}/record",
        checker,
        "/rules/1?language=en",
        api,
    ]


def test_names_do_no_harm(client: FlaskClient, session: Session, table: str, ann: str, ben: str) -> None:
    session.get_one(Account, ann).name = "<script>alert(1)</script>"
    session.get_one(Account, ben).name = '"\r\n\u202e<b>'
    session.commit()
    page = client.get(f"/games/{table}").text
    assert page.count("<script") == 1 and "\u202e" not in page
    assert "b" not in tags(page[page.index("<svg") : page.index("</svg>")])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_an_open_table_says_how_many_seats_are_free(client: FlaskClient, session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann, seats=4)
    world.join(session, ben, table)
    session.commit()
    page = heard(client.get(f"/games/{table}").text)
    assert "A table with Ann and Ben" in page and "2 seats are free." in page
    assert "Selection track" not in page
    session.query(Table).where(Table.id == table).update({"closed_at": NOW, "closed_because": "maker"})
    session.commit()
    assert "This table was closed; no game was played." in heard(client.get(f"/games/{table}").text)


def test_a_finished_game_shows_its_ranking_and_its_seed(
    client: FlaskClient, session: Session, ann: str, ben: str
) -> None:
    table = world.match(session, ann, ben, goal_discs=5)
    game = world.play_out(session, table)
    session.commit()
    page = heard(client.get(f"/games/{table}").text)
    result = game.state.result
    assert result is not None and result.ranking is not None
    first, second = (("Ann", "Ben")[seat] for seat in result.ranking)
    assert f"{first} placed the last goal disc and won." in page
    assert re.search(f"The ranking {first}: 0 goal discs left {second}: ", page)
    assert game.server_seed.hex() in page and "It is the turn" not in page


def test_whom_no_mail_reaches_is_told(client: FlaskClient, session: Session, table: str, ann: str, ben: str) -> None:
    waiting = world.open_table(session, ben, seats=3)
    session.commit()
    pages = (f"/games/{table}", f"/games/{waiting}")
    for page in pages:
        assert "No mail reaches" not in client.get(page).text
    reachability.stop(session, session.get_one(Account, ben), "5.1.1", NOW)
    session.commit()
    for page in pages:
        found = client.get(page).text
        assert found.count("No mail reaches Ben at the moment.") == 1 and "No mail reaches Ann" not in found


def test_a_player_who_left_is_shown_as_gone(
    client: FlaskClient, session: Session, ann: str, ben: str, person: Callable[[str], str]
) -> None:
    table = world.match(session, ann, ben, person("Cleo"))
    play(session, world.loaded(session, table), 1, RESIGN, None, NOW)
    session.commit()
    page = heard(client.get(f"/games/{table}").text)
    assert "Ben 20 gone" in page and "has left the game" in page and "Ben left the game." in page


def test_a_solo_is_private_until_it_is_over(
    client: FlaskClient, session: Session, settings: Settings, ann: str
) -> None:
    solo = world.solo(session, ann)
    world.move(session, solo)
    session.commit()
    assert client.get(f"/games/{solo}").status_code == 404
    page = heard(client.get(path(settings, ann, solo)).text)
    assert "A solo by Ann" in page and "Phase 1" in page and "Moon track" not in page
    game = world.play_out(session, solo)
    session.commit()
    answer = client.get(f"/games/{solo}")
    assert answer.status_code == 200
    assert game.state.result is not None
    assert f"a score of {game.state.result.score}" in heard(answer.text)
    assert links(answer.text)[-1] == f"{settings.base_url}/v1/solo-sessions/{solo}"


def test_a_solo_in_its_second_phase_shows_its_first_total(
    client: FlaskClient, session: Session, settings: Settings, ann: str
) -> None:
    solo = world.solo(session, ann)
    while world.loaded(session, solo).state.phase == 1:  # type: ignore[union-attr]
        world.move(session, solo)
    session.commit()
    assert "Phase 2. The first total was " in heard(client.get(path(settings, ann, solo)).text)


def test_clocks_2_1_the_page_says_the_settings_of_the_clock(client: FlaskClient, session: Session, ann: str) -> None:
    terms = Terms.chosen("days-3")
    opened = [
        tables.create(
            session, ann, tables.TableSettings(seats=2, goal_discs=20, visibility="public", terms=chosen), now=NOW
        ).id
        for chosen in (terms, None)
    ]
    session.commit()
    with_clock, without = (heard(client.get(f"/games/{table}").text) for table in opened)
    assert "Each player has 3 days for each turn." in with_clock
    assert "In the end a bot plays for them until they come back." in with_clock
    assert "There is no clock: everybody takes as long as they like." in without
    french = client.get(f"/games/{opened[0]}", headers={"Accept-Language": "fr"}).text
    assert "La pendule" in french and "3 jours" in french


def test_clocks_10_2_the_page_says_how_much_time_is_left(
    client: FlaskClient, session: Session, settings: Settings, ann: str, ben: str
) -> None:
    terms = Terms.chosen("days-3")
    made = tables.create(
        session, ann, tables.TableSettings(seats=2, goal_discs=20, visibility="public", terms=terms), now=NOW
    )
    world.join(session, ben, made.id)
    session.commit()
    seat = world.loaded(session, made.id).state.turn
    mover, other = (ann, ben) if seat == 0 else (ben, ann)
    name = "Ann" if seat == 0 else "Ben"
    own = heard(client.get(path(settings, mover, made.id)).text)
    assert "You have time until " in own and "left, until" not in own, "the page may stay open"
    assert f"{name} has time until " in heard(client.get(path(settings, other, made.id)).text)
    seen_by_all = heard(client.get(f"/games/{made.id}").text)
    assert f"{name} has time until " in seen_by_all and " UTC." in seen_by_all and "your time" not in seen_by_all


def test_the_page_names_the_header_and_the_checkpoint(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    header = record.digest(world.loaded(session, table).header or {})[:8]
    before = heard(client.get(f"/games/{table}").text)
    assert f"header begins with {header}." in before and "No checkpoint has this game yet." in before
    checkpoint(settings, lambda: NOW)
    page = client.get(f"/games/{table}").text
    assert "has this game up to entry 12." in heard(page) and f"/v1/games/{table}/proof" in links(page)
    hide(session, table)
    assert (
        f"/v1/games/{table}/proof"
        not in client.get(path(settings, world.loaded(session, table).accounts[0], table)).text
    )
