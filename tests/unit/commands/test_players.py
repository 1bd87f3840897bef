"""Joining, leaving and closing a table: each refusal has its own code."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy.orm import Session

from service.commands import invitations, players, tables
from service.commands.invitation_limits import InvitationLimits
from service.errors import Conflict, Forbidden, NotFound, Refusal
from tests.support import world
from tests.support.clock import NOW
from tests.support.world import KEYS


@pytest.fixture
def ann(session: Session) -> str:
    return world.account(session, "Ann")


@pytest.fixture
def ben(session: Session) -> str:
    return world.account(session, "Ben")


@pytest.fixture
def cleo(session: Session) -> str:
    return world.account(session, "Cleo")


def code_of(refusal: pytest.ExceptionInfo[Refusal]) -> str:
    return refusal.value.code


def test_each_way_not_to_be_let_in_has_its_code(session: Session, ann: str, ben: str, cleo: str) -> None:
    table = world.open_table(session, ann)
    with pytest.raises(Conflict) as refused:
        world.join(session, ann, table)
    assert code_of(refused) == "already_seated"
    world.join(session, ben, table)
    with pytest.raises(Conflict) as refused:
        world.join(session, cleo, table)
    assert code_of(refused) == "already_started" and refused.value.members == {"version": 0}
    with pytest.raises(Conflict) as refused:
        players.give_entropy(session, ann, table, "late")
    assert code_of(refused) == "already_started"
    closed = world.open_table(session, ann)
    tables.close(session, ann, closed, NOW)
    with pytest.raises(Conflict) as refused:
        world.join(session, ben, closed)
    assert code_of(refused) == "table_closed"
    with pytest.raises(NotFound) as missing:
        world.join(session, ben, "nothing")
    assert code_of(missing) == "not_found"


def test_a_freed_seat_is_given_again(session: Session, ann: str, ben: str, cleo: str) -> None:
    table = world.open_table(session, ann, seats=4)
    world.join(session, ben, table)
    world.join(session, cleo, table)
    players.leave(session, ben, table, NOW)
    assert [player.seat for player in world.loaded(session, table).players] == [0, 2]
    world.join(session, ben, table)
    assert world.loaded(session, table).seat_of(ben) == 1


def test_the_maker_puts_a_player_out(session: Session, ann: str, ben: str, cleo: str) -> None:
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    with pytest.raises(Forbidden) as refused:
        players.remove_player(session, ben, table, 0, NOW)
    assert code_of(refused) == "not_the_maker"
    with pytest.raises(NotFound) as missing:
        players.remove_player(session, ann, table, 2, NOW)
    assert code_of(missing) == "no_such_player"
    players.remove_player(session, ann, table, 1, NOW)
    assert world.loaded(session, table).seat_of(ben) is None


def test_a_leaving_maker_closes_the_table_and_the_others_hear_of_it(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    players.leave(session, ann, table, NOW)
    closed = world.loaded(session, table)
    assert closed.status == "closed" and closed.table.closed_because == "maker"
    assert world.jobs(session, "mail_closed") == [{"game": table, "account": ben}]
    with pytest.raises(Conflict) as refused:
        players.leave(session, ben, table, NOW)
    assert code_of(refused) == "table_closed"


def test_only_the_maker_closes_and_only_before_the_start(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann)
    with pytest.raises(Forbidden):
        tables.close(session, ben, table, NOW)
    world.join(session, ben, table)
    with pytest.raises(Conflict) as refused:
        tables.close(session, ann, table, NOW)
    assert code_of(refused) == "already_started"


def test_an_account_without_a_seat_can_do_nothing(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann)
    attempts: tuple[Callable[[], object], ...] = (
        lambda: players.leave(session, ben, table, NOW),
        lambda: players.give_entropy(session, ben, table, "mine"),
    )
    for attempt in attempts:
        with pytest.raises(Forbidden) as refused:
            attempt()
        assert code_of(refused) == "not_at_the_table"


def test_the_text_for_the_draw_can_be_changed_until_the_start(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann)
    players.give_entropy(session, ann, table, "first")
    players.give_entropy(session, ann, table, "second")
    world.join(session, ben, table)
    header = world.loaded(session, table).header
    assert header is not None and header["draw"]["entropy"] == ["second", ""]


def test_a_private_table_is_unknown_without_an_invitation(session: Session, ann: str, ben: str) -> None:
    table = world.open_table(session, ann, visibility="private")
    for invitation in (None, "x" * 43):
        with pytest.raises(NotFound) as missing:
            world.join(session, ben, table, invitation=invitation)
        assert code_of(missing) == "not_found"
    loaded = world.loaded(session, table)
    assert loaded.may_be_read_by(ann) and not loaded.may_be_read_by(ben) and not loaded.may_be_read_by(None)


def test_tables_that_never_start_close_after_thirty_days(session: Session, ann: str, ben: str) -> None:
    forgotten = world.open_table(session, ann, seats=3)
    world.join(session, ben, forgotten)
    running = world.match(session, ann, ben)
    alone = tables.create(
        session, ann, tables.TableSettings(seats=1, goal_discs=21, visibility="private", kind="solo"), now=NOW
    ).id
    assert tables.close_expired(session, NOW + timedelta(days=30, seconds=-1), 10) == 0
    assert tables.close_expired(session, NOW + timedelta(days=30), 10) == 2
    assert tables.close_expired(session, NOW + timedelta(days=30), 10) == 0
    assert world.loaded(session, forgotten).table.closed_because == "expired"
    assert world.loaded(session, alone).status == "closed"
    assert world.loaded(session, running).status == "running"
    assert world.jobs(session, "mail_closed") == [{"game": forgotten, "account": who} for who in (ann, ben)]


def test_a_deleted_account_gets_no_seat(session: Session, ann: str, ben: str) -> None:
    from service.store.accounts import Account

    table = world.open_table(session, ann)
    session.get_one(Account, ben).erased_at = NOW
    session.flush()
    with pytest.raises(Refusal) as refused:
        world.join(session, ben, table)
    assert code_of(refused) == "account_gone"


def test_an_invitation_lets_in_once(session: Session, ann: str, ben: str, cleo: str, limits: InvitationLimits) -> None:
    table = world.open_table(session, ann, seats=4, visibility="private")
    invitation = invitations.invite(session, ann, table, "ben@example.org", limits, NOW)
    secret = world.secret_of(invitation)
    world.join(session, ben, table, invitation=secret)
    assert world.loaded(session, table).seat_of(ben) == 1
    with pytest.raises(Conflict) as refused:
        players.join(session, cleo, table, invitation=secret, entropy="", keys=KEYS, now=NOW)
    assert code_of(refused) == "invitation_used"
