"""A primary and its standby, which takes over."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bench.replication import StreamingReplica, replicas
from service.local.postgres import Postgres
from service.store.migrate import upgrade
from service.store.waking import PLACE
from tests.support.running import eventually


class Pair:
    """A primary and its standby.

    Attributes:
        url: the address of both.
    """

    def __init__(self, primary: Postgres, standby: StreamingReplica) -> None:
        self._primary, self._standby = primary, standby
        upgrade(primary.url, primary.service_url)
        told = conninfo_to_dict(primary.service_url)
        hosts = f"{told['host']},{conninfo_to_dict(standby.url(primary.service_url))['host']}"
        self.url = (
            f"postgresql://{told['user']}@/{told['dbname']}?host={quote(hosts, safe=',')}&port=5432,5432"
            "&target_session_attrs=read-write"
        )

    def cut(self) -> None:
        """Have the standby take what there is, and receive nothing more."""
        with psycopg.connect(self._primary.url) as connection:
            [[at]] = connection.execute("SELECT pg_current_wal_insert_lsn()::text")
        eventually(lambda: self._standby.ask(f"SELECT pg_last_wal_replay_lsn() >= '{at}'::pg_lsn") is True)
        self._standby.run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        eventually(lambda: self._standby.ask("SELECT count(*) FROM pg_stat_wal_receiver") == 0)

    def place_events(self) -> None:
        """Give events their positions, as the worker does."""
        with psycopg.connect(self.url) as connection:
            connection.execute(PLACE)

    def take_over(self) -> None:
        """Have the standby take the place of the primary, which is killed."""
        self.lose_primary()
        self.promote()

    def lose_primary(self) -> None:
        """Kill the primary; the standby still follows nobody and only reads."""
        self._primary.stop(0)

    def promote(self) -> None:
        """Have the standby become the primary."""
        assert self._standby.ask("SELECT pg_promote()") is True

    def return_of_the_former(self) -> None:
        """Start the former primary again, which does not know that it was replaced."""
        self._primary.start()


@contextmanager
def pair() -> Iterator[Pair]:
    """Run a primary with the tables of the service, and its standby, during the block."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-promotions-"))
    folder.chmod(0o711)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        primary = stack.enter_context(Postgres(folder / "primary"))
        assert primary.process is not None
        (standby,) = stack.enter_context(replicas(primary.url, primary.process.pid, folder))
        yield Pair(primary, standby)
