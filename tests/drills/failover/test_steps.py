"""The steps of docs/OPERATING.md from `novaluna up` to several hosts: each command is run, and the games go on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.drills.client import Api
from tests.drills.clients import Clients
from tests.drills.failover import service_hosts, steps
from tests.drills.failover.network import GATE, Host, network
from tests.drills.failover.postgres_hosts import PASSWORD, PostgresHosts, postgres_hosts
from tests.drills.hanging_relay import HangingRelay, hanging
from tests.drills.service import ENVIRON, Service, open_folder
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

_GAMES = 4
_MOVES = 40
_PROGRAMS = Path(sys.executable).parent

UNDER_SYSTEMD = {"chown", "install", "pg_dropcluster", "sh", "systemctl"}
"""Programs whose commands are run where there is a systemd, and accounts of their own (tests/drills/systemd)."""


def test_the_steps_to_several_hosts_lead_there() -> None:
    with open_folder("steps") as folder, network(folder) as made, hanging(GATE) as relay, ExitStack() as stack:
        service_hosts.require()
        old = _old(folder, relay)
        stack.callback(old.stop)
        clients = Clients(old.api, old.sign_up(4), _GAMES)
        with clients.playing():
            clients.await_moves(_MOVES)
        old.await_empty_queue()
        run = Commands()
        run.installed()
        databases = postgres_hosts(made)
        roles = ("Leader", "Sync Standby", "Replica")
        eventually(lambda: all(run.patronictl(databases, "list").count(role) == 1 for role in roles), 60.0, every=1.0)

        hosts = [made.add(name) for name in ("app1", "app2")]
        front = service_hosts.front(made, databases, hosts, start=False)
        environ = _environ(databases, old, relay, service_hosts.front_address(front))
        data = {"NOVALUNA_DATA": str(old.running.data)}
        keys = {"NOVALUNA_CHECKPOINT_KEYS": environ["NOVALUNA_CHECKPOINT_KEYS"]}
        novaluna(("novaluna", "checkpoints", "make"), folder, ENVIRON | data | keys)
        old.stop_processes()
        run.novaluna("backup", folder, data)
        for host in hosts:
            run.copy_checkpoints(old.running.data, host)
        run.novaluna("restore", folder, environ)
        for host in hosts:
            run.start_parts(host, environ)
        run.start_front(front)
        with _at(service_hosts.front_address(front)) as api:
            for game in clients.games:
                game.api = api
                assert game.log() == game.acknowledged
            clients.api = api
            with clients.playing():
                clients.await_moves(_MOVES)
                primary = databases.await_primary()
                run.patronictl(databases, "switchover")
                eventually(lambda: databases.primary() not in (None, primary), 60.0)
                databases.await_all()
                run.patronictl(databases, "restart")
                databases.await_all()
                clients.await_laps(1)
            clients.play_to_the_end()
            assert all(game.log() == game.acknowledged for game in clients.games)
        novaluna(("novaluna", "checkpoints", "make"), folder, environ | {"NOVALUNA_DATA": str(_data(hosts[0]))})
        left = {each.command for each in steps.STEPS} - run.tried
        assert {command[0] for command in left} == UNDER_SYSTEMD, "each other command of the document is run"


class Commands:
    """The commands of the document.

    Attributes:
        tried: those that were run.
    """

    def __init__(self) -> None:
        self.tried: set[tuple[str, ...]] = set()

    def installed(self) -> None:
        """Check that Debian has what is to be installed, and that it is installed here."""
        for command in (each.command for each in steps.STEPS if each.command[0] == "apt-get"):
            subprocess.run(["dpkg-query", "-W", *command[2:]], check=True, capture_output=True)
            self.tried.add(command)

    def novaluna(self, name: str, folder: Path, environ: dict[str, str]) -> None:
        """Run a command of the service in a folder."""
        command = steps.step("novaluna", name)
        novaluna(command, folder, environ)
        self.tried.add(command)

    def copy_checkpoints(self, data: Path, host: Host) -> None:
        """Copy the checkpoints of the old data folder to a host."""
        command = steps.step("cp")
        _data(host).mkdir()
        arguments = [argument.replace("/var/lib/nova-luna", str(_data(host))) for argument in command]
        subprocess.run(arguments, cwd=data, check=True)
        assert list((_data(host) / "checkpoints").iterdir())
        self.tried.add(command)

    def patronictl(self, databases: PostgresHosts, what: str) -> str:
        """Run a command of Patroni's, and return what it prints."""
        command = steps.step("patronictl", "-c", "/etc/patroni/config.yml", what)
        self.tried.add(command)
        return databases.patronictl(*command[3:])

    def start_parts(self, host: Host, environ: dict[str, str]) -> None:
        """Start the parts of the service on a host, and wait until they answer."""
        own = environ | {
            "NOVALUNA_DATA": str(_data(host)),
            "GUNICORN_CMD_ARGS": environ["GUNICORN_CMD_ARGS"].replace("10.0.0.21", host.address),
            "PYTHONPATH": str(service_hosts.ROOT),
        }
        for begins in (("gunicorn",), ("novaluna", "mailin")):
            command = steps.step(*begins)
            self.tried.add(command)
            host.keep_running((str(_PROGRAMS / command[0]), *command[1:]), environ=own)
        loop = steps.step("until", "novaluna", "worker")
        self.tried.add(loop)
        host.keep_running(("sh", "-c", " ".join(loop)), environ=own | {"PATH": f"{_PROGRAMS}:{os.environ['PATH']}"})
        eventually(lambda: _answers(f"http://{host.address}:8000/readyz"), 120.0)

    def start_front(self, host: Host) -> None:
        """Check the configuration of HAProxy, and start it."""
        check = steps.step("haproxy", "-c")
        own = str(host.folder / "haproxy.cfg")
        host.run([argument.replace("/etc/haproxy/haproxy.cfg", own) for argument in (_haproxy(), *check[1:])])
        self.tried.add(check)
        host.boot()
        eventually(lambda: _answers(f"{service_hosts.front_address(host)}/readyz"), 60.0)


