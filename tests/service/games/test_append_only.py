"""Set-ups and the log take inserts only, whoever asks."""

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from tests.service.games import world


@pytest.mark.parametrize("role", ["the owner", "a replica"])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE log SET move = 'resign'",
        "UPDATE log SET at = at WHERE false",
        "DELETE FROM log",
        "TRUNCATE log",
        "UPDATE setups SET header = ''",
        "DELETE FROM setups WHERE false",
        "TRUNCATE setups CASCADE",
    ],
)
def test_the_truth_is_not_changed(session: Session, engine: Engine, change: str, role: str) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    world.move(session, table)
    session.commit()
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT tableowner = current_user FROM pg_tables WHERE tablename = 'log'"))
        if role == "a replica":
            connection.execute(text("SET session_replication_role = replica"))
        with pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(change))
    assert [entry.seq for entry in world.loaded(session, table).entries] == [1]
