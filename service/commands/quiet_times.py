"""Change an account's time zone and quiet times (CLOCKS.md 3)."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.phrases import phrase
from service.clocks import quiet_times
from service.clocks.quiet_times import CHANGES_WITHIN, MOST_CHANGES
from service.clocks.zones import known
from service.commands.clock_refusals import refusing
from service.errors import LimitReached, Policy
from service.queries import running_clocks
from service.queries.quiet_times import QuietTimes, quiet_times_of
from service.store import due_games, schedules
from service.store.accounts import Account
from service.store.callers import KnownAccount

_POLICY = Policy("quiet-times-per-account", MOST_CHANGES, int(CHANGES_WITHIN.total_seconds()))


def change(session: Session, account: str, zone: str | None, quiet: list[Any] | None, now: datetime) -> QuietTimes:
    """Set an account's zone and its quiet times; None leaves one as it is.

    Returns:
        both, as they are now, and the running games in which the former ones still count (3.4).

    Raises:
        Malformed: the zone does not exist, or the windows are wrong or too long together (`too_much_quiet`).
        LimitReached: they have been changed too often (`too_often`).
    """
    query = select(Account).where(Account.id == account).with_for_update(key_share=True)
    held = session.scalars(query.execution_options(populate_existing=True)).one()
    valid = known(held.zone) if zone is None else zone
    windows = (held.quiet or []) if quiet is None else quiet
    with refusing():
        schedule = quiet_times.parse(windows, valid)
    allowed_at = quiet_times.next_change(schedules.changes(session, account, MOST_CHANGES), now)
    if allowed_at is not None:
        why = phrase("Zone and quiet times can be changed %(most)s times in any 30 days.", most=MOST_CHANGES)
        wait = max(1, math.ceil((allowed_at - now).total_seconds()))
        raise LimitReached("too_often", why, retry_after=wait, policy=_POLICY)
    held.zone, held.quiet = held.zone if zone is None else zone, quiet_times.to_json(schedule) or None
    session.flush()
    schedules.add(session, account, held.zone, held.quiet, now)
    games = running_clocks.of_account(session, account)
    due_games.touch(session, [game.key for game in games], now)
    due_games.changed(session, [game.key for game in games], visibly=False)
    found = quiet_times_of(session, KnownAccount(account))
    assert found is not None, "the account is there"
    return found
