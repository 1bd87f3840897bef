"""What a mail tells is read again just before it leaves: without a change, both readings are equal, whatever the time.

`Post` checks that of every mail that it sends in these tests; here it sends each kind of mail, and the lists of games.
"""

from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands import tables, talk
from service.commands.invitation_limits import InvitationLimits
from service.commands.invitations import invite
from service.commands.notifications import change, queue_due_digests
from service.commands.play import play
from service.jobs.deliver import WRITERS
from service.jobs.worker_context import WorkerContext
from service.store.accounts import Code
from service.store.purging import in_pieces
from service.store.queue import defer
from tests.support import world
from tests.support.clock import Clock
from tests.support.mail.text import text_of
from tests.unit.jobs.test_outgoing_mail import a_code
from tests.unit.jobs.timed import TimedMatch
from tests.unit.jobs.writing import SERVICE, Post, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


def test_each_kind_of_mail_reads_the_same_a_moment_later(post: Post, session: Session, clock: Clock) -> None:
    match = TimedMatch(post, clock, "Ann", "Ben", "Cleo")
    ann, ben, _ = match.accounts
    code = a_code(session, "new@example.org", "email-change", account=ann)
    session.get_one(Code, code).former_email = "first@example.org"
    defer(session, "mail_address_changed", {"code": code})
    waiting = world.open_table(session, ann, seats=3)
    world.join(session, ben, waiting)
    invite(session, ann, waiting, "zoe@example.org", InvitationLimits(post.context.limiter, 0, 0), clock.now)
    post.run()
    tables.close(session, ann, waiting, clock.now)
    post.write(SERVICE, "Good evening!", "stranger@example.org")
    match.go_on(hours=36)
    change(session, match.accounts[match.seat], {"turn": "digest"}, clock.now)
    match.go_on(hours=36)
    in_pieces(post.context.sessions, queue_due_digests, clock.now + timedelta(days=1), 1)
    post.run()
    for _ in range(2):
        play(session, match.table, match.seat, RESIGN, None, clock.now)
    post.run()
    talk.say(session, match.id, ann, "Well played!", clock.now)
    post.run()
    post.answer(match.last(match.address(0)), "history", match.address(0))
    assert post.tasks == set(WRITERS)


@pytest.mark.parametrize("asked", ["games", "1 A\ngames", "status", "history", "settings"])
def test_an_answer_with_a_clock_is_sent_whatever_was_asked(post: Post, clock: Clock, asked: str) -> None:
    match = TimedMatch(post, clock, "Ann", "Ben")
    (answer,) = post.answer(match.last(match.mover), asked, match.mover)
    assert asked != "games" or "until Monday 20:56 UTC" in " ".join(text_of(answer).split())
