"""Hosts that are network namespaces of this machine, joined by a bridge; made and removed by root."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from service.local.account import SystemAccount
from tests.support.running import eventually

_NET = "10.213.7"
"""The first three bytes of all addresses; the network exists only between the namespaces and this machine."""

GATE = f"{_NET}.254"
"""The address of this machine in the network."""


_FOREVER = ("sh", "-c", 'while :; do "$@"; sleep 1; done', "sh")
"""A command prefix that starts a program again whenever it ends."""


@dataclass
class Host:
    """A host: its network namespace, its folder, and the programs that it runs.

    Attributes:
        name: its name.
        address: its address in the network.
        folder: where its programs keep their files; logs are in `folder/logs`.
        boot: starts all its programs, in the way that its maker has said.
        newest: the process that keeps the program running that was started last.
    """

    name: str
    address: str
    folder: Path
    namespace: str
    boot: Callable[[], None] = lambda: None
    newest: subprocess.Popen[bytes] | None = None
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def keep_running(
        self, command: Sequence[str], *, account: SystemAccount | None = None, environ: Mapping[str, str] | None = None
    ) -> None:
        """Start a program, and start it again whenever it ends, as systemd does; its output goes to a log of its name.

        It runs as root or as another account, with these variables beside those that each program needs.
        """
        su = () if account is None else _as(account)
        log = self.folder / "logs" / f"{Path(command[0]).name}.log"
        with log.open("ab") as output:
            self.newest = subprocess.Popen(
                ("ip", "netns", "exec", self.namespace, *su, *_FOREVER, *command),
                cwd=self.folder,
                env={"PATH": f"{os.environ['PATH']}:/usr/sbin", "HOME": str(self.folder), "LANG": "C.UTF-8"}
                | dict(environ or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._started.append(self.newest)

    def run(self, command: Sequence[str], *, account: SystemAccount | None = None) -> str:
        """Run a program on this host to its end, and return what it printed."""
        su = () if account is None else _as(account)
        return _run("ip", "netns", "exec", self.namespace, *su, *command)

    def pids(self) -> list[int]:
        """Return the ids of all processes on this host."""
        return [int(pid) for pid in _run("ip", "netns", "pids", self.namespace).split()]

    def running(self, part: str) -> list[int]:
        """Return the ids of the processes whose command line contains this text, but for those that start others."""
        return [
            pid for pid in self.pids() if part in (line := _command_line(pid)) and not line.startswith("sh -c while")
        ]

    def send(self, part: str, sent: signal.Signals) -> list[int]:
        """Send a signal to each process whose command line contains this text; return their ids."""
        found = self.running(part)
        send_to(found, sent)
        return found

    def kill(self, part: str) -> None:
        """Kill the processes whose command line contains this text; there must be one."""
        assert self.send(part, signal.SIGKILL)

    def crash(self) -> None:
        """Kill everything that runs on this host at once, as in a power cut."""

        def is_dead() -> bool:
            send_to(self.pids(), signal.SIGKILL)
            return not self.pids()

        eventually(is_dead)
        for process in self._started:
            process.wait()
        self._started.clear()

    def unplug(self) -> None:
        """Cut this host off from all others."""
        _run("ip", "-n", self.namespace, "link", "set", "wire", "down")

    def plug(self) -> None:
        """Join this host with the others again."""
        _run("ip", "-n", self.namespace, "link", "set", "wire", "up")

    def lose(self, others: Sequence["Host"]) -> None:
        """Drop all that this host would send to these others, until `find`."""
        for other in others:
            _run("ip", "-n", self.namespace, "route", "add", "blackhole", f"{other.address}/32")

    def find(self, others: Sequence["Host"]) -> None:
        """Send to these others again."""
        for other in others:
            _run("ip", "-n", self.namespace, "route", "del", "blackhole", f"{other.address}/32")


class Network:
    """The bridge and its hosts. Names carry the process id, so that two networks of two runs don't meet."""

    def __init__(self, folder: Path) -> None:
        self.hosts: list[Host] = []
        self._folder = folder
        self._mark = f"nl{os.getpid()}"
        self._bridge = f"{self._mark}b"

    def open(self) -> None:
        """Make the bridge, with this machine as a part of the network."""
        _run("ip", "link", "add", self._bridge, "type", "bridge")
        _run("ip", "address", "add", f"{GATE}/24", "dev", self._bridge)
        _run("ip", "link", "set", self._bridge, "up")

    def add(self, name: str) -> Host:
        """Make a host."""
        number = 11 + len(self.hosts)
        host = Host(name, f"{_NET}.{number}", self._folder / name, f"{self._mark}-{name}")
        (host.folder / "logs").mkdir(parents=True)
        near = f"{self._mark}v{number}"
        _run("ip", "netns", "add", host.namespace)
        self.hosts.append(host)
        _run("ip", "link", "add", near, "type", "veth", "peer", "name", "wire", "netns", host.namespace)
        _run("ip", "link", "set", near, "master", self._bridge, "up")
        for command in (
            ("address", "add", f"{host.address}/24", "dev", "wire"),
            ("link", "set", "wire", "up"),
            ("link", "set", "lo", "up"),
        ):
            _run("ip", "-n", host.namespace, *command)
        return host

    def close(self) -> None:
        """Kill all programs, and remove the hosts and the bridge."""
        for host in self.hosts:
            host.crash()
            _run("ip", "netns", "delete", host.namespace)
        _run("ip", "link", "delete", self._bridge)


@contextmanager
def network(folder: Path) -> Iterator[Network]:
    """Yield a network without hosts; skip the calling test if this account may not make one."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("hosts are network namespaces, which only root can make, with ip: apt-get install iproute2")
    made = Network(folder)
    try:
        made.open()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this machine allows no network of its own: {error.stderr.strip()}")
    try:
        yield made
    finally:
        made.close()


def _as(account: SystemAccount) -> tuple[str, ...]:
    return ("setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups")


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def send_to(pids: Iterable[int], sent: signal.Signals) -> None:
    """Send a signal to each of these processes that has not ended."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, sent)


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:  # it has ended
        return ""
