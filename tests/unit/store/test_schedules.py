"""The changes of an account's zone and quiet times, as they are stored."""

from datetime import timedelta

from sqlalchemy.orm import Session

from service.store import schedules
from tests.support import world
from tests.support.clock import NOW


def test_the_last_of_many_changes_are_returned(session: Session) -> None:
    account = world.account(session, "Ann")
    times = [NOW + timedelta(days=day) for day in range(4)]
    for each in reversed(times):
        schedules.add(session, account, "Europe/Paris", None, each)
    assert schedules.changes(session, account, 2) == times[-2:]