def novaluna(command: tuple[str, ...], folder: Path, environ: dict[str, str]) -> None:
    """Run a command of the service in a folder."""
    told = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(service_hosts.ROOT)} | environ
    arguments = [sys.executable, "-m", "service.cli", *command[1:]]
    done = subprocess.run(arguments, cwd=folder, env=told, timeout=120, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def _data(host: Host) -> Path:
    """Return the folder of a host that stands for `NOVALUNA_DATA`."""
    return host.folder / "data"


def _old(folder: Path, relay: HangingRelay) -> Service:
    """Return the service on one machine."""
    environ = {"NOVALUNA_SMTP_URL": f"smtp://{GATE}:{relay.port}", "NOVALUNA_DATA": str(folder / "data")}
    return Service(folder, environ=environ, mailbox=relay)


def _environ(databases: PostgresHosts, old: Service, relay: HangingRelay, front: str) -> dict[str, str]:
    """Return the environment of the service's hosts, by the document and by what the old machine has."""
    data = old.running.data
    return ENVIRON | steps.settings(
        databases.hosts,
        PASSWORD,
        {
            "NOVALUNA_BASE_URL": front,
            "NOVALUNA_SECRET_KEY": (data / "secret-key").read_text().strip(),
            "NOVALUNA_CHECKPOINT_KEYS": (data / "checkpoint-keys").read_text().strip(),
            "NOVALUNA_SMTP_URL": f"smtp://{GATE}:{relay.port}",
            "NOVALUNA_MAILIN": "lmtp://127.0.0.1:8024",
            "NOVALUNA_MAIL_FROM": "Nova Luna <nova-luna@play.example.org>",
        },
    )


@contextmanager
def _at(address: str) -> Iterator[Api]:
    api = Api(address)
    try:
        yield api
    finally:
        api.close()


def _haproxy() -> str:
    return shutil.which("haproxy", path="/usr/sbin:/usr/bin") or "haproxy"


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False
