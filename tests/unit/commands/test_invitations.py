"""Invitations: who may send them, how many, and what can happen to them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from service.commands import invitations, players
from service.commands.invitation_limits import InvitationLimits
from service.errors import Conflict, Forbidden, LimitReached, NotFound
from service.store.accounts import Account
from service.store.invitations import InvitationLink
from tests.support import world
from tests.support.clock import NOW
from tests.support.world import KEYS

BEN = "ben@example.org"


@pytest.fixture
def ann(session: Session) -> str:
    return world.account(session, "Ann")


@pytest.fixture
def table(session: Session, ann: str) -> str:
    return world.open_table(session, ann, seats=3, visibility="private")


def test_invitation_job_holds_its_id_and_expires_after_14_days(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    assert made.expires_at == NOW + timedelta(days=14)
    assert world.jobs(session, "mail_invitation") == [{"invitation": made.id}]
    assert made.state(NOW + timedelta(days=14, seconds=-1)) == "open"
    assert made.state(NOW + timedelta(days=14)) == "expired"


def test_only_the_maker_invites_and_takes_back(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    ben = world.account(session, "Ben")
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    world.join(session, ben, table, invitation=world.secret_of(made))
    for attempt in (
        lambda: invitations.invite(session, ben, table, "cleo@example.org", limits, NOW),
        lambda: invitations.take_back(session, ben, table, made.id, NOW),
    ):
        with pytest.raises(Forbidden):
            attempt()


def test_an_address_with_an_open_invitation_is_not_invited_again(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    with pytest.raises(Conflict) as refused:
        invitations.invite(session, ann, table, BEN, limits, NOW)
    assert refused.value.code == "already_invited"
    invitations.take_back(session, ann, table, made.id, NOW)
    invitations.take_back(session, ann, table, made.id, NOW)
    assert invitations.invite(session, ann, table, BEN, limits, NOW).id != made.id


def test_a_started_table_invites_nobody(session: Session, ann: str, limits: InvitationLimits) -> None:
    started = world.match(session, ann, world.account(session, "Ben"))
    with pytest.raises(Conflict) as refused:
        invitations.invite(session, ann, started, "cleo@example.org", limits, NOW)
    assert refused.value.code == "already_started"


@pytest.mark.parametrize("state", ["taken_back", "declined", "expired", "used"])
def test_one_that_is_not_open_lets_nobody_in(
    session: Session, ann: str, table: str, limits: InvitationLimits, state: str
) -> None:
    ben, cleo = world.account(session, "Ben"), world.account(session, "Cleo")
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    secret = world.secret_of(made)
    become: dict[str, Callable[[], None]] = {
        "taken_back": lambda: invitations.take_back(session, ann, table, made.id, NOW),
        "declined": lambda: invitations.decline(session, table, secret, KEYS, NOW),
        "expired": lambda: None,
        "used": lambda: world.join(session, cleo, table, invitation=secret),
    }
    become[state]()
    then = NOW + timedelta(days=14) if state == "expired" else NOW
    with pytest.raises(Conflict) as refused:
        players.join(session, ben, table, invitation=secret, entropy="", keys=KEYS, now=then)
    assert refused.value.code == f"invitation_{state}"


def test_declining_needs_the_secret_of_this_very_table(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    other = world.open_table(session, ann)
    secret = world.secret_of(made)
    for place, given, code in (
        (table, "x" * 43, "not_found"),  # a private one, of which nothing may be told
        (other, secret, "no_such_invitation"),
        ("nothing", secret, "not_found"),
    ):
        with pytest.raises(NotFound) as missing:
            invitations.decline(session, place, given, KEYS, NOW)
        assert missing.value.code == code
    invitations.decline(session, table, world.secret_of(made), KEYS, NOW)
    invitations.decline(session, table, world.secret_of(made), KEYS, NOW + timedelta(days=1))
    assert made.declined_at == NOW


def test_a_secret_of_an_older_key_still_holds(session: Session, ann: str, table: str, limits: InvitationLimits) -> None:
    made = invitations.invite(session, ann, table, BEN, limits, NOW)
    keys = ("another-key-of-the-tests-that-signs-from-now-on", *KEYS)
    players.join(
        session, world.account(session, "Ben"), table, invitation=world.secret_of(made), entropy="", keys=keys, now=NOW
    )
    assert made.used_at == NOW


def _refused(session: Session, maker: str, table: str, email: str, limits: InvitationLimits) -> LimitReached:
    with pytest.raises(LimitReached) as refused:
        invitations.invite(session, maker, table, email, limits, NOW)
    assert refused.value.code == "too_many_invitations" and 0 < refused.value.retry_after <= 86_400
    return refused.value


def test_an_account_has_a_limit_of_invitations_a_day(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    few = replace(limits, per_account=2)
    for number in range(2):
        invitations.invite(session, ann, table, f"guest{number}@example.org", few, NOW)
    assert "You can send at most 2 invitations" in _refused(session, ann, table, "guest2@example.org", few).detail


def test_strangers_do_not_spend_what_a_friend_may_send(session: Session, ann: str, limits: InvitationLimits) -> None:
    few, ben = replace(limits, per_recipient=1), world.account(session, "Ben")
    address = session.get_one(Account, ben).email
    assert address is not None
    world.match(session, ann, ben)
    for number in range(4):
        stranger = world.account(session, f"Eve {number}")
        table = world.open_table(session, stranger)
        invitations.invite(session, stranger, table, address, few, NOW)
        again = world.open_table(session, stranger)
        assert "You can send an address at most 1 " in _refused(session, stranger, again, address, few).detail
    mailed = len(world.jobs(session, "mail_invitation"))
    late = world.account(session, "Mallory")
    unsent = invitations.invite(session, late, world.open_table(session, late), address, few, NOW)
    assert unsent.state(NOW) == "open" and len(world.jobs(session, "mail_invitation")) == mailed == 4
    invitations.invite(session, ann, world.open_table(session, ann), address, few, NOW)
    assert len(world.jobs(session, "mail_invitation")) == 5


def test_other_spellings_of_an_address_do_not_get_more_invitations(
    session: Session, ann: str, limits: InvitationLimits
) -> None:
    few = replace(limits, per_recipient=1)
    for spelled in ("cat.h@gmail.com", "cat.h+1@gmail.com", "c.ath@gmail.com", "cath@googlemail.com"):
        if spelled.startswith("cat.h@"):
            invitations.invite(session, ann, world.open_table(session, ann), spelled, few, NOW)
        else:
            _refused(session, ann, world.open_table(session, ann), spelled, few)
        stranger = world.account(session, f"Eve {spelled.partition('@')[0]}")
        invitations.invite(session, stranger, world.open_table(session, stranger), spelled, few, NOW)
    assert len(world.jobs(session, "mail_invitation")) == 4


def test_refused_invitations_spend_nothing(session: Session, ann: str, table: str, limits: InvitationLimits) -> None:
    few = replace(limits, per_account=5, per_recipient=2)
    started = world.match(session, ann, world.account(session, "Ben"))
    for _ in range(2):
        invitations.invite(session, ann, world.open_table(session, ann), BEN, few, NOW)
    for _ in range(9):
        _refused(session, ann, table, BEN, few)
        with pytest.raises(Conflict):
            invitations.invite(session, ann, started, "cleo@example.org", few, NOW)
    for number in range(3):
        invitations.invite(session, ann, table, f"guest{number}@example.org", few, NOW)
    assert "You can send at most 5 invitations" in _refused(session, ann, table, "guest3@example.org", few).detail


def test_an_invitation_that_fails_later_spends_nothing(
    session: Session, ann: str, table: str, limits: InvitationLimits
) -> None:
    few = replace(limits, per_account=1)
    session.commit()
    invitations.invite(session, ann, table, BEN, few, NOW)
    session.rollback()
    invitations.invite(session, ann, table, BEN, few, NOW)
    session.commit()
    _refused(session, ann, table, "cleo@example.org", few)


def test_a_link_lets_players_in_until_it_expires() -> None:
    link = InvitationLink(uses=2, used=1, expires_at=NOW)
    assert (link.state(NOW - timedelta(milliseconds=1)), link.state(NOW)) == ("open", "expired")
