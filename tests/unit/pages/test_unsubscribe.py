"""The page that an unsubscribe link leads to: a GET asks, a POST acts; and the POST of mail programs."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from service.access.links import never_mail_link, table_link, unsubscribe_link
from service.api.headers import NOTHING, OF_PAGES
from service.config import Settings
from service.queries.notifications import OwnNotifications, own_notifications
from service.store import delivery_preferences
from service.store.accounts import Account
from service.store.tables import Table
from tests.support import world
from tests.support.mail.html_reader import heard

Person = Callable[[str], str]
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


def path(settings: Settings, account: str, table: str | None, kind: str) -> str:
    return unsubscribe_link(settings, account, table, kind).removeprefix(settings.base_url)


def wanted(session: Session, account: str) -> OwnNotifications:
    session.rollback()
    session.expire_all()
    return own_notifications(session, account)


def of_game(session: Session, account: str, game: str) -> str | None:
    session.rollback()
    return delivery_preferences.of_game(session, account, session.query(Table.key).filter(Table.id == game).scalar())


@pytest.fixture
def playing(session: Session, person: Person) -> tuple[str, str]:
    """Return a game and its first player, Ann, who plays with Ben."""
    ann, ben = person("Ann"), person("Ben")
    game = world.match(session, ann, ben)
    session.commit()
    return game, ann


def test_a_get_only_asks(client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str]) -> None:
    game, ann = playing
    at = path(settings, ann, game, "turn")
    for _ in range(2):
        answer = client.get(at)
        assert answer.status_code == 200
        assert "You get them at once." in heard(answer.text) and "the game with Ben" in answer.text
        assert answer.text.count('class="button"') == 1 and answer.text.count('class="button quiet"') == 2
        assert client.head(at).status_code == 200
    assert "Set-Cookie" not in answer.headers and "<script" not in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert wanted(session, ann).turn == "at_once" and of_game(session, ann, game) is None


@pytest.mark.parametrize(
    ("button", "turn", "game_says", "heard_then"),
    [
        ("game", "at_once", "off", "You get no mails about the game with Ben."),
        ("kind", "off", None, "You get none of them."),
        ("digest", "digest", None, "You get them in your daily digest."),
        ("undo", "at_once", None, "You get them at once."),
        ("something else", "at_once", None, "You get them at once."),
    ],
)
def test_a_button_does_what_it_says(
    client: FlaskClient,
    session: Session,
    settings: Settings,
    playing: tuple[str, str],
    button: str,
    turn: str,
    game_says: str | None,
    heard_then: str,
) -> None:
    game, ann = playing
    at = path(settings, ann, game, "turn")
    answer = client.post(at, data={"do": button})
    assert answer.status_code == 303 and answer.headers["Location"] == at
    assert wanted(session, ann).turn == turn and of_game(session, ann, game) == game_says
    page = client.get(at).text
    assert heard_then in heard(page)
    assert ('value="game"' in page) is ("off" not in (turn, game_says)), "offered only while such mails come"
    client.post(at, data={"do": "undo"})
    assert wanted(session, ann).turn == "at_once" and of_game(session, ann, game) is None


@pytest.mark.parametrize(
    ("kind", "about"),
    [("turn", True), ("table", True), ("end", False), ("closed", False), ("invitation", False), ("digest", False)],
)
def test_a_mail_program_does_it_with_one_click(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str], kind: str, about: bool
) -> None:
    """RFC 8058: no cookie, no page before, no redirect, whatever else the program sends."""
    game, ann = playing
    at = path(settings, ann, game if about else None, kind)
    if kind == "digest":
        client.post(path(settings, ann, None, "end"), data={"do": "digest"})
        assert wanted(session, ann).next_digest_at is not None
    answer = client.post(at, data=ONE_CLICK, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 200 and answer.mimetype == "text/plain"
    assert answer.text == "You get no more of these mails.\n" and "Set-Cookie" not in answer.headers
    again = client.post(at, data=ONE_CLICK, content_type="multipart/form-data")
    assert again.status_code == 200
    line = client.post(at, data=b"List-Unsubscribe=One-Click\r\n", content_type="application/x-www-form-urlencoded")
    assert line.status_code == 200
    stands = wanted(session, ann)
    if about:
        assert of_game(session, ann, game) == "off" and stands.turn == "at_once"
    elif kind == "digest":
        assert stands.end == "off" and stands.next_digest_at is None
    else:
        assert getattr(stands, kind) == "off"
    assert client.get(at).status_code == 200


@pytest.mark.parametrize(
    ("button", "of_all", "of_one", "heard_then"),
    [
        ("game", "short", "problems", "About the game with Ben you are only told of what went wrong."),
        ("problems", "problems", None, "You only get mails about what went wrong."),
        ("whole", "whole", None, "You are told all that came of your mail"),
        ("short", "short", None, "You are told briefly what came of your mail."),
        ("off", "short", None, "You are told briefly what came of your mail."),
    ],
)
def test_buttons_of_answers_choose_how_much_they_tell(
    client: FlaskClient,
    session: Session,
    settings: Settings,
    playing: tuple[str, str],
    button: str,
    of_all: str,
    of_one: str | None,
    heard_then: str,
) -> None:
    game, ann = playing
    at = path(settings, ann, game, "answer")
    assert "told briefly" in heard(client.get(at).text)
    assert client.post(at, data={"do": button}).status_code == 303
    assert heard_then in heard(client.get(at).text)
    session.rollback()
    key = session.query(Table.key).filter(Table.id == game).scalar()
    assert (wanted(session, ann).answer, delivery_preferences.answers_of_game(session, ann, key)) == (of_all, of_one)


@pytest.mark.parametrize("about", [True, False])
def test_one_click_of_an_answer_leaves_problems(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str], about: bool
) -> None:
    game, ann = playing
    at = path(settings, ann, game if about else None, "answer")
    answer = client.post(at, data=ONE_CLICK)
    assert answer.text == "You only get mails about what went wrong.\n"
    session.rollback()
    key = session.query(Table.key).filter(Table.id == game).scalar()
    assert delivery_preferences.answers_of_game(session, ann, key) == ("problems" if about else None)
    assert wanted(session, ann).answer == ("short" if about else "problems")
    assert delivery_preferences.answers(session, ann, key) == "problems" and of_game(session, ann, game) is None


def test_a_link_about_a_table_speaks_of_it_alone(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str]
) -> None:
    game, ann = playing
    at = path(settings, ann, game, "table")
    asks = client.get(at).text
    assert "It is about all mails about the game with Ben." in heard(asks) and "your turn" not in heard(asks)
    assert asks.count('name="do"') == 1
    assert client.post(at, data={"do": "kind"}).status_code == 303
    assert wanted(session, ann).turn == "at_once" and of_game(session, ann, game) is None, "it has no such button"
    client.post(at, data={"do": "game"})
    assert of_game(session, ann, game) == "off"
    asks = client.get(at).text
    assert "You get no mails about the game with Ben." in heard(asks) and asks.count('name="do"') == 1
    client.post(at, data={"do": "undo"})
    assert of_game(session, ann, game) is None and wanted(session, ann).turn == "at_once"
    assert client.get(path(settings, ann, None, "table")).status_code == 404


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_button_is_pressed_on_this_site_s_page(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str], site: str
) -> None:
    """This holds for all but the one click of mail programs."""
    game, ann = playing
    at, elsewhere = path(settings, ann, game, "turn"), {"Sec-Fetch-Site": site}
    refused = client.post(at, data={"do": "kind"}, headers=elsewhere)
    assert refused.status_code == 403 and "Nothing was changed" in heard(refused.text)
    assert refused.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert wanted(session, ann).turn == "at_once"
    assert client.post(at, data=ONE_CLICK, headers=elsewhere).status_code == 200
    assert of_game(session, ann, game) == "off"
    assert client.post(at, data={"do": "kind"}, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303
    assert wanted(session, ann).turn == "off"


def test_a_kind_that_is_off_is_shown_as_off_whatever_the_game_has(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str]
) -> None:
    game, ann = playing
    at = path(settings, ann, game, "turn")
    for button in ("game", "kind"):
        client.post(at, data={"do": button})
    assert (of_game(session, ann, game), wanted(session, ann).turn) == ("off", "off")
    assert "You get none of them." in heard(client.get(at).text)


def test_a_stranger_is_left_alone_with_one_click(client: FlaskClient, settings: Settings) -> None:
    at = never_mail_link(settings, "one.click@example.org").removeprefix(settings.base_url)
    answer = client.post(at, data=ONE_CLICK)
    assert answer.status_code == 200 and answer.mimetype == "text/plain"
    assert "You are left alone" in client.get(at).text


def test_every_answer_has_the_headers_of_a_page(
    client: FlaskClient, settings: Settings, playing: tuple[str, str]
) -> None:
    game, ann = playing
    mine, never = (
        path(settings, ann, game, "turn"),
        never_mail_link(settings, "headers@example.org").removeprefix(settings.base_url),
    )
    answers = [client.get(at) for at in (mine, never, "/unsubscribe", "/never-mail")]
    answers += [client.post(at, data=data) for at in (mine, never) for data in ({"do": "kind"}, ONE_CLICK)]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 404, 303, 200, 303, 200]
    for answer in answers:
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("at", ["/unsubscribe", "/never-mail", "/games/G4mE8sWqKzRt", "/not-here", "/games/a/b"])
def test_what_is_no_page_has_them_too(client: FlaskClient, at: str) -> None:
    answers = [client.open(at, method=method) for method in ("PUT", "DELETE", "OPTIONS")]
    assert {answer.status_code for answer in answers} <= {204, 404, 405}
    for answer in answers:
        assert answer.headers["Content-Security-Policy"] == NOTHING
        assert OF_PAGES.items() <= dict(answer.headers).items()
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_wrong_link_is_not_here(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str], method: str
) -> None:
    game, ann = playing
    good = path(settings, ann, game, "turn")
    wrong = [
        "/unsubscribe",
        good[:-1] + ("A" if good[-1] not in "ABCD" else "Z"),  # those four end the same bytes
        "/unsubscribe?" + table_link(settings, ann, game).partition("?")[2],
        path(settings, ann, "nosuchtable1", "turn"),
        path(settings, "nosuchperson", None, "turn"),
        path(settings, ann, None, "nosuchkind"),
    ]
    for each in wrong:
        assert getattr(client, method)(each, **({"data": ONE_CLICK} if method == "post" else {})).status_code == 404


def test_unsubscribe_page_is_in_the_readers_language(
    client: FlaskClient, session: Session, settings: Settings, playing: tuple[str, str]
) -> None:
    game, ann = playing
    for code, word in (("fr", "Quels"), ("es", "mensajes"), ("de", "Mails")):
        session.get_one(Account, ann).language = code
        session.commit()
        answer = client.get(path(settings, ann, game, "turn"))
        assert f'lang="{code}"' in answer.text and word in answer.text
