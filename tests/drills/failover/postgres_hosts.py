"""Three hosts, each with etcd, Patroni and a Postgres, as docs/OPERATING.md describes them."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
import yaml

from service.local.account import SystemAccount, postgres_account
from tests.drills.failover import steps
from tests.drills.failover.network import Host, Network
from tests.support.running import eventually

DATABASE = "nova"
OWNER, SERVICE = "nova_owner", "nova_service"
PASSWORD = "of-the-drill"

STARTED = 90.0
"""Seconds within which the hosts have a primary, and two standbys, after a start."""

PATRONI_YML = Path(__file__).parents[3] / "ops" / "patroni" / "patroni.yml"
"""The configuration that is shipped for hosts."""

_PROGRAMS = ("etcd", "patroni")
_BINS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
POSTGRES_BIN = _BINS[-1] if _BINS else Path("/usr/lib/postgresql/15/bin")
"""The folder of Postgres' programs."""


def missing() -> str | None:
    """Return a sentence that names what is not installed here, or None."""
    lacking = [name for name in _PROGRAMS if shutil.which(name) is None]
    if not lacking and _BINS:
        return None
    return "needs etcd, Patroni and Postgres: apt-get install etcd-server patroni python3-etcd postgresql"


@dataclass
class PostgresHosts:
    """The hosts of the database.

    Attributes:
        hosts: the hosts.
        synchronous: whether a commit waits for a standby.
    """

    hosts: list[Host]
    synchronous: bool

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return the `DATABASE_URL` for a role: all hosts, of which libpq takes the one that accepts writes."""
        hosts = ",".join(f"{host.address}:5432" for host in self.hosts)
        return f"postgresql://{role}:{PASSWORD}@{hosts}/{database}?target_session_attrs=read-write"

    def primary(self) -> Host | None:
        """Return the host that has the leader's lock and accepts writes, as Patroni says, or None."""
        for host in self.hosts:
            if _asked(host, "/primary") == 200:
                return host
        return None

    def await_primary(self) -> Host:
        """Wait until there is a primary, and return it."""
        eventually(self.primary, STARTED, every=0.2)
        found = self.primary()
        return found if found is not None else self.await_primary()

    def standbys(self) -> list[Host]:
        """Return the hosts whose Postgres runs as a standby."""
        return [host for host in self.hosts if _asked(host, "/replica") == 200]

    def await_all(self) -> None:
        """Wait until there is a primary, two standbys stream from it, and one of them is synchronous if asked for."""

        def are_all() -> bool:
            if self.primary() is None or len(self.standbys()) != len(self.hosts) - 1:
                return False
            try:
                with psycopg.connect(self.url("postgres", "postgres"), connect_timeout=3) as connection:
                    states = [state for (state,) in connection.execute(_STATES).fetchall()]
            except psycopg.Error:
                return False
            wanted = "sync" if self.synchronous else "async"
            return len(states) == len(self.hosts) - 1 and wanted in states

        eventually(are_all, STARTED, every=0.3)

    def patronictl(self, *command: str) -> str:
        """Run the program of Patroni's administrators."""
        host = self.hosts[0]
        return host.run(("patronictl", "-c", str(host.folder / "patroni.yml"), *command))


_STATES = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"


def postgres_hosts(network: Network, *, synchronous: bool = True, count: int = 3) -> PostgresHosts:
    """Make the hosts in a network, start everything, and make the database and its roles."""
    said = missing()
    if said is not None:
        pytest.skip(said)
    account = postgres_account()
    hosts = [network.add(f"pg{number}") for number in range(1, 1 + count)]
    for host in hosts:
        _install(host, hosts, account, synchronous)
        host.boot()
    made = PostgresHosts(hosts, synchronous)
    made.await_all()
    with psycopg.connect(made.url("postgres", "postgres"), autocommit=True) as connection:
        for statement in steps.roles(PASSWORD):
            connection.execute(statement.encode())
    return made


def _install(host: Host, hosts: list[Host], account: SystemAccount, synchronous: bool) -> None:
    """Write the configuration of a host's programs, and say how they are started."""
    for folder in ("etcd", "postgres"):
        (host.folder / folder).mkdir(mode=0o700)
        shutil.chown(host.folder / folder, account.uid, account.gid)
    shutil.chown(host.folder, account.uid, account.gid)
    told = _configuration(host, hosts, synchronous)
    (host.folder / "patroni.yml").write_text(yaml.safe_dump(told))
    etcd = steps.etcd(host, hosts, host.folder / "etcd")
    patroni = ("patroni", str(host.folder / "patroni.yml"))

    def boot() -> None:
        host.keep_running(("etcd",), account=account, environ=etcd)
        host.keep_running(patroni, account=account, environ={"PGBACKREST_CONFIG": str(host.folder / "pgbackrest.conf")})

    host.boot = boot


def data_folder(host: Host) -> Path:
    """Return the folder of a host's Postgres."""
    return host.folder / "postgres" / "data"


def _configuration(host: Host, hosts: list[Host], synchronous: bool) -> Mapping[str, Any]:
    """Return the shipped configuration with the names, addresses and folders of a host."""
    told: dict[str, Any] = yaml.safe_load(PATRONI_YML.read_text())
    told["name"] = host.name
    told["restapi"] |= {"listen": f"{host.address}:8008", "connect_address": f"{host.address}:8008"}
    told["etcd"]["hosts"] = [f"{other.address}:2379" for other in hosts]
    dcs = told["bootstrap"]["dcs"]
    dcs["synchronous_mode"] = dcs["synchronous_mode_strict"] = synchronous
    postgres = told["postgresql"]
    postgres |= {
        "listen": f"{host.address}:5432",
        "connect_address": f"{host.address}:5432",
        "data_dir": str(data_folder(host)),
        "bin_dir": str(POSTGRES_BIN),
        "pgpass": str(host.folder / "pgpass"),
    }
    postgres["parameters"]["unix_socket_directories"] = str(host.folder / "postgres")
    # Its account has another name here than the role `postgres`; nobody else can enter the folder of the socket.
    postgres["pg_hba"] = [line.replace("local all all peer", "local all all trust") for line in postgres["pg_hba"]]
    for of_role in postgres["authentication"].values():
        of_role["password"] = PASSWORD
    return told


def _asked(host: Host, path: str) -> int | None:
    """Return the status with which a host's Patroni answers, or None if it does not."""
    try:
        return httpx.get(f"http://{host.address}:8008{path}", timeout=2.0, trust_env=False).status_code
    except httpx.TransportError:
        return None
