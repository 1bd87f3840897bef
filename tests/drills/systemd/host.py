"""A host whose process 1 is systemd: this machine's files under an overlay, in namespaces of their own.

It has this machine's network. What is written on it goes to a file system in memory, and everything is gone with its
process 1, also if the test is killed. Root may make one, if the kernel has overlayfs.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.local.child import spawn
from tests.support.running import eventually

ROOT = Path(__file__).parents[3]
SYSTEMD = Path("/lib/systemd/systemd")
PLACE = Path("/srv/nova-luna")
"""The link to the release that is to run, as docs/OPERATING.md has it."""

FIRST = Path("/srv/nova-luna-1")
"""The folder of the release that is installed at first."""

_BOOT_SECONDS = 60.0
_PYTHON, _PACKAGES = "/srv/python", "/srv/packages"

# Units of this machine that would look for its hardware or the network, or bring its packages up to date.
_MASKED = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "getty.target",
    "systemd-modules-load.service",
    "systemd-remount-fs.service",
    "systemd-udevd.service",
    "console-getty.service",
)

_BOOT = """
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$PLACE"
mkdir "$PLACE/files" "$PLACE/work" "$PLACE/root"
mount -t overlay -o "lowerdir=/,upperdir=$PLACE/files,workdir=$PLACE/work" overlay "$PLACE/root"
cd "$PLACE/root"
rm -rf etc/systemd/system etc/nova-luna srv var/lib/nova-luna
mkdir -p etc/systemd/system proc sys dev run tmp srv/nova-luna-1 srv/python srv/packages
for unit in $MASKED; do ln -s /dev/null "etc/systemd/system/$unit"; done
: > etc/fstab
: > etc/machine-id
mount -t overlay -o "lowerdir=$REPOSITORY,upperdir=$(mktemp -d -p "$PLACE"),workdir=$(mktemp -d -p "$PLACE")" \
    overlay srv/nova-luna-1
chmod 755 srv srv/nova-luna-1
ln -s /srv/nova-luna-1 srv/nova-luna
mount --bind "$PYTHON" srv/python
mount --bind "$PACKAGES" srv/packages
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do touch "dev/$device"; mount --bind "/dev/$device" "dev/$device"; done
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir before
pivot_root . before
cd /
umount -l before
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=drill \
    "$SYSTEMD" --system --unit=multi-user.target --log-target=journal
"""

_TRIAL = """
set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/files /mnt/work
mount -t overlay -o lowerdir=/,upperdir=/mnt/files,workdir=/mnt/work overlay /mnt
"""

_PROGRAM = """#!{place}/.venv/bin/python
import sys
from {module} import {function}
sys.exit({function}())
"""


class Host:
    """A running host.

    Args:
        pid: its process 1, as this machine numbers it.
    """

    def __init__(self, pid: int) -> None:
        self._enter = ("nsenter", "-t", str(pid), "-m", "-i", "-u", "-p", "-C", "--", "env", "-i")

    def run(self, command: str) -> str:
        """Run a command in a shell of root to its end, and return what it printed; fail if it fails."""
        done = subprocess.run(
            [*self._enter, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "sh", "-ec", command],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def is_up(self) -> bool:
        """Return whether systemd has started everything."""
        try:
            return self.run("systemctl is-system-running || true").strip() in ("running", "degraded")
        except (AssertionError, subprocess.TimeoutExpired):  # not everything is mounted yet
            return False

    def write(self, path: str, lines: Mapping[str, str]) -> None:
        """Write a file of settings, which only root can read."""
        text = "".join(f'{name}="{value}"\n' for name, value in lines.items())
        self.run(f"mkdir -p {Path(path).parent}; umask 077; printf %s {shlex.quote(text)} > {path}")

    def shows(self, unit: str, name: str) -> str:
        """Return a property of a unit."""
        return self.run(f"systemctl show -p {name} --value {unit}").strip()

    def kill(self, unit: str, number: signal.Signals) -> None:
        """Send a signal to the main process of a unit alone."""
        self.run(f"systemctl kill --kill-whom=main --signal={number.name} {unit}")

    def journal(self, unit: str, since: str = "") -> str:
        """Return the output of a unit's processes after a cursor (`cursor`)."""
        after = f"--after-cursor={shlex.quote(since)}" if since else ""
        return self.run(f"journalctl --sync; journalctl --no-pager -q -o cat -u '{unit}' {after}")

    def cursor(self) -> str:
        """Return the present end of the journal."""
        return self.run("journalctl --sync; journalctl -n 0 --show-cursor").strip().rpartition("-- cursor: ")[2]


