"""The faults of several hosts: each strikes while games are played, and is over when its function returns."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import NamedTuple

from tests.drills.failover.network import Host, send_to
from tests.drills.failover.rig import Site
from tests.drills.fault_rig import MACHINE
from tests.support.running import eventually

LONG = 25.0
"""Seconds for which something is stopped or cut off: longer than Patroni lets a primary be silent."""

_ALONE = 10
"""Moves that only a primary has which is about to fail."""


class Fault(NamedTuple):
    """A fault, and how many mails may be sent twice because of it, for each worker that it strikes."""

    name: str
    strike: Callable[[Site], None]
    workers: int = 0


def _await_other(site: Site, host: Host) -> None:
    """Wait until another host than this one has the primary."""
    eventually(lambda: site.databases.primary() not in (None, host), 60.0, every=0.2)


def kill_postgres(site: Site) -> None:
    """Kill the primary's Postgres, which Patroni starts again, or another one takes its place."""
    site.databases.await_primary().kill("bin/postgres -D")


def cut_power_of_primary(site: Site) -> None:
    """Kill everything on the primary's host, and start it again when another host has taken over."""
    host = site.databases.await_primary()
    host.crash()
    _await_other(site, host)
    host.boot()


def cut_power_of_standby(site: Site) -> None:
    """Kill everything on the host of the synchronous standby, and start it again."""
    primary = site.databases.await_primary()
    host = next(host for host in site.databases.hosts if host is not primary)
    host.crash()
    time.sleep(LONG / 4)
    host.boot()


def stop_postgres(site: Site) -> None:
    """Suspend the primary's Postgres for a while."""
    _suspend(site.databases.await_primary(), ("bin/postgres -D", "postgres: "))


def stop_host(site: Site) -> None:
    """Suspend everything on the primary's host for a while, as a virtual machine is."""
    _suspend(site.databases.await_primary(), ("",))


def _suspend(host: Host, parts: tuple[str, ...]) -> None:
    suspended = {pid for part in parts for pid in host.send(part, signal.SIGSTOP)}
    try:
        time.sleep(LONG)
    finally:
        send_to(suspended, signal.SIGCONT)


def cut_off_primary(site: Site) -> None:
    """Cut the primary's host off from everything, until another one has taken over."""
    host = site.databases.await_primary()
    host.unplug()
    try:
        _await_other(site, host)
    finally:
        host.plug()


def cut_between_databases(site: Site) -> None:
    """Cut the primary off from the other hosts of the database, while the service still reaches it."""
    host = site.databases.await_primary()
    others = [other for other in site.databases.hosts if other is not host]
    host.lose(others)
    try:
        _await_other(site, host)
    finally:
        host.find(others)


def lose_primary(site: Site) -> None:
    """Cut the primary off from the standbys, let it acknowledge moves that they don't get, and kill its host.

    The cut lasts until another one has taken over: what a killed program has sent, its host would still deliver.
    """
    host = site.databases.await_primary()
    others = [other for other in site.databases.hosts if other is not host]
    host.lose(others)
    try:
        site.fault_rig.clients.await_moves(_ALONE)
        host.crash()
        _await_other(site, host)
    finally:
        host.find(others)
    host.boot()


def kill_etcd_leader(site: Site) -> None:
    """Kill the etcd that leads the others."""
    site.etcd_leader().kill("etcd")


def kill_haproxy(site: Site) -> None:
    """Kill HAProxy, which is started again."""
    site.front.kill("haproxy")


def cut_power_of_service(site: Site) -> None:
    """Kill everything on a host of the service, and start it again."""
    service = site.services[site.round % len(site.services)]
    service.host.crash()
    time.sleep(3.0)
    service.host.boot()
    service.await_ready()


def switch_over(site: Site) -> None:
    """Have another host become the primary, as an administrator does before work on the first."""
    host = site.databases.await_primary()
    site.databases.patronictl("switchover", "nova", "--force")
    _await_other(site, host)


def restart_all(site: Site) -> None:
    """Restart each Postgres, the standbys first, and then each host of the service, as an administrator does."""
    primary = site.databases.await_primary()
    for host in (*(host for host in site.databases.hosts if host is not primary), primary):
        site.databases.patronictl("restart", "nova", host.name, "--force")
        site.databases.await_all()
    for service in site.services:
        former = set(service.host.send(MACHINE, signal.SIGTERM))
        eventually(lambda host=service.host, pids=former: not pids & set(host.running(MACHINE)), 60.0)  # type: ignore[misc]
        service.await_ready()


FAULTS: dict[Fault, int] = {
    Fault("kill -9 of the primary", kill_postgres): 8,
    Fault("power cut of the primary's host", cut_power_of_primary): 7,
    Fault("power cut of a standby's host", cut_power_of_standby): 3,
    Fault("SIGSTOP of the primary", stop_postgres): 5,
    Fault("SIGSTOP of the primary's host", stop_host): 4,
    Fault("the primary's host cut off", cut_off_primary): 5,
    Fault("the primary cut off from the standbys", cut_between_databases): 4,
    Fault("kill -9 of etcd's leader", kill_etcd_leader): 3,
    Fault("kill -9 of HAProxy", kill_haproxy): 3,
    Fault("power cut of a host of the service", cut_power_of_service, workers=1): 3,
    Fault("switchover", switch_over): 3,
    Fault("rolling restart", restart_all, workers=2): 2,
}
"""The faults, and how often each is tried."""

LOSSES: dict[Fault, int] = {
    Fault("the primary cut off from the standbys, then a power cut", lose_primary): 5,
    Fault("the primary cut off from the standbys", cut_between_databases): 2,
    Fault("kill -9 of the primary", kill_postgres): 2,
    Fault("power cut of the primary's host", cut_power_of_primary): 2,
    Fault("SIGSTOP of the primary's host", stop_host): 1,
    Fault("switchover", switch_over): 2,
    Fault("kill -9 of etcd's leader", kill_etcd_leader): 1,
}
"""The faults where no commit waits for a standby, and how often each is tried."""
