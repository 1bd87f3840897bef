"""Mails that take back what they ask for: nothing is done, both readings are told, and what was asked stays open."""

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.commands.invitation_limits import InvitationLimits
from service.commands.invitations import invite
from service.jobs.worker_context import WorkerContext
from service.store import talk
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

HELD = "Not done: your mail takes back, changes or strikes out part of what it asks. Write once more what you mean."


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def words(text: str) -> str:
    return " ".join(text.split())


def test_a_corrected_move_is_not_played_and_both_are_told(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "2 A\n\nOops sorry, I meant 1 B!\n\nBen")
    assert match.moves() == []
    told = words("\n".join(lines_of(answer)))
    assert f"“2 A”: {HELD}" in told
    assert "Nothing was done. If you meant “2 A” or “1 B”, write that." in told
    post.answer(answer, "1 A")
    assert len(match.moves()) == 1


def test_a_resignation_that_is_taken_back_is_not_carried_out(match: Match, post: Post) -> None:
    (asked,) = post.answer(match.mail, "resign")
    for said in ("Yes\n\nNo wait, don't!", "Yes.\n\nOh no wait, please don't, I want to play on!\n\nBen"):
        (answer,) = post.answer(asked, said)
        assert match.moves() == [] and HELD in words(text_of(answer))
    post.answer(asked, "Yes")
    assert match.moves() == ["resign"]


def test_a_message_that_is_taken_back_is_not_posted(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "say Well played!\n\nSorry, scrap that.")
    assert post.session.query(talk.Message).count() == 0 and HELD in words(text_of(answer))


@pytest.mark.parametrize("name", ["zoe", "Ann"])
def test_an_invitation_stays_open_when_the_yes_is_taken_back(post: Post, session: Session, name: str) -> None:
    host, _ = world.account(session, "Host"), world.account(session, "Ann")
    table = world.open_table(session, host, seats=3)
    address = f"{name.lower()}@example.org"
    invite(session, host, table, address, InvitationLimits(post.context.limiter, 0, 0), NOW)
    post.run()
    mail = post.got(address)[-1]
    (answer,) = post.answer(mail, "Yes\n\nActually, no.")
    assert HELD in words(text_of(answer)) and len(world.loaded(session, table).players) == 1
    post.answer(mail, "Yes")
    session.expire_all()
    assert len(world.loaded(session, table).players) == 2


def test_a_code_stays_valid_when_the_yes_is_taken_back(post: Post) -> None:
    post.write(SERVICE, "solo", "zoe@example.org")
    mail = post.got("zoe@example.org")[-1]
    (answer,) = post.answer(mail, "yes\n\nwait, no")
    assert HELD in words(text_of(answer))
    (begun,) = post.answer(mail, "yes")
    assert "A solo has begun." in words(text_of(begun))


def test_an_unproven_mail_that_takes_back_is_not_quoted(post: Post, session: Session) -> None:
    world.account(session, "Ann")
    post.dmarc = None
    (answer,) = post.write(SERVICE, "solo\n\nNo wait, don't!", "ann@example.org")
    assert HELD in words(text_of(answer)) and "No wait" not in text_of(answer)


def test_the_answer_shows_all_that_was_posted(match: Match, post: Post) -> None:
    said = "Schönes „Spiel“ – 10 m² 👍,\nund das " + "sehr " * 30 + "lange.\nBis zum nächsten Zug!"
    (answer,) = post.answer(match.mail, f"sagen {said}\n\nIch war krank.\n\nViele Grüße\nBen Müller\n+49 170 1234567")
    (posted,) = post.session.scalars(select(talk.Message.text)).all()
    assert posted == words(said)
    told = words(text_of(answer))
    assert f"“say {posted}”: The others at the table will read it" in told
    assert "“Ich war krank.”: This was told to nobody: a message or a note ends at an empty line." in told
    assert "170" not in told and "Müller" not in told
