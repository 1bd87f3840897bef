"""A change that changes no key locks out nobody who refers to the account or to its tables."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.commands import accounts, imports, reachability, suspensions
from service.store.accounts import Account
from tests.support import world
from tests.support.clock import NOW
from tests.unit.api.test_imports import KITCHEN

CHANGES: dict[str, Callable[[Session, str], object]] = {
    "name": lambda session, account: accounts.change(session, account, {"name": "Zoe"}, NOW),
    "suspended": lambda session, account: suspensions.suspend(session, account, NOW),
    "import": lambda session, account: imports.add(session, account, imports.verified_text(KITCHEN.encode()), NOW),
    "no mail": lambda session, account: reachability.stop(session, session.get_one(Account, account), "5.1.1", NOW),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_others_can_refer_to_what_is_being_changed(
    session: Session, engine: Engine, change: Callable[[Session, str], object]
) -> None:
    ann = world.account(session, "Ann")
    world.open_table(session, ann, seats=3)
    session.commit()
    change(session, ann)
    with Session(engine) as other:
        for table in ("accounts", "tables"):
            assert other.execute(text(f"SELECT FROM {table} FOR KEY SHARE NOWAIT")).all() == [()]
