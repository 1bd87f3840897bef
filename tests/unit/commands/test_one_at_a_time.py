"""Who has limits does one thing at a time, so that what is counted is all that there is."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from service.commands import players, quiet_times, tables
from service.commands.account_limits import AccountLimits
from service.commands.invitation_limits import InvitationLimits
from service.commands.tables import TableSettings
from service.config import Settings
from service.store.accounts import Account
from tests.support import world
from tests.support.clock import NOW
from tests.support.world import KEYS

Do = Callable[[Session, str, str, AccountLimits | None], None]


def opens(session: Session, account: str, table: str, bounds: AccountLimits | None) -> None:
    settings = TableSettings(seats=2, goal_discs=20, visibility="public")
    tables.create(session, account, settings, now=NOW, bounds=bounds)


def joins(session: Session, account: str, table: str, bounds: AccountLimits | None) -> None:
    players.join(session, account, table, invitation=None, entropy="", keys=KEYS, now=NOW, bounds=bounds)


@pytest.mark.parametrize("is_limited", [False, True])
@pytest.mark.parametrize("do", [opens, joins])
def test_who_has_limits_does_one_thing_at_a_time(
    engine: Engine, session: Session, limits: InvitationLimits, do: Do, is_limited: bool
) -> None:
    ann, table = world.account(session, "Ann"), world.open_table(session, world.account(session, "Ben"), seats=3)
    session.commit()
    settings = Settings(database_url="", secret_keys=KEYS)
    do(session, ann, table, AccountLimits(settings, limits.limiter) if is_limited else None)
    alone = select(Account.id).where(Account.id == ann).with_for_update(key_share=True, skip_locked=True)
    with Session(engine) as other:
        assert other.scalar(alone) == (None if is_limited else ann)


def test_who_changes_quiet_times_holds_up_other_changes_alone(engine: Engine, session: Session) -> None:
    ann = world.account(session, "Ann")
    session.commit()
    quiet_times.change(session, ann, "Europe/Berlin", None, NOW)
    rows = select(Account.id).where(Account.id == ann)
    with Session(engine) as other:
        assert other.scalar(rows.with_for_update(key_share=True, skip_locked=True)) is None
        assert other.scalar(rows.with_for_update(read=True, key_share=True, skip_locked=True)) == ann