@contextmanager
def booted(folder: Path) -> Iterator[Host]:
    """Yield a running host with the service in `/srv/nova-luna`, as `make setup` leaves it, and its account.

    Args:
        folder: an empty folder, which stays empty.
    """
    with _control_group() as group:
        process = spawn(
            ["sh", "-ec", 'echo $$ > "$GROUP/cgroup.procs"; exec unshare -miupC --fork --kill-child sh -c "$BOOT"'],
            env={
                "BOOT": _BOOT,
                "GROUP": str(group),
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "PLACE": str(folder),
                "REPOSITORY": str(ROOT),
                "PYTHON": sys.base_prefix,
                "PACKAGES": sysconfig.get_path("purelib"),
                "MASKED": " ".join(_MASKED),
                "SYSTEMD": str(SYSTEMD),
            },
            last_signal=signal.SIGKILL,
        )
        try:
            host = _host_of(process)
            _install(host)
            yield host
        finally:
            process.kill()
            process.wait()


def needs_systemd() -> None:
    """Skip the test unless this machine can run such a host, as far as can be told before systemd is started."""
    if os.geteuid() != 0 or not SYSTEMD.exists() or shutil.which("nsenter") is None:
        pytest.skip("needs root, systemd and util-linux, to start a systemd beside the one of this machine")
    hierarchy = _hierarchy()
    if hierarchy is None or not os.access(hierarchy, os.W_OK):
        pytest.skip("needs a control group hierarchy of version 2 that it may write to")
    if subprocess.run(["unshare", "-miupC", "--fork", "sh", "-c", _TRIAL], check=False, capture_output=True).returncode:
        pytest.skip("needs a root that may make namespaces and mount overlays")


def _hierarchy() -> Path | None:
    mounts = (line.split() for line in Path("/proc/mounts").read_text().splitlines())
    return next((Path(place) for _, place, kind, *_ in mounts if kind == "cgroup2"), None)


@contextmanager
def _control_group() -> Iterator[Path]:
    """Yield a new control group; remove it with those that systemd has made in it."""
    hierarchy = _hierarchy()
    assert hierarchy is not None
    group = hierarchy / f"nova-luna-drill-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        eventually(lambda: "populated 0" in (group / "cgroup.events").read_text())
        for folder, _, _ in os.walk(group, topdown=False):
            Path(folder).rmdir()


def _host_of(process: subprocess.Popen[bytes]) -> Host:
    """Return the host once systemd has started it; skip the test where systemd itself can't run in namespaces."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    found: list[Host] = []

    def is_up() -> bool:
        if process.poll() is not None:
            pytest.skip("systemd ends at once in namespaces of this machine")
        found[:] = [Host(int(pid)) for pid in children.read_text().split()]
        return bool(found) and found[0].is_up()

    try:
        eventually(is_up, _BOOT_SECONDS)
    except AssertionError:
        pytest.skip("systemd doesn't come up in namespaces of this machine")
    return found[0]


def _install(host: Host) -> None:
    """Install the first release, with the account and the units."""
    # An interpreter may look for its library where it was built, such as in /root, which the units close.
    host.run(f"echo {_PYTHON}/lib > /etc/ld.so.conf.d/00-python.conf; ldconfig")
    set_up(host, FIRST)
    host.run("id nova-luna || useradd --system --home-dir /srv/nova-luna --shell /usr/sbin/nologin nova-luna")
    host.run(f"cp {PLACE}/ops/systemd/* /etc/systemd/system/; systemctl daemon-reload")


def set_up(host: Host, release: Path) -> None:
    """Make the virtual environment of a release, whose packages are those of this one, in place of `make setup`."""
    python = f"{_PYTHON}/bin/python3" if sys.base_prefix != "/usr" else "/usr/bin/python3"
    programs = release / ".venv/bin"
    host.run(f"rm -rf {release}/.venv; {python} -m venv --without-pip {release}/.venv")
    library = host.run(f"echo {release}/.venv/lib/python*/site-packages").strip()
    host.run(f"printf '%s\\n' {release} {_PACKAGES} > {library}/nova-luna.pth")
    for name, module, function in (("novaluna", "service.cli", "main"), ("gunicorn", "gunicorn.app.wsgiapp", "run")):
        text = _PROGRAM.format(place=release, module=module, function=function)
        host.run(f"printf %s {shlex.quote(text)} > {programs / name}; chmod 755 {programs / name}")
