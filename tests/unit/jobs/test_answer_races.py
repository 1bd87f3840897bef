"""Simultaneous replies by mail, and a reply at the moment of a move over HTTP.

One is played, and the other is told why it was not.
"""

from collections.abc import Callable
from functools import partial

import pytest
from sqlalchemy.orm import Session

from engine.moves import Place
from service.commands.expectation import Expectation
from service.commands.play import play
from service.errors import Conflict
from service.jobs.incoming_mail import take_in
from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.support.at_once import at_once
from tests.support.clock import NOW
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import Post, lines_of, taking_mail

pytestmark = pytest.mark.drill

_OVER = "You have moved since the mail that you answered was written"


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


def read_at_once(post: Post, *ids: int) -> list[str]:
    """Process these mails at the same moment, and return what the replies say about their lines."""
    before = len(post.sent)
    at_once(*(partial(take_in, post.context, id) for id in ids))
    post.run()
    return sorted(
        line for mail in post.sent[before:] if mail["Auto-Submitted"] == "auto-replied" for line in lines_of(mail)
    )


def test_two_answers_at_once(post: Post, amount: Callable[[int], int]) -> None:
    for _ in range(amount(30)):
        match = Match(post)
        ids = [
            post.put(str(match.mail["Reply-To"]), f"choice {number} at A", match.player, about=match.mail)
            for number in (1, 2)
        ]
        told = read_at_once(post, *ids)
        assert len(match.moves()) == 1 and len(told) == 2
        assert sum("You placed tile " in line for line in told) == sum(_OVER in line for line in told) == 1
        post.forget()


def test_an_answer_at_the_moment_of_a_move_over_http(post: Post, amount: Callable[[int], int]) -> None:
    for _ in range(amount(30)):
        match = Match(post)
        id = post.put(str(match.mail["Reply-To"]), "choice 1 at A", match.player, about=match.mail)
        before = len(post.sent)
        _, moved = at_once(partial(take_in, post.context, id), partial(_move, post, match))
        post.run()
        (answer,) = [mail for mail in post.sent[before:] if mail["Auto-Submitted"] == "auto-replied"]
        assert len(match.moves()) == 1
        assert (_OVER in lines_of(answer)[0]) is moved
        post.forget()


def _move(post: Post, match: Match) -> bool:
    """Take the second choice as a request would, and return whether that was accepted."""
    with post.context.sessions.begin() as session:
        table = world.loaded(session, match.id)
        if table.version:
            return False
        try:
            play(session, table, match.seat, Place(table.state.wheel.choices()[1], 0, 0), Expectation([0]), NOW)
        except Conflict:
            return False
    return True
