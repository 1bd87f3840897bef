"""Rematches: who may ask, what is opened, who is invited, and that all who ask get one table."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from engine.clock.terms import PRESETS, Terms
from service.commands import accounts, invitations, rematches, tables
from service.commands.invitation_limits import InvitationLimits
from service.commands.rematches import Rematch
from service.commands.suspensions import suspend
from service.errors import Conflict, Forbidden, LimitReached
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.tables import Table
from tests.support import world
from tests.support.at_once import at_once
from tests.support.clock import NOW
from tests.support.world import KEYS


@pytest.fixture
def people(session: Session) -> list[str]:
    return [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]


@pytest.fixture
def game(session: Session, people: list[str]) -> str:
    """Play a match of the three to its end."""
    return finished(session, *people)


def finished(session: Session, *people: str) -> str:
    game = world.match(session, *people, goal_discs=5)
    world.play_out(session, game)
    return game


def ask(session: Session, account: str, game: str, limits: InvitationLimits, entropy: str = "") -> Rematch:
    return rematches.ask(session, account, game, entropy=entropy, limits=limits, now=NOW)


def invited(session: Session, table: str) -> list[str | None]:
    query = select(Account.email, Invitation.email).join(Account, Account.id == Invitation.account)
    found = session.execute(query.join(Table, Table.key == Invitation.game).where(Table.id == table)).all()
    assert all(shown is None for _, shown in found), "the maker must not learn the addresses"
    return sorted((email for email, _ in found), key=str)


def players(session: Session, table: str) -> list[str]:
    return world.loaded(session, table).accounts


def test_the_first_who_asks_opens_the_same_table_and_all_are_invited(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    found = ask(session, people[1], game, limits, "of Ben")
    old, new = (session.scalars(select(Table).where(Table.id == each)).one() for each in (game, found.table))
    assert found.is_new and new.maker == people[1] and players(session, new.id) == [people[1]]
    for name in ("kind", "seats", "goal_discs", "visibility", "hints"):
        assert getattr(old, name) == getattr(new, name)
    assert world.loaded(session, new.id).players[0].entropy == "of Ben"
    assert invited(session, new.id) == ["ann@example.org", "cleo@example.org"]
    assert len(world.jobs(session, "mail_invitation")) == 2


def test_the_clock_is_the_same(session: Session, people: list[str], limits: InvitationLimits) -> None:
    terms = Terms(PRESETS["week"], quiet=False)
    made = tables.create(
        session,
        people[0],
        tables.TableSettings(
            seats=2, goal_discs=5, visibility="public", terms=terms, abandoned_after=timedelta(days=30)
        ),
        now=NOW,
    )
    world.join(session, people[1], made.id)
    world.play_out(session, made.id)
    table = session.scalars(select(Table).where(Table.id == ask(session, people[1], made.id, limits).table)).one()
    assert (table.clock, table.abandoned_after) == (made.clock, "P30D")


def test_the_others_get_the_same_table_and_a_seat(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    first = ask(session, people[0], game, limits)
    assert ask(session, people[0], game, limits) == Rematch(first.table, is_new=False)
    assert ask(session, people[2], game, limits) == Rematch(first.table, is_new=False)
    assert players(session, first.table) == [people[0], people[2]]
    assert ask(session, people[1], game, limits) == Rematch(first.table, is_new=False)
    assert world.loaded(session, first.table).status == "running"
    assert ask(session, people[1], game, limits).table == first.table
    assert len(world.jobs(session, "mail_invitation")) == 2
    assert all(session.scalars(select(Invitation.used_at)))


def test_asking_for_a_rematch_uses_up_an_open_invitation(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    table = ask(session, people[0], game, limits).table
    mine = session.scalars(select(Invitation).where(Invitation.account == people[1])).one()
    invitations.decline(session, table, world.secret_of(mine), KEYS, NOW)
    ask(session, people[1], game, limits)
    assert players(session, table) == people[:2]
    assert (mine.declined_at, mine.used_at) == (NOW, None)


def test_once_the_table_is_closed_another_can_be_asked_for(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    first = ask(session, people[0], game, limits)
    tables.close(session, people[0], first.table, NOW)
    second = ask(session, people[2], game, limits)
    assert second.is_new and second.table != first.table
    assert invited(session, second.table) == ["ann@example.org", "ben@example.org"]


def test_only_players_of_a_finished_game_ask(session: Session, people: list[str], limits: InvitationLimits) -> None:
    game = world.match(session, *people[:2], goal_discs=5)
    with pytest.raises(Conflict) as running:
        ask(session, people[0], game, limits)
    assert running.value.code == "not_over"
    world.play_out(session, game)
    with pytest.raises(Forbidden):
        ask(session, people[2], game, limits)
    assert ask(session, people[0], game, limits).is_new


def test_deleted_accounts_are_not_invited(session: Session, people: list[str], limits: InvitationLimits) -> None:
    three, two = finished(session, *people), finished(session, *people[:2])
    accounts.delete_account(session, KEYS, people[1], NOW)
    with pytest.raises(Conflict) as refused:
        ask(session, people[0], two, limits)
    assert refused.value.code == "nobody_left"
    table = ask(session, people[0], three, limits).table
    assert invited(session, table) == ["cleo@example.org"] and world.loaded(session, table).table.seats == 3


def test_a_limit_that_is_reached_invites_nobody(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    session.commit()
    few = InvitationLimits(limits.limiter, 1, limits.per_recipient)
    with pytest.raises(LimitReached):
        ask(session, people[0], game, few)
    session.rollback()
    assert world.jobs(session, "mail_invitation") == []
    assert session.scalars(select(Table.rematch).where(Table.id == game)).one() is None


def test_all_who_ask_at_once_get_one_table(engine: Engine, limits: InvitationLimits) -> None:
    with Session(engine) as session:
        people = [world.account(session, name) for name in ("Ann", "Ben", "Cleo", "Dan")]
        game = finished(session, *people)
        session.commit()

    def asking(account: str) -> Rematch:
        with Session(engine) as session, session.begin():
            return ask(session, account, game, limits)

    found = at_once(*(lambda account=account: asking(account) for account in people))
    assert len({each.table for each in found}) == 1 and sum(each.is_new for each in found) == 1
    with Session(engine) as session:
        table = world.loaded(session, found[0].table)
        assert table.status == "running" and {player.account for player in table.players} == set(people)
        assert len(world.jobs(session, "mail_invitation")) == 3


def test_a_suspended_player_is_not_invited(
    session: Session, people: list[str], game: str, limits: InvitationLimits
) -> None:
    suspend(session, people[2], NOW)
    assert invited(session, ask(session, people[1], game, limits).table) == ["ann@example.org"]
