"""Players who ask for information: each question gets its answer, and none goes to the table as a message."""

import pytest
from sqlalchemy.orm import Session

from service.access.reply_addresses import ToTable, recipient
from service.jobs.worker_context import WorkerContext
from service.store import talk
from tests.support import world
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def test_a_question_shows_the_table_and_is_not_said_to_others(match: Match, post: Post) -> None:
    for said in ("status", "Who's winning?", "Tell me, whose turn is it?", "¿A quién le toca?"):
        (answer,) = post.answer(match.mail, said)
        told = text_of(answer)
        assert "The table as it is stands below." in told and "It is your turn." in told and "YOUR CHOICES" in told
    assert post.session.query(talk.Message.text).all() == [] and match.moves() == []


def test_whoever_is_not_to_move_sees_the_table_too(match: Match, post: Post) -> None:
    match.move()
    post.run()
    while match.table.state.turn == match.seat:
        match.move()
    (answer,) = post.answer(match.mail, "When is my turn?")
    assert f"{match.names[1 - match.seat]} is next." in text_of(answer) and "YOUR DISPLAY" in text_of(answer)
    track = text_of(answer).split("SELECTION TRACK\n")[1].split("\n\n")[0]
    assert all(f"tile {tile}" in track for tile in match.table.state.wheel.ring) and "Choice 1, on space" in track


def test_a_game_that_is_over_is_shown_without_an_order_of_play(match: Match, post: Post) -> None:
    (asked,) = post.answer(match.mail, "resign")
    post.answer(asked, "Yes, really.")
    (answer,) = post.answer(asked, "status")
    assert "has left the game" in text_of(answer) and "The order is that" not in text_of(answer)


def test_games_are_listed_with_whose_turn_it_is_and_a_link(match: Match, post: Post) -> None:
    other = world.match(post.session, *match.accounts)
    (answer,) = post.answer(match.mail, "games")
    told = text_of(answer).split("YOUR GAMES\n")[1].split("\n\n")[0].splitlines()
    ben, turn = match.names[1 - match.seat], world.loaded(post.session, other).state.turn
    theirs = "it is your turn" if turn == match.seat else f"{ben} is next"
    assert sorted(told[::4]) == sorted([f"- With {ben}: it is your turn.", f"- With {ben}: {theirs}."])
    assert all("/games/" in link for link in told[1::4])
    addresses = [address.strip() for address in told[3::4]]
    shown = [recipient(post.context.settings, address) for address in addresses]
    assert {to.game for to in shown if isinstance(to, ToTable)} == {match.id, other}


def test_what_names_no_game_is_answered_with_ways_to_each(match: Match, post: Post) -> None:
    for said in ("1 A", "say hello", "keep"):
        (answer,) = post.write(SERVICE, said, match.player, about=match.mail)
        refused, listed = lines_of(answer)
        assert "It is not clear which game this is about" in refused and listed == "Your games stand below."
    address = text_of(answer).split("What you write about it goes to:\n")[1].split("\n")[0].strip()
    (done,) = post.write(address, "1 A", match.player)
    assert "You placed tile" in text_of(done) and len(match.moves()) == 1


def test_the_services_own_address_lists_games_and_names_the_rules(match: Match, post: Post) -> None:
    for said in ("my games", "status", "Whose turn is it?"):
        (answer,) = post.write(SERVICE, said, match.player)
        assert f"With {match.names[1 - match.seat]}: it is your turn." in text_of(answer)
    (answer,) = post.write(SERVICE, "What are the rules?", match.player)
    assert "/rules?language=en" in text_of(answer) and "WHAT YOU CAN WRITE" in text_of(answer)


def test_in_a_game_the_rules_are_those_that_it_is_played_by(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "rules")
    version = world.loaded(post.session, match.id).rules
    assert f"/rules/{version}?language=en" in text_of(answer)


def test_settings_are_a_page_that_the_answer_names(match: Match, post: Post) -> None:
    page = "https://nova-luna.example.org/settings"
    for said in ("settings", "I want to delete my account"):
        for answer in (*post.answer(match.mail, said), *post.write(SERVICE, said, match.player)):
            assert lines_of(answer)[0].startswith(f"“settings”: Your settings are at {page}: which mails you get")
    (answer,) = post.write(SERVICE, "Please take me off your list", match.player)
    assert lines_of(answer)[0].startswith(f"“stop”: Your settings are at {page}:"), "it names no game"


def test_whoever_plays_nothing_is_told_so(post: Post) -> None:
    world.account(post.session, "Ann")
    (answer,) = post.write(SERVICE, "games", "Ann <ann@example.org>")
    assert lines_of(answer) == ["“games”: You are in no game now."]


def test_pass_and_undo_say_why_not_and_nothing_after_them_is_played(match: Match, post: Post) -> None:
    for said, why in (("pass", "There is no passing"), ("Can I take my move back?", "No move can be taken back")):
        (answer,) = post.answer(match.mail, f"{said}\n1 A\n")
        told = lines_of(answer)
        assert why in told[0] and (len(told) == 1 or "left out" in told[1])
    assert match.moves() == []
