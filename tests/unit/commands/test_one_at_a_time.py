"""Who has limits does one thing at a time, so that what is counted is all that there is."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from service.commands import players, quiet_times, rematches, tables, talk
from service.commands.account_limits import AccountLimits
from service.commands.invitation_limits import InvitationLimits
from service.commands.tables import TableSettings
from service.config import Settings
from service.store.accounts import Account
from tests.support import world
from tests.support.clock import NOW
from tests.support.world import KEYS

Do = Callable[[Session, str, InvitationLimits, AccountLimits | None], object]


def opens(session: Session, account: str, limits: InvitationLimits, bounds: AccountLimits | None) -> None:
    settings = TableSettings(seats=2, goal_discs=20, visibility="public")
    tables.create(session, account, settings, now=NOW, bounds=bounds)


def joins(session: Session, account: str, limits: InvitationLimits, bounds: AccountLimits | None) -> None:
    table = world.open_table(session, world.account(session, "Ben"), seats=3)
    players.join(session, account, table, invitation=None, entropy="", keys=KEYS, now=NOW, bounds=bounds)


def sits_at_a_rematch(session: Session, account: str, limits: InvitationLimits, bounds: AccountLimits | None) -> None:
    """Ask for a rematch for which another player has opened the table."""
    other = world.account(session, "Ben")
    game = world.match(session, account, other, goal_discs=5)
    world.play_out(session, game)
    rematches.ask(session, other, game, entropy="", limits=limits, now=NOW)
    session.commit()
    rematches.ask(session, account, game, entropy="", limits=limits, now=NOW, bounds=bounds)


def is_held(engine: Engine, account: str, *, against_references: bool = False) -> bool:
    """Return whether an account is locked against changes, or even against new rows that refer to it."""
    row = select(Account.id).where(Account.id == account)
    with Session(engine) as other:
        return other.scalar(row.with_for_update(read=against_references, key_share=True, skip_locked=True)) is None


@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("do", [opens, joins, sits_at_a_rematch])
def test_an_account_with_limits_does_one_thing_at_a_time(
    engine: Engine, session: Session, limits: InvitationLimits, do: Do, is_limited: bool
) -> None:
    ann = world.account(session, "Ann")
    session.commit()
    settings = Settings(database_url="", secret_keys=KEYS)
    do(session, ann, limits, AccountLimits(settings, limits.limiter) if is_limited else None)
    assert is_held(engine, ann) == is_limited


def test_a_note_holds_up_the_other_notes_of_its_writer(engine: Engine, session: Session) -> None:
    ann = world.account(session, "Ann")
    game = world.match(session, ann, world.account(session, "Ben"))
    session.commit()
    talk.note(session, game, ann, "Take 17.", NOW)
    assert is_held(engine, ann)


def test_a_change_of_quiet_times_holds_up_other_changes_alone(engine: Engine, session: Session) -> None:
    ann = world.account(session, "Ann")
    session.commit()
    quiet_times.change(session, ann, "Europe/Berlin", None, NOW)
    assert is_held(engine, ann) and not is_held(engine, ann, against_references=True)
