"""The text of a game as a page: for everybody if the game is public, else by the links in mails."""

from collections.abc import Callable
from html import unescape

from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import notation
from engine.moves import RESIGN
from service.access.links import record_link, table_link
from service.commands.play import play
from service.config import Settings
from service.queries import records
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW


def hide(session: Session, table: str) -> None:
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()


def path(settings: Settings, session: Session, table: str, seat: int = 0) -> str:
    """Return the path of the text with the link of a player of the table."""
    account = world.loaded(session, table).players[seat].account
    assert account is not None
    query = table_link(settings, account, table).partition("?")[2]
    return f"/games/{table}/text?{query}"


def test_the_page_of_a_public_game_leads_to_its_text(
    client: FlaskClient, session: Session, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"))
    session.commit()
    assert f'href="/games/{table}/text"' in unescape(client.get(f"/games/{table}").text)
    answer = client.get(f"/games/{table}/text")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "no-store" in answer.headers["Cache-Control"] and "Content-Security-Policy" in answer.headers
    line = records.line(session, world.loaded(session, table))
    assert notation.record_line(notation.read(answer.data)) == line


def test_a_players_link_shows_the_text_of_a_private_game(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"))
    hide(session, table)
    text = path(settings, session, table)
    page = client.get(text.replace("/text?", "?")).text
    assert f'href="{text}"' in unescape(page)
    assert client.get(text).text.startswith('[Format "nova-luna-text/1"]')
    other = world.match(session, person("Cleo"), person("Dora"))
    strange = path(settings, session, other).partition("?")[2]
    for query in ("", f"?{strange}", "?link=x"):
        assert client.get(f"/games/{table}/text{query}").status_code == 404


def test_the_link_to_the_record_shows_the_text_once_the_game_is_over(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"))
    hide(session, table)
    link = record_link(settings, table).removeprefix(settings.base_url).replace("/record?", "/text?")
    assert client.get(link).status_code == 404
    play(session, world.loaded(session, table), 0, RESIGN, None, NOW)
    session.commit()
    answer = client.get(link)
    assert answer.status_code == 200 and answer.text.endswith("= left B:20 A:20\n")


def test_a_table_that_has_not_started_has_no_text(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    table = world.open_table(session, person("Ann"))
    session.commit()
    assert "/text" not in client.get(f"/games/{table}").text
    assert client.get(f"/games/{table}/text").status_code == 404


def test_the_text_of_an_earlier_moment_ends_there(
    client: FlaskClient, session: Session, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"))
    for _ in range(3):
        world.move(session, table)
    session.commit()
    link = f"/games/{table}/text?at=2"
    assert f'href="{link}"' in unescape(client.get(f"/games/{table}?at=2").text)
    answer = client.get(link)
    assert f'filename="nova-luna-{table}-2.nova"' in answer.headers["Content-Disposition"]
    line = records.line(session, world.loaded(session, table), 2)
    assert notation.record_line(notation.read(answer.data)) == line
    assert client.get(f"/games/{table}/text?at=3").data == client.get(f"/games/{table}/text").data
    for wrong in ("4", "-1", "x", ""):
        answer = client.get(f"/games/{table}/text?at={wrong}")
        assert answer.status_code == 404 and "This game has no such move." in answer.text
