"""Replies by mail to states that a restored backup has undone."""

from email.utils import parseaddr

import pytest
from sqlalchemy.orm import Session

from service.access.reply_addresses import ToTable, recipient, reply_address
from service.jobs.worker_context import WorkerContext
from tests.support.mail.text import text_of
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import Post, taking_mail


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def test_an_answer_to_an_undone_state_plays_nothing(match: Match, post: Post) -> None:
    at = recipient(post.context.settings, parseaddr(str(match.mail["Reply-To"]))[1])
    assert isinstance(at, ToTable) and at.head == match.table.head
    undone = reply_address(post.context.settings, at._replace(head="00000000"))
    for asked in ("choice 1 A", "resign", "refill", "yes"):
        post.put(str(undone), asked, match.player)
        post.run()
        answer = text_of(post.got(match.address)[-1])
        assert "The service had to be put back to an earlier state" in " ".join(answer.split()), asked
    later = reply_address(post.context.settings, at._replace(version=9, head=""))
    post.put(str(later), "choice 1 A", match.player)
    post.run()
    assert match.moves() == []
    before = reply_address(post.context.settings, at._replace(head=""))  # as the previous release wrote it
    post.put(str(before), "choice 1 A", match.player)
    post.run()
    assert len(match.moves()) == 1
