"""Set-ups, the log and the checkpoints take inserts only, from every role."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tests.support import world

CHANGES = (
    "UPDATE log SET move = 'resign'",
    "UPDATE log SET at = at WHERE false",
    "DELETE FROM log",
    "TRUNCATE log",
    "UPDATE setups SET header = ''",
    "DELETE FROM setups WHERE false",
    "TRUNCATE setups CASCADE",
    *(
        change
        for name in ("logs", "keys", "closings", "batches", "notes", "tiles", "leaves")
        for change in (
            f"UPDATE checkpoint_{name} SET log = log WHERE false",
            f"DELETE FROM checkpoint_{name}",
            f"TRUNCATE checkpoint_{name} CASCADE",
        )
    ),
)


def test_the_truth_is_not_changed_by_its_owner_nor_in_a_replica(session: Session, owner: Engine) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    world.move(session, table)
    session.commit()
    with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert connection.scalar(text("SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'log'"))
        for role in ("origin", "replica"):
            connection.execute(text(f"SET session_replication_role = {role}"))
            for change in CHANGES:
                with pytest.raises(DBAPIError, match="append-only"):
                    connection.execute(text(change))
    assert [entry.seq for entry in world.loaded(session, table).entries] == [1]
