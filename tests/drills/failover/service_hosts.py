"""Two hosts of the service, and the host of HAProxy in front of them and of the database."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
import trustme

from tests.drills.failover.correspondence import MAIL_FROM, PORT
from tests.drills.failover.network import Host, Network
from tests.drills.failover.postgres_hosts import DATABASE, OWNER, PASSWORD, SERVICE, PostgresHosts
from tests.drills.fault_rig import KEY, MACHINE
from tests.drills.hanging_relay import HangingRelay
from tests.drills.proxies import changed
from tests.drills.service import Service
from tests.support.running import Running, eventually

ROOT = Path(__file__).parents[3]
"""The folder of the repository."""

HAPROXY_CFG = ROOT / "ops" / "haproxy" / "haproxy.cfg"
"""The configuration that is shipped for hosts."""

_WEB_PORT = 8000
_FRONT_PORT = 8080
_DATABASE_PORT = 5000

STARTED = 60.0
"""Seconds within which a host of the service answers after its start."""


def require() -> None:
    """Skip the calling test if HAProxy is not installed."""
    if shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin") is None:
        pytest.skip("needs HAProxy: apt-get install haproxy")


def front(network: Network, databases: PostgresHosts, services: Sequence[Host], *, start: bool = True) -> Host:
    """Make the host of HAProxy, in front of these hosts of the service and of the database, and perhaps start it."""
    host = network.add("lb")
    certificate = host.folder / "play.example.org.pem"
    trustme.CA().issue_cert("play.example.org").private_key_and_cert_chain_pem.write_to_path(certificate)
    changes = {f"10.0.0.1{number}:5432": f"{other.address}:5432" for number, other in enumerate(databases.hosts, 1)}
    changes |= {f"10.0.0.2{number}:8000": f"{other.address}:{_WEB_PORT}" for number, other in enumerate(services, 1)}
    changes |= {
        "10.0.0.10:80\n": f"{host.address}:{_FRONT_PORT}\n",
        "10.0.0.10:443": f"{host.address}:8443",
        "10.0.0.10:5000": f"{host.address}:{_DATABASE_PORT}",
        "/etc/haproxy/play.example.org.pem": str(certificate),
        # The clients of the drill don't speak TLS; test_reverse_proxies.py has some that do.
        "    http-request redirect scheme https code 301 unless { ssl_fc }\n": "",
    }
    shipped = changed(HAPROXY_CFG.read_text(), changes)
    (host.folder / "haproxy.cfg").write_text(shipped)

    def boot() -> None:
        host.keep_running(("haproxy", "-W", "-f", str(host.folder / "haproxy.cfg")))

    host.boot = boot
    if start:
        host.boot()
    return host


def front_address(host: Host) -> str:
    """Return the address at which clients reach the service through HAProxy."""
    return f"http://{host.address}:{_FRONT_PORT}"


def database_through(host: Host) -> str:
    """Return the `DATABASE_URL` that leads to the primary through HAProxy, which asks Patroni where it is."""
    place = f"{host.address}:{_DATABASE_PORT}/{DATABASE}"
    return f"postgresql://{SERVICE}:{PASSWORD}@{place}?target_session_attrs=read-write"


class _Hosted(Running):
    """The processes of a service on a host."""

    def __init__(self, host: Host, data: Path) -> None:
        self.data, self.address = data, f"http://{host.address}:{_WEB_PORT}"


class HostedService(Service):
    """The web server, the worker and the receiver of the Procfile on a host, started again whenever they end."""

    def __init__(
        self, host: Host, databases: PostgresHosts, database_url: str, relay: HangingRelay, gate: str, base_url: str
    ) -> None:
        self.host = host
        super().__init__(
            host.folder,
            environ={
                "DATABASE_URL": database_url,
                "NOVALUNA_OWNER_URL": databases.url(OWNER),
                "NOVALUNA_SMTP_URL": f"smtp://{gate}:{relay.port}",
                "NOVALUNA_SECRET_KEY": KEY,
                "NOVALUNA_DATA": str(host.folder / "data"),
                "NOVALUNA_BASE_URL": base_url,
                "NOVALUNA_TRUSTED_PROXIES": "1",
                "NOVALUNA_MAIL_FROM": MAIL_FROM,
                "NOVALUNA_MAILIN": f"lmtp://{host.address}:{PORT}",
                "PYTHONPATH": str(ROOT),
            },
            mailbox=relay,
            database_url=databases.url(OWNER),
        )

    def _start(self, port: str) -> None:
        begun = time.monotonic()
        command = (
            *(sys.executable, "-m", MACHINE, "--data", str(self._data)),
            *("--host", self.host.address, "--port", str(_WEB_PORT)),
        )

        def boot() -> None:
            self.host.keep_running(command, environ=self._environ)

        self.host.boot = boot
        self.host.boot()
        self.await_ready()
        self.running = _Hosted(self.host, self._data)
        self.starting = time.monotonic() - begun

    def await_ready(self) -> None:
        """Wait until the web server and the database behind it answer."""
        eventually(self._is_ready, STARTED, every=0.2)

    def _is_ready(self) -> bool:
        try:
            answer = httpx.get(f"http://{self.host.address}:{_WEB_PORT}/readyz", timeout=5, trust_env=False)
        except httpx.TransportError:
            return False
        return answer.status_code == 200
