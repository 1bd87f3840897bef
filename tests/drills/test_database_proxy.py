"""The proxy that the fault drill cuts.

Before a commit nothing is written, after it everything is, and the client cannot tell.
"""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from service.local.postgres import Postgres
from tests.drills.database_proxy import AFTER, BEFORE, MOVES, DatabaseProxy

INSERT = "INSERT INTO log VALUES (%s)"

WAYS = ("by itself", "by itself, prepared", "in a transaction", "in a transaction, prepared")


@pytest.fixture
def own(postgres: Postgres) -> Iterator[psycopg.Connection[TupleRow]]:
    """Yield a connection that bypasses the proxy; its database has nothing but an empty table."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute("CREATE TABLE log (seq integer)")
        yield connection
        connection.execute("DROP TABLE log")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("when", "written"), [(BEFORE, 0), (AFTER, 1)])
def test_a_commit_is_cut(
    postgres: Postgres, own: psycopg.Connection[TupleRow], open_folder: Path, way: str, when: str, written: int
) -> None:
    told = conninfo_to_dict(postgres.url)
    proxy = DatabaseProxy(open_folder / "proxy", Path(str(told["host"])))
    through = psycopg.connect(
        make_conninfo(postgres.url, host=str(open_folder / "proxy")), autocommit="by itself" in way, prepare_threshold=0
    )
    prepare = "prepared" in way
    for seq in (1, 2):
        through.execute(INSERT, [seq], prepare=prepare)
        if not through.autocommit:
            through.commit()
    proxy.cut(MOVES, when, 1)
    with pytest.raises(psycopg.OperationalError):
        through.execute(INSERT, [3], prepare=prepare)
        through.commit()
    assert proxy.left == 0
    assert own.execute("SELECT count(*) FROM log").fetchone() == (2 + written,)
    through.close()
    proxy.part()
