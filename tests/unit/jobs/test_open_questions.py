"""Answers to our questions that settle nothing: the question is asked again, and its answer counts as to the first."""

from email.message import EmailMessage

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.reply_addresses import STOP, ToSilencing, reply_address
from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

ANN, CLEO = "Ann <ann@example.org>", "Cleo <cleo@example.org>"
UNCLEAR = "Let me ask my neighbor first."


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    world.account(session, "Ann")
    return Post(taking_mail(context), session)


def invitation(post: Post) -> EmailMessage:
    post.write(SERVICE, "new 2, cleo@example.org", ANN)
    return post.got("cleo@example.org")[-1]


def seats(post: Post) -> int:
    return post.session.scalar(text("SELECT count(*) FROM seats JOIN accounts ON id = account AND name = 'Cleo'")) or 0


@pytest.mark.parametrize("is_stranger", [True, False])
def test_an_unclear_answer_to_an_invitation_is_asked_again(post: Post, is_stranger: bool) -> None:
    if not is_stranger:
        world.account(post.session, "Cleo")
    invited = invitation(post)
    (again,) = post.answer(invited, UNCLEAR, CLEO)
    assert lines_of(again)[0].startswith("That was neither a yes nor a no to the invitation.")
    assert "“yes”" in text_of(again) and "WHAT YOU CAN WRITE" not in text_of(again)
    assert again["Reply-To"] is not None and "+guest-" in str(again["Reply-To"])
    (seated,) = post.answer(again, "yes", CLEO)
    assert "You sit at the table" in text_of(seated) and seats(post) == 1


def test_an_inquiry_is_answered_and_the_invitation_repeated(post: Post) -> None:
    world.account(post.session, "Cleo")
    (again,) = post.answer(invitation(post), "games", CLEO)
    assert [line[:9] for line in lines_of(again)] == ["“games”: ", "That was "]
    post.answer(again, "stop", CLEO)
    assert post.session.scalar(text("SELECT declined_at IS NOT NULL FROM invitations"))


def test_an_invitation_that_is_settled_is_not_repeated(post: Post) -> None:
    world.account(post.session, "Cleo")
    invited = invitation(post)
    post.answer(invited, "yes", CLEO)
    (told,) = post.answer(invited, UNCLEAR, CLEO)
    assert "neither a yes nor a no" not in text_of(told) and told["Reply-To"] is None


def test_a_stranger_is_asked_again_in_their_language_and_not_for_ever(post: Post) -> None:
    post.session.execute(text("UPDATE accounts SET language = 'de' WHERE name = 'Ann'"))
    invited = invitation(post)
    for _ in range(7):
        post.answer(invited, "Mal sehen, ich frage erst meine Nachbarin.", CLEO)
    asked = post.got("cleo@example.org")[1:]
    assert len(asked) == 5 and all("weder ein Ja noch ein Nein" in text_of(mail) for mail in asked)


def test_an_unclear_answer_to_a_code_names_what_a_yes_begins(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (code,) = post.got("cleo@example.org")
    (again,) = post.answer(code, UNCLEAR, CLEO)
    assert "That was no yes." in text_of(again) and "That begins a game for you alone." in text_of(again)
    (begun,) = post.answer(again, "yes", CLEO)
    assert "A solo has begun." in text_of(begun)


def test_an_unclear_answer_to_the_question_of_leaving_is_asked_again(post: Post) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "resign")
    (again,) = post.answer(asked, UNCLEAR)
    assert "Do you really want to leave the game?" in text_of(again) and "+leave-" in str(again["Reply-To"])
    post.answer(again, "yes")
    assert match.moves() == ["resign"]


@pytest.mark.parametrize("said", ["No, thanks!", "1 A", "say hello", "maybe 2 F or 3 F?", "stop"])
def test_what_else_is_answered_to_the_question_of_leaving_ends_it(post: Post, said: str) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "resign")
    for told in post.answer(asked, said):
        assert "Do you really want to leave" not in text_of(told) and "+leave-" not in str(told["Reply-To"])


@pytest.mark.parametrize("said", ["No!", "No.", "No, I want to keep playing", "hell no", "Nein, ich bleibe"])
def test_a_no_to_the_question_of_leaving_is_told_that_one_stays(post: Post, said: str) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "resign")
    (told,) = post.answer(asked, said)
    assert "You stay in the game." in text_of(told)
    assert "no line in your mail" not in text_of(told) and "If you meant" not in text_of(told)
    post.answer(told, "yes")
    assert match.moves() == []


def test_a_move_behind_a_no_to_leaving_is_asked_about(post: Post) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "resign")
    (told,) = post.answer(asked, "No, I take the second tile and put it at A")
    assert "You stay in the game." in text_of(told) and "Did you mean choice 2" in text_of(told)
    post.answer(told, "yes")
    assert len(match.moves()) == 1 and match.moves() != ["resign"]


def test_a_no_to_a_probable_move_is_told_that_nothing_was_played(post: Post) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "I'll take the second tile and put it at A")
    (told,) = post.answer(asked, "No.")
    assert "Nothing was played." in text_of(told) and "no line in your mail" not in text_of(told)
    assert "Did you mean" not in text_of(told) and match.moves() == []


@pytest.mark.parametrize("said", ["Passt!", "Geht klar"])
def test_words_of_a_yes_to_leaving_are_no_misspelled_commands(post: Post, said: str) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "resign")
    (again,) = post.answer(asked, said)
    assert "Do you really want to leave the game?" in text_of(again) and "If you meant" not in text_of(again)


def test_an_unclear_answer_to_a_probable_move_is_asked_again(post: Post) -> None:
    match = Match(post)
    (asked,) = post.answer(match.mail, "I'll take the second tile and put it at A")
    assert "Did you mean choice 2" in text_of(asked)
    (again,) = post.answer(asked, UNCLEAR)
    assert "Did you mean choice 2" in text_of(again) and "+agree-" in str(again["Reply-To"])
    post.answer(again, "yes")
    assert len(match.moves()) == 1


def test_an_unclear_answer_to_whether_mails_are_to_stop_is_asked_again(post: Post) -> None:
    match = Match(post)
    address = reply_address(post.context.settings, ToSilencing(match.id, match.seat, match.table.version, STOP))
    assert address is not None
    (again,) = post.write(address, UNCLEAR, match.player, about=match.mail)
    assert "asks that you get no more mails of this game" in text_of(again) and "+stop-" in str(again["Reply-To"])
