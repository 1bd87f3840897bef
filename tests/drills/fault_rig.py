"""The services that faults are tried on.

One is run by `novaluna up`, one is on a small disk, and one has a database, a relay and a clock that we control.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from service.local.account import postgres_account
from service.local.binaries import prepare
from service.local.cluster import DATABASE, USER
from service.local.postgres import Postgres
from tests.drills import checks
from tests.drills.client import Game
from tests.drills.clients import Clients
from tests.drills.database_proxy import DatabaseProxy
from tests.drills.deadlines import Deadlines
from tests.drills.hanging_relay import HangingRelay, hanging
from tests.drills.service import Service, open_folder, running_service
from tests.drills.stepped_clock import SteppedClock, bin_folder, clear_up, library

MACHINE = "tests.drills.machine"
"""The module that stands for a machine."""

KEY = "a-key-of-the-drill-with-no-less-than-32-characters"


@dataclass
class FaultRig:
    """A service, the games on it, and the means to break it.

    Attributes:
        services: one or more on one database.
        in_full: whether faults take their full time; otherwise time passes faster for the queue.
        disk: the folder of Postgres' small disk.
        proxy, relay: the proxy to Postgres, and the relay that receives the mails.
        clocks: the clock of Postgres, and that of everything else.
        deadlines: games whose clocks run out while faults strike; none where clocks are stepped.
        doubles: how many mails may have been sent twice by now.
        figures: by fault: the rounds, and the longest response time in seconds.
    """

    services: list[Service]
    clients: Clients
    in_full: bool
    disk: Path | None = None
    proxy: DatabaseProxy | None = None
    relay: HangingRelay | None = None
    clocks: tuple[SteppedClock, SteppedClock] | None = None
    deadlines: Deadlines | None = None
    doubles: int = 0
    figures: dict[str, tuple[int, float]] = field(default_factory=dict)
    _begun: float = field(default_factory=time.monotonic)
    _settled: set[str] = field(default_factory=set)

    @property
    def service(self) -> Service:
        """The first service."""
        return self.services[0]

    def check(self) -> None:
        """Check everything that must hold after any fault."""
        games = list(self.clients.games)
        checks.check_answers(self._open(games), [service.running.address for service in self.services])
        checks.check_log(self.service, self._open(games), sum(len(game.acknowledged) for game in games))
        if self.deadlines is not None:
            self.deadlines.check()
        self.service.await_empty_queue(hurried=True)
        self.check_mails(self._open(games))
        self.service.check_records()
        checks.check_workers(self.services)
        self._settled |= {game.id for game in self._open(games) if game.get().json()["status"] == "finished"}

    def check_mails(self, games: list[Game]) -> None:
        """Check the mails about these games."""
        excused = frozenset(self.relay.unacknowledged) if self.relay else frozenset[str]()
        checks.check_mails(self.service, games, self.doubles, excused)

    def finish(self) -> None:
        """Play all games to their end, and check everything again."""
        self.clients.play_to_the_end()
        self.check()
        assert {game.get().json()["status"] for game in self.clients.games} == {"finished"}

    def tell(self, what: str) -> None:
        """Print the figures."""
        mails = self.service.mailbox.mails_by_name()
        games = self.clients.games
        moves = sum(len(game.acknowledged) for game in games)
        seconds = time.monotonic() - self._begun
        print(f"{what}: {seconds:.0f} s, {len(games)} games, {moves} moves, {mails.total()} mails,")
        print(f"of which {mails.total() - len(mails)} came again ({self.doubles} might have). Answers:")
        print(", ".join(f"{status}: {number}" for status, number in sorted(self.clients.api.statuses.items(), key=str)))
        if self.deadlines is not None:
            print(f"{self.deadlines.taken} steps of clocks, the latest {self.deadlines.latest:.1f} s after it was due")
        for name, (number, longest) in sorted(self.figures.items()):
            print(f"{longest:6.2f} s for the longest answer  {name} ({number} times)")

    def _open(self, games: list[Game]) -> list[Game]:
        """Return the games that had not ended, with all their mails, at the last check."""
        return [game for game in games if game.id not in self._settled]


@contextmanager
def alone(in_full: bool) -> Iterator[FaultRig]:
    """Yield a service that `novaluna up` runs."""
    with running_service() as service:
        yield _inhabited(service, in_full)


@contextmanager
def small_disk(megabytes: int) -> Iterator[FaultRig]:
    """Yield a service that `novaluna up` runs, with Postgres on a file system of its own in memory.

    Raises:
        PermissionError: it cannot be mounted.
    """
    with open_folder() as folder, ExitStack() as stack:
        disk = folder / "data" / "postgres"
        disk.mkdir(parents=True)
        account = postgres_account()
        told = f"size={megabytes}m,mode=0700,uid={account.uid},gid={account.gid}"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", told, "nova-luna-drill", str(disk)],
            capture_output=True,
            text=True,
            check=False,
        )
        if mounted.returncode != 0:
            raise PermissionError(f"a small disk can't be mounted: {mounted.stderr.strip()}")
        stack.callback(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
        service = Service(folder)
        stack.callback(service.stop)
        rig = _inhabited(service, True)
        rig.disk = disk
        yield rig


@contextmanager
def in_our_hands(in_full: bool, *, with_clocks: bool = False) -> Iterator[FaultRig]:
    """Yield a machine as the Procfile describes it, with its Postgres behind a proxy, and a relay.

    With `with_clocks`, it has clocks that can be stepped if libfaketime is installed. That library holds a lock
    whenever a thread asks for the time, so a worker sends an eighth of the mails with it.
    """
    with open_folder() as folder, ExitStack() as stack:
        stack.callback(clear_up)
        found = library() if with_clocks else None
        clocks = (
            (SteppedClock(folder / "clock.postgres", found), SteppedClock(folder / "clock", found)) if found else None
        )
        programs = None
        if clocks is not None:
            wheel = prepare(None, folder / "programs", postgres_account())
            programs = bin_folder(folder / "bin", wheel.folder, clocks[0])
        postgres = stack.enter_context(Postgres(folder / "postgres", bin_folder=programs))
        proxy = DatabaseProxy(folder / "proxy", Path(str(conninfo_to_dict(postgres.url)["host"])))
        relay = stack.enter_context(hanging())
        service = Service(
            folder,
            environ={
                **(clocks[1].environ if clocks else {}),
                "DATABASE_URL": f"postgresql://{USER}@/{DATABASE}?host={folder / 'proxy'}",
                "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
                "NOVALUNA_SECRET_KEY": KEY,
                "NOVALUNA_DATA": str(folder / "data"),
            },
            mailbox=relay,
            database_url=postgres.url,
            program=(MACHINE,),
        )
        stack.callback(service.stop)
        rig = _inhabited(service, in_full)
        rig.proxy, rig.relay, rig.clocks = proxy, relay, clocks
        if clocks is not None:
            rig.deadlines = None
        yield rig


def _inhabited(service: Service, in_full: bool) -> FaultRig:
    clients = Clients(service.api, service.sign_up(6), 15 if in_full else 5)
    return FaultRig([service], clients, in_full, deadlines=Deadlines(service))
