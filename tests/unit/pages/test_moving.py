"""Moving on a table's page by the link in a turn mail: choose, see, confirm; and what a link cannot do."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.moves import Mark, Place
from service.access.links import MoveLink, confirmation, move_link, table_link
from service.commands import entries
from service.commands.play import preview
from service.config import Settings
from service.store.accounts import Account
from tests.support import world
from tests.support.browser import dump
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links


@dataclass(frozen=True)
class Waiting:
    """A game that waits for one of its players."""

    game: str
    mover: str
    other: str
    path: str
    wait: MoveLink


@pytest.fixture
def waiting(session: Session, settings: Settings, person: Callable[[str], str]) -> Waiting:
    """Return a private game with twelve moves, and the link to the next one."""
    people = person("Ann"), person("Ben")
    game = world.match(session, *people)
    for _ in range(12):
        world.move(session, game)
    session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": game})
    session.commit()
    return waits(session, settings, game, people)


def waits(session: Session, settings: Settings, game: str, people: tuple[str, ...]) -> Waiting:
    """Return a game as it waits now."""
    session.rollback()
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    wait = MoveLink(mover, game, table.version, table.head)
    other = next(each for each in people if each != mover)
    return Waiting(game, mover, other, move_link(settings, wait).removeprefix(settings.base_url), wait)


def first(session: Session, game: str) -> Place:
    """Return the first legal placement."""
    move = world.loaded(session, game).state.legal_moves()[0]
    assert isinstance(move, Place)
    return move


def legal(session: Session, game: str) -> list[Place]:
    """Return the legal placements."""
    return [move for move in world.loaded(session, game).state.legal_moves() if isinstance(move, Place)]


def confirm_of(page: str) -> str:
    found = re.search(r'name="confirm" value="([^"]+)"', page)
    assert found, heard(page)
    return unescape(found[1])


def action_of(page: str) -> str:
    found = re.search(r'<form method="post" action="(/games/[^"]+/moves[^"]*)"', page)
    assert found
    return unescape(found[1])


def shown(client: FlaskClient, path: str, move: Place) -> str:
    """Return the page that shows what a placement would do."""
    return client.get(f"{path}&tile={move.tile}&x={move.x}&y={move.y}").text


def log(session: Session, game: str) -> list[tuple[int | None, str]]:
    session.rollback()
    return [(entry.seat, entry.move) for entry in world.loaded(session, game).entries]


def test_the_page_leads_from_a_tile_to_a_cell_to_the_move(
    client: FlaskClient, session: Session, waiting: Waiting
) -> None:
    move = first(session, waiting.game)
    before = log(session, waiting.game)
    page = client.get(waiting.path).text
    choices = world.loaded(session, waiting.game).state.wheel.choices()
    tiles = [link for link in links(page) if re.search(r"[?&]tile=\d+&link=", link)]
    assert [int(re.search(r"tile=(\d+)", link)[1]) for link in tiles] == choices  # type: ignore[index]
    page = client.get(tiles[choices.index(move.tile)]).text
    (cell,) = [link for link in links(page) if f"tile={move.tile}&x={move.x}&y={move.y}&" in link]
    page = client.get(cell).text
    assert "What this move would do" in heard(page)
    assert log(session, waiting.game) == before
    answer = client.post(action_of(page), data={"confirm": confirm_of(page)})
    assert answer.status_code == 303
    seat = world.loaded(session, waiting.game).seat_of(waiting.mover)
    assert log(session, waiting.game) == [*before, (seat, f"{move.tile}@{move.x},{move.y}")]
    assert client.get(answer.headers["Location"]).status_code == 200


@pytest.mark.slow
def test_the_preview_says_what_the_rules_do(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    people = person("Ann"), person("Ben")
    game = world.match(session, *people)
    effects: set[bool] = set()
    while effects != {True, False} or world.loaded(session, game).version < 12:
        world.move(session, game)
        session.commit()
        here = waits(session, settings, game, people)
        seat = world.loaded(session, game).state.turn
        assert seat is not None
        for move in {move.tile: move for move in legal(session, game)}.values():
            step = preview(world.loaded(session, game), seat, move, None, NOW)
            page = heard(shown(client, here.path, move))
            assert step.moved is not None
            assert f"Your disc goes from {step.moved[0]} to {step.moved[1]} on the moon track" in page
            assert ("Then it is your turn again." in page) == (step.turn == seat)
            assert ("It covers no goal." in page) == (not step.covered)
            for tile, goal in step.covered:
                counting = step.counting(tile, goal)
                assert re.search(rf"on tile {tile}, for which (the tiles|tile) {counting[0]}\b", page)
            effects.add(bool(step.covered))


def test_a_refill_is_shown_without_its_tiles(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    people = person("Ann"), person("Ben")
    game = world.match(session, *people)
    while not world.loaded(session, game).state.may_refill():
        world.move(session, game)
    session.commit()
    here = waits(session, settings, game, people)
    table = world.loaded(session, game)
    hidden = set(table.tiles[table.state.wheel.shown :])
    page = client.get(f"{here.path}&refill=yes").text
    assert "You refill the selection track with" in heard(page)
    assert not [tile for tile in hidden if f"Tile {tile}: " in heard(page)]
    location = client.post(action_of(page), data={"confirm": confirm_of(page)}).headers["Location"]
    assert log(session, game)[-1] == (table.state.turn, "refill")
    page = client.get(location).text
    assert "Your move" in heard(page) and "You refilled" in heard(page)


def test_a_form_that_is_sent_twice_moves_once_and_leads_on_alike(
    client: FlaskClient, session: Session, waiting: Waiting
) -> None:
    page = shown(client, waiting.path, first(session, waiting.game))
    answers = [client.post(action_of(page), data={"confirm": confirm_of(page)}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [303, 303]
    assert answers[0].headers["Location"] == answers[1].headers["Location"]
    assert len(log(session, waiting.game)) == waiting.wait.version + 1


def test_a_turn_again_leads_to_a_link_for_that_turn(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    people = person("Ann"), person("Ben")
    game = world.match(session, *people)
    session.commit()
    here = waits(session, settings, game, people)
    seat = world.loaded(session, game).state.turn
    while True:
        session.rollback()
        table = world.loaded(session, game)
        seat, move = table.state.turn, first(session, game)
        assert seat is not None
        if preview(world.loaded(session, game), seat, move, None, NOW).turn == seat:
            break
        world.move(session, game)
        session.commit()
    here = waits(session, settings, game, people)
    page = shown(client, here.path, move)
    again = client.post(action_of(page), data={"confirm": confirm_of(page)}).headers["Location"]
    assert "Your move" in heard(client.get(again).text)
    old = client.get(here.path).text
    assert "Your move" not in heard(old) and "This link was for a move that is past" in heard(old)
    page = shown(client, again.partition("#")[0], first(session, game))
    client.post(action_of(page), data={"confirm": confirm_of(page)})
    assert [each for each, _ in log(session, game)[-2:]] == [seat, seat]


def test_a_past_link_tells_what_happened_and_shows_the_table(
    client: FlaskClient, session: Session, waiting: Waiting
) -> None:
    move = first(session, waiting.game)
    page = shown(client, waiting.path, move)
    world.move(session, waiting.game)
    session.commit()
    world.move(session, waiting.game)
    session.commit()
    told = heard(client.get(waiting.path).text)
    assert "This link was for a move that is past" in told and "You placed tile" in told
    assert "Your move" not in told and "What this move would do" not in heard(shown(client, waiting.path, move))
    before = log(session, waiting.game)
    answer = client.post(action_of(page), data={"confirm": confirm_of(page)})
    assert answer.status_code == 303 and answer.headers["Location"].endswith(
        waiting.path.partition("link=")[2] + "#board"
    )
    assert log(session, waiting.game) == before


def test_a_past_link_says_nothing_of_now_above_an_earlier_state(
    client: FlaskClient, session: Session, waiting: Waiting
) -> None:
    world.move(session, waiting.game)
    while (table := world.loaded(session, waiting.game)).account_of(table.state.turn) == waiting.mover:
        world.move(session, waiting.game)
    session.commit()
    assert "This is the table as it is now." in heard(client.get(waiting.path).text)
    for at in (0, waiting.wait.version):
        told = heard(client.get(f"{waiting.path}&at={at}").text)
        assert "This is the table as it is now." not in told and "To the table as it is" in told


def test_a_mark_does_not_end_the_wait(client: FlaskClient, session: Session, waiting: Waiting) -> None:
    seat = world.loaded(session, waiting.game).seat_of(waiting.other)
    assert entries.add(session, world.loaded(session, waiting.game), seat, Mark("clock.keep"), NOW) is not None
    session.commit()
    page = shown(client, waiting.path, first(session, waiting.game))
    client.post(action_of(page), data={"confirm": confirm_of(page)})
    assert len(log(session, waiting.game)) == waiting.wait.version + 2


def test_an_undone_state_has_no_choices(
    client: FlaskClient, session: Session, settings: Settings, waiting: Waiting
) -> None:
    undone = waiting.wait._replace(head="00000000")
    path = move_link(settings, undone).removeprefix(settings.base_url)
    assert "Your move" not in heard(client.get(path).text)
    move = first(session, waiting.game)
    forged = confirmation(settings.secret_keys, undone, f"{move.tile}@{move.x},{move.y}")
    before = log(session, waiting.game)
    client.post(path.replace("?", "/moves?"), data={"confirm": forged})
    assert log(session, waiting.game) == before


@pytest.mark.parametrize(
    "asked", ["tile=0", "tile=1x", "tile=99999999999", "tile={tile}&x=99&y=99", "tile={tile}&x=&y=", "refill=yes"]
)
def test_a_choice_that_there_is_not_is_refused_by_name(
    client: FlaskClient, session: Session, waiting: Waiting, asked: str
) -> None:
    assert not world.loaded(session, waiting.game).state.may_refill()
    answer = client.get(f"{waiting.path}&{asked.format(tile=first(session, waiting.game).tile)}")
    assert answer.status_code == 422 and 'role="alert"' in answer.text and 'name="confirm"' not in answer.text


def test_only_the_link_of_the_wait_moves(
    client: FlaskClient, session: Session, settings: Settings, waiting: Waiting
) -> None:
    move = first(session, waiting.game)
    page = shown(client, waiting.path, move)
    confirm, before = confirm_of(page), log(session, waiting.game)
    table = table_link(settings, waiting.mover, waiting.game).removeprefix(settings.base_url)
    of_other = table_link(settings, waiting.other, waiting.game).removeprefix(settings.base_url)
    stranger = move_link(settings, waiting.wait._replace(account=waiting.other)).removeprefix(settings.base_url)
    assert "Your move" not in heard(client.get(table).text)
    assert "Your move" not in heard(client.get(stranger).text)
    for path in (f"/games/{waiting.game}", table, of_other, stranger):
        address = f"{path}/moves" if "?" not in path else path.replace("?", "/moves?")
        assert client.post(address, data={"confirm": confirm}).status_code == (404 if "?" in path else 403)
    assert client.post(action_of(page), data={"confirm": confirm + "x"}).status_code == 404
    assert client.post(action_of(page), data={}).status_code == 404
    assert client.post(action_of(page)).status_code == 404
    answer = client.post(action_of(page), data={"confirm": confirm}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert log(session, waiting.game) == before


def test_a_suspended_player_sees_no_choices_and_cannot_move(
    client: FlaskClient, session: Session, waiting: Waiting
) -> None:
    page = shown(client, waiting.path, first(session, waiting.game))
    session.get_one(Account, waiting.mover).suspended_at = NOW
    session.commit()
    before = log(session, waiting.game)
    assert "Your move" not in heard(client.get(waiting.path).text)
    answer = client.post(action_of(page), data={"confirm": confirm_of(page)})
    assert answer.status_code == 403 and "suspended" in heard(answer.text)
    assert log(session, waiting.game) == before


@pytest.mark.slow
def test_looking_at_every_choice_changes_nothing(client: FlaskClient, session: Session, waiting: Waiting) -> None:
    before, seen, ways = dump(session), set(), [waiting.path]
    while ways:
        way = ways.pop()
        if way in seen:
            continue
        seen.add(way)
        answer = client.get(way)
        assert answer.status_code == client.head(way).status_code == 200
        assert answer.headers["Referrer-Policy"] == "no-referrer" and "no-store" in answer.headers["Cache-Control"]
        ways += [link.partition("#")[0] for link in links(answer.text) if "tile=" in link or "refill=" in link]
    state = world.loaded(session, waiting.game).state
    assert len(seen) == 1 + len(state.wheel.choices()) * (1 + len(state.displays[state.turn or 0].open_cells()))
    assert dump(session) == before


def test_a_solo_moves_by_the_link_of_its_mail(
    client: FlaskClient, session: Session, settings: Settings, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    game = world.solo(session, ann)
    session.commit()
    table = world.loaded(session, game)
    wait = MoveLink(ann, game, table.version, table.head)
    path = move_link(settings, wait).removeprefix(settings.base_url)
    page = shown(client, path, first(session, game))
    location = client.post(action_of(page), data={"confirm": confirm_of(page)}).headers["Location"]
    assert "Your move" in heard(client.get(location).text)
    assert len(log(session, game)) == 1
