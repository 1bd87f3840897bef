"""Mail between two players of whom one has blocked the other: no invitations, and no messages to who has blocked."""

import pytest
from sqlalchemy.orm import Session

from service.commands import blocks, invitations, talk
from service.commands.invitation_limits import InvitationLimits
from service.jobs.worker_context import WorkerContext
from service.store import blocks as store
from service.store.mail_kinds import END, INVITATION, TURN
from tests.support import world
from tests.support.clock import NOW
from tests.unit.jobs.test_delivery_preferences import became
from tests.unit.jobs.test_talk import ended, mails, two


@pytest.mark.parametrize("is_blocker", [True, False])
def test_no_invitation_is_mailed_between_them(session: Session, context: WorkerContext, is_blocker: bool) -> None:
    limits = InvitationLimits(context.limiter, 0, 0)
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    blocks.block(session, *((ann, ben) if is_blocker else (ben, ann)), NOW)
    table = world.open_table(session, ann, seats=3)
    made = invitations.invite(session, ann, table, "ben@example.org", limits, NOW)
    stranger = invitations.invite(session, ann, table, "cleo@example.org", limits, NOW)
    assert INVITATION.key(invitation=stranger.id) in (sent := mails(context, session))
    assert INVITATION.key(invitation=made.id) not in sent
    assert became(session, ben) == [("invitation", "dropped", "stale")]
    assert made.state(NOW) == "open"


def test_a_player_who_has_blocked_the_author_is_mailed_no_message(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    talk.say(session, game, other, "Before the block.", NOW)
    blocks.block(session, first, other, NOW)
    talk.say(session, game, other, "After the block.", NOW)
    talk.say(session, game, first, "And this is mine.", NOW)
    turn = mails(context, session)[TURN.key(game=game, wait=0, account=first)]
    assert "the block" not in turn
    ended(session, game, first)
    talk.say(session, game, other, "At the end.", NOW)
    found = mails(context, session)
    assert "At the end." not in "".join(found.values())
    assert "And this is mine." in found[END.key(game=game, account=other)]
    queued = world.jobs(session, "mail_talk")
    assert not any(job["account"] == first for job in queued)


def test_messages_of_the_time_of_a_block_are_mailed_once_it_is_lifted(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    blocks.block(session, first, other, NOW)
    talk.say(session, game, other, "During the block.", NOW)
    store.remove(session, first, other)
    assert "During the block." in mails(context, session)[TURN.key(game=game, wait=0, account=first)]
