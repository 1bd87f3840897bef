"""The lines `block NAME` and `unblock NAME`, in answers to mails about a game and in mails about none."""

from collections.abc import Callable

import pytest
from sqlalchemy.orm import Session

from service.commands import invitations
from service.commands.invitation_limits import InvitationLimits
from service.jobs.worker_context import WorkerContext
from service.store import blocks
from service.store.accounts import Account
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.unit.jobs.writing import SERVICE, Post, taking_mail

Told = Callable[[str], str]


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def ann(session: Session) -> str:
    return world.account(session, "Ann")


@pytest.fixture
def told(post: Post, ann: str) -> Told:
    """Return a function that mails a line from Ann to the service, and returns the answer."""

    def write(line: str) -> str:
        (answer,) = post.write(SERVICE, line, "Ann <ann@example.org>")
        return " ".join(text_of(answer).split())

    return write


def blocked(session: Session, account: str, *others: str) -> list[bool]:
    session.expire_all()
    found = blocks.blocked_among(session, account, others)
    return [other in found for other in others]


@pytest.mark.parametrize("table", [True, False])
@pytest.mark.parametrize(
    ("block", "unblock"),
    [
        ("block Bén", "unblock BEN"),
        ("Bitte blockiere ben.", "Freigeben: ben"),
        ("bloquer Ben", "débloquer Ben"),
        ("bloquear Ben", "desbloquear Ben"),
    ],
)
def test_a_player_is_blocked_by_name(
    session: Session, post: Post, ann: str, told: Told, block: str, unblock: str, table: bool
) -> None:
    ben, cem = world.account(session, "Ben"), world.account(session, "Cem")
    world.match(session, ann, ben, cem)
    post.run()
    mails = post.got("ann@example.org")

    def ask(line: str) -> str:
        if not table or not mails:
            return told(line)
        (answer,) = post.answer(mails[0], line)
        return " ".join(text_of(answer).split())

    assert "You get no new tables together" in (answer := ask(block))
    assert "“unblock …” takes it back" in answer
    assert blocked(session, ann, ben, cem) == [True, False]
    assert "This player is no longer blocked." in ask(unblock)
    assert blocked(session, ann, ben) == [False]
    assert "You have blocked nobody of that name." in ask(unblock)


def test_the_sender_of_an_invitation_can_be_blocked(
    session: Session, ann: str, told: Told, context: WorkerContext
) -> None:
    ben, cem = world.account(session, "Ben"), world.account(session, "Cem")
    limits = InvitationLimits(context.limiter, 0, 0)
    invitations.invite(session, ben, world.open_table(session, ben), "ann@example.org", limits, NOW)
    session.commit()
    assert "You get no new tables together" in told("block Ben")
    assert "Nobody of that name" in told("block Cem")
    assert blocked(session, ann, ben, cem) == [True, False]


def test_a_player_is_blocked_by_id(session: Session, ann: str, told: Told) -> None:
    ben = world.account(session, "Ben")
    world.match(session, ann, ben)
    session.commit()
    assert "You get no new tables together" in told(f"block {ben}")
    assert blocked(session, ann, ben) == [True]
    assert "no longer blocked" in told(f"unblock {ben}")


def test_a_name_of_several_players_blocks_none_of_them(session: Session, post: Post, ann: str, told: Told) -> None:
    bens = [world.account(session, f"Ben{number}") for number in range(3)]
    for ben in bens:
        session.get_one(Account, ben).name = "Ben"
    tables = [world.match(session, ann, bens[0]), world.match(session, ann, bens[1], bens[2])]
    post.run()
    assert "Several players whom you know have that name." in told("block Ben")
    assert blocked(session, ann, *bens) == [False] * 3
    for table, line, expected in (
        (tables[0], "block Ben", [True, False, False]),
        (tables[1], "block Ben", [True, False, False]),
        (tables[1], "block Ben (player 3)", [True, False, True]),
        (tables[0], "unblock Ben", [False, False, True]),
    ):
        while world.loaded(session, table).state.turn != 0:
            world.move(session, table)
        post.run()
        mail = next(
            mail for mail in reversed(post.got("ann@example.org")) if table in str(mail["Subject"]) + text_of(mail)
        )
        post.answer(mail, line)
        assert blocked(session, ann, *bens) == expected, line


def test_nobody_blocks_themselves_or_a_deleted_player(session: Session, ann: str, told: Told) -> None:
    ben = world.account(session, "Ben")
    world.match(session, ann, ben)
    session.get_one(Account, ben).name = None
    session.commit()
    assert "Nobody of that name" in told("block Ann")
    assert "Nobody of that name" in told("block Ben")


@pytest.mark.parametrize(("line", "example"), [("block", "block Ann"), ("Blockieren:", "blockieren Ann")])
def test_a_line_without_a_name_blocks_nobody(session: Session, ann: str, told: Told, line: str, example: str) -> None:
    assert "not clear what that means" in told(line)


def test_a_mail_that_proves_nothing_blocks_nobody(session: Session, post: Post, ann: str) -> None:
    ben = world.account(session, "Ben")
    world.match(session, ann, ben)
    post.run()
    post.dmarc = None
    post.write(SERVICE, "block Ben", "Ann <ann@example.org>")
    assert blocked(session, ann, ben) == [False]
