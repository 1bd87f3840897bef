"""How much a reply to somebody's own mail contains, by their preference."""

from email.message import EmailMessage

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.commands.notifications import change, change_answers
from service.jobs.worker_context import WorkerContext
from service.store import delivery_preferences
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.test_answers import own_turns
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

NEXT = "You get a mail as soon as it is your turn."


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def wish(post: Post, account: str, **wished: str) -> None:
    change(post.session, account, wished, NOW)
    post.session.commit()


def wanting(post: Post, match: Match, **wished: str) -> None:
    wish(post, match.accounts[match.seat], **wished)


def is_whole(mail: EmailMessage) -> bool:
    return "YOUR DISPLAY" in text_of(mail)


def test_by_default_a_move_is_answered_by_a_line_and_the_next_step(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "choice 1 A")
    (line,) = lines_of(answer)
    assert line.startswith("“choice 1 A”: You placed tile ") and not is_whole(answer)
    assert f"{match.names[1 - match.seat]} is next." in text_of(answer) and NEXT in text_of(answer)
    assert "/games/" in text_of(answer) and len(answer.as_bytes()) < 20_000


def test_the_next_step_is_told_by_how_turn_mails_are_wanted(post: Post) -> None:
    for how, told in (("digest", "Your daily digest tells you when"), ("off", "the table’s page shows it")):
        match = Match(post)
        wanting(post, match, turn=how)
        (answer,) = post.answer(match.mail, "choice 1 A")
        assert told in text_of(answer) and NEXT not in text_of(answer)
        post.forget()


def test_whose_turn_it_is_again_is_shown_the_table_whatever_they_wish(post: Post) -> None:
    for how in delivery_preferences.ANSWERS:
        match, _ = own_turns(post)
        wanting(post, match, answer=how)
        (answer,) = post.answer(match.mail, "choice 1 A")
        assert is_whole(answer) and "YOUR CHOICES" in text_of(answer)
        post.forget()


@pytest.mark.parametrize("said", ["choice 1 A", "say Good luck!", "note the red one", "mute"])
def test_with_problems_what_went_well_is_not_answered(match: Match, post: Post, said: str) -> None:
    post.answer(match.mail, "choice 1 A") if said != "choice 1 A" else None
    wanting(post, match, answer="problems")
    assert post.answer(match.mail, said) == []
    assert post.session.scalar(text("SELECT count(*) FROM incoming WHERE state <> 'answered'")) == 0
    reason = text("SELECT reason FROM deliveries WHERE kind = 'answer' AND state = 'dropped'")
    assert post.session.scalars(reason).all() == ["off"]
    assert len([mail for mail in post.got(match.other_address) if "<turn." in str(mail["Message-ID"])]) == 1


def test_with_problems_everything_else_is_answered(match: Match, post: Post) -> None:
    post.answer(match.mail, "choice 1 A")
    wanting(post, match, answer="problems")
    for said, told in (
        ("choice 1 A", "You have moved since"),
        ("maybe 2 A or 3 A?", "If you meant"),
        ("resign", "Do you really want to leave the game?"),
        ("Hello there", "There is no line in your mail"),
        ("help", "WHAT YOU CAN WRITE"),
        ("history", "WHAT HAPPENED SO FAR"),
        ("stop", "You get no more mails of this game"),
        ("solo", "A solo has begun."),
        ("new 3", "is open, and you sit at it."),
    ):
        (answer,) = post.answer(match.mail, said)
        assert told in text_of(answer), said


def test_with_problems_a_mail_from_elsewhere_is_told(match: Match, post: Post) -> None:
    wanting(post, match, answer="problems")
    before = len(post.got(match.address))
    post.answer(match.mail, "choice 1 A", sender="Eve <eve@example.net>")
    assert len(match.moves()) == 1 and len(post.got(match.address)) == before + 1


def test_whole_answers_show_the_table_in_any_case(match: Match, post: Post) -> None:
    wanting(post, match, answer="whole")
    (answer,) = post.answer(match.mail, "choice 1 A")
    assert is_whole(answer) and NEXT not in text_of(answer)
    assert str(answer["Message-ID"]) in post.with_scene


def test_the_wish_for_a_game_goes_before_that_for_all(match: Match, post: Post) -> None:
    account, key = match.accounts[match.seat], match.table.table.key
    wanting(post, match, answer="problems")
    change_answers(post.session, account, key, "whole")
    post.session.commit()
    (answer,) = post.answer(match.mail, "choice 1 A")
    assert is_whole(answer)
    change_answers(post.session, account, key, None)
    assert delivery_preferences.answers(post.session, account, key) == "problems"


@pytest.mark.slow
def test_a_move_that_ends_the_game_is_answered_short(post: Post) -> None:
    match = Match(post, goal_discs=5)
    while match.table.status == "running":
        match.change_sides()
        mail, moves = match.mail, len(match.moves())
        answers = post.answer(mail, "choice 1 A")
        assert len(match.moves()) == moves + 1
    ended = answers[-1]
    assert "You get a mail of its own with the result." in text_of(ended) and not is_whole(ended)
    assert str(ended["Message-ID"]) not in post.with_scene
    assert any("<end." in str(mail["Message-ID"]) for mail in post.got(match.address))


def test_a_solo_is_shown_whatever_the_wish(post: Post) -> None:
    ann = world.account(post.session, "Ann")
    wish(post, ann, answer="problems")
    (begun,) = post.write(SERVICE, "solo", "Ann <ann@example.org>")
    (answer,) = post.answer(begun, "choice 1 A")
    assert is_whole(answer)


def test_an_answer_has_the_link_of_its_kind_for_its_account_alone(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "choice 1 A")
    link = str(answer["List-Unsubscribe"])
    assert "/unsubscribe?link=" in link and answer["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link.strip("<>") in text_of(answer)
    post.answer(match.mail, "say hello", sender="Eve <eve@example.net>")
    for mail in post.got("eve@example.net"):
        assert mail["List-Unsubscribe"] is None and "/unsubscribe" not in mail.as_string()
