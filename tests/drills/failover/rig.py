"""Everything that faults of several hosts are tried on, and what must hold after each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

import httpx

from tests.drills.client import Api
from tests.drills.clients import Clients
from tests.drills.deadlines import Deadlines
from tests.drills.failover import service_hosts
from tests.drills.failover.correspondence import Correspondence
from tests.drills.failover.followers import Streams, streaming
from tests.drills.failover.losses import LosingClients, LosingRig
from tests.drills.failover.network import GATE, Host, network
from tests.drills.failover.postgres_hosts import SERVICE, PostgresHosts, postgres_hosts
from tests.drills.failover.service_hosts import HostedService
from tests.drills.fault_rig import FaultRig
from tests.drills.hanging_relay import hanging
from tests.drills.service import open_folder

SERVICES = 2


@dataclass
class Site:
    """The hosts, the games that are played on them, and the figures.

    Attributes:
        databases, services, front: the hosts.
        fault_rig: the games, and the checks after each fault.
        streams: the streams of the players.
        letters: the mails of a player to the receivers.
        round: the number of the fault that strikes.
        pauses: by fault: the longest time without an accepted move, in seconds, of each round.
    """

    databases: PostgresHosts
    services: list[HostedService]
    front: Host
    fault_rig: FaultRig
    streams: Streams
    letters: Correspondence
    round: int = 0
    pauses: dict[str, list[float]] = field(default_factory=dict)

    def etcd_leader(self) -> Host:
        """Return the host whose etcd leads the others."""
        for host in self.databases.hosts:
            try:
                told = httpx.post(f"http://{host.address}:2379/v3/maintenance/status", json={}, trust_env=False).json()
            except httpx.TransportError:
                continue
            if told["leader"] == told["header"]["member_id"]:
                return host
        raise AssertionError("no etcd leads")

    def epoch(self) -> str:
        """Return the epoch of the database."""
        with self.fault_rig.service.database() as connection:
            row = connection.execute("SELECT value FROM epoch").fetchone()
        assert row is not None
        return str(row[0])

    def tell(self) -> None:
        """Print the longest times without an accepted move."""
        everything = [pause for some in self.pauses.values() for pause in some]
        print(f"{len(self.letters.accepted)} mails were accepted by the receivers")
        for name, some in [*sorted(self.pauses.items()), ("all", everything)]:
            print(f"{median(some):6.1f} s p50, {max(some):6.1f} s at most without a move  {name} ({len(some)} times)")


@contextmanager
def site(games: int, *, synchronous: bool = True) -> Iterator[Site]:
    """Yield a site on which a number of games is played at once; skip the calling test if something is not installed.

    One host of the service finds the primary by libpq, which is given all hosts, the other one through HAProxy.
    """
    with open_folder("failover") as folder, network(folder) as made, hanging(GATE) as relay:
        service_hosts.require()
        databases = postgres_hosts(made, synchronous=synchronous)
        hosts = [made.add(f"app{number}") for number in range(1, 1 + SERVICES)]
        front = service_hosts.front(made, databases, hosts)
        base_url = service_hosts.front_address(front)
        urls = (databases.url(SERVICE), service_hosts.database_through(front))
        services = [
            HostedService(host, databases, url, relay, GATE, base_url) for host, url in zip(hosts, urls, strict=True)
        ]
        api = Api(base_url)
        try:
            kind, clients = (FaultRig, Clients) if synchronous else (LosingRig, LosingClients)
            people = services[0].sign_up(6)
            fault_rig = kind(list(services), clients(api, people, games), in_full=True, relay=relay)
            fault_rig.deadlines = Deadlines(services[0])
            letters = Correspondence(api, people[:2], relay, [each.address for each in hosts])
            addresses = (base_url, *(service.running.address for service in services))
            with streaming(fault_rig.clients, addresses) as streams:
                try:
                    yield Site(databases, services, front, fault_rig, streams, letters)
                finally:
                    letters.stop()
        finally:
            api.close()
            for service in services:
                service.stop()


def longest_pause(moments: list[float], begun: float, ended: float) -> float:
    """Return the longest time without a move between two moments, in seconds."""
    within = [begun, *(moment for moment in moments if begun < moment < ended), ended]
    return max(later - earlier for earlier, later in pairwise(within))


def now() -> float:
    """Return the time by the clock that `Api.accepted` uses."""
    return time.monotonic()
