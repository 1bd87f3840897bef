"""The answer `rematch` to the mail at the end of a game."""

from email.message import EmailMessage

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.store.tables import Table
from tests.support import world
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import Post, lines_of, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def ends(post: Post) -> list[EmailMessage]:
    """Return the mails to Ann and Ben at the end of their game."""
    match = Match(post, goal_discs=5)
    world.play_out(post.session, match.id)
    post.run()
    return [post.got(f"{name}@example.org")[-1] for name in ("ann", "ben")]


def newest(post: Post) -> Table:
    return post.session.scalars(select(Table).order_by(Table.key.desc()).limit(1)).one()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["rematch", "Revanche!", "revancha", "Another game, please", "noch eine Partie"])
def test_one_asks_and_the_other_agrees_by_one_word_each(post: Post, ends: list[EmailMessage], word: str) -> None:
    (told,) = post.answer(ends[0], word)
    table = newest(post)
    assert f"The table {table.id} is open for a rematch." in lines_of(told)[0]
    invited = post.got("ben@example.org")[-1]
    assert "invites you" in text_of(invited)
    (joined,) = post.answer(ends[1], word)
    assert f"You sit at the table {table.id}." in lines_of(joined)[0]
    assert world.loaded(post.session, table.id).status == "running" and newest(post).id == table.id


def test_an_invitation_to_a_rematch_is_agreed_to_like_any_other(post: Post, ends: list[EmailMessage]) -> None:
    post.answer(ends[0], "rematch")
    post.answer(post.got("ben@example.org")[-1], "yes")
    assert world.loaded(post.session, newest(post).id).status == "running"


def test_the_end_mail_has_the_word_and_a_link_that_writes_it(ends: list[EmailMessage]) -> None:
    html = ends[0].get_body(("html",))
    assert html is not None and "&body=rematch" in html.get_content().replace("&amp;", "&")
    assert "answer with “rematch”" in text_of(ends[0])


@pytest.mark.parametrize("said", ["yes", "yes please", "Noch eine Runde?"])
def test_agreement_to_a_rematch_is_told_its_word(post: Post, ends: list[EmailMessage], said: str) -> None:
    before = newest(post).id
    (told,) = post.answer(ends[0], said)
    assert "If you meant “rematch”, write that." in " ".join(text_of(told).split())
    assert newest(post).id == before


def test_an_answer_about_a_finished_game_says_nothing_of_what_comes_next(post: Post, ends: list[EmailMessage]) -> None:
    (answer,) = post.answer(ends[0], "status")
    shown = " ".join(text_of(answer).split())
    assert "YOUR DISPLAY" in shown and "y yellow)." in shown
    assert "a capital letter" not in shown and "Goals still open" not in shown and "Every goal" not in shown
    html = answer.get_body(("html",))
    assert html is not None
    assert "a dashed cell" not in html.get_content() and "Goals in progress" not in html.get_content()


def test_a_game_that_goes_on_has_no_rematch(post: Post) -> None:
    match = Match(post)
    (told,) = post.answer(match.mail, "rematch")
    assert "The game is not over" in lines_of(told)[0]


def test_one_asked_for_from_elsewhere_is_confirmed_first(post: Post, ends: list[EmailMessage]) -> None:
    before = newest(post).id
    post.answer(ends[0], "rematch", sender="Ann <ann@work.example>")
    assert newest(post).id == before
    asked = next(mail for mail in post.got("ann@example.org") if "to ask for a rematch" in str(mail["Subject"]))
    post.answer(asked, "yes")
    assert newest(post).id != before and len(post.got("ben@example.org")) > 1
