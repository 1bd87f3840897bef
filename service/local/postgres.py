"""An embedded Postgres in a folder, created at the first start and reached through a socket in a private folder.

It never outlives its launcher: a clean stop, Ctrl-C and kill -9 of the launcher all end it. The next start waits until
the last process of the previous one is gone, so two never write the same files. Under root it runs as a system account
of its own (`service.local.system_account`).
"""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from service.local import binaries
from service.local.account import SystemAccount, blocking_folder, change_owner, former_uid, owner, postgres_account
from service.local.child import spawn
from service.local.cluster import DATABASE, SERVICE, USER, ClusterCreator, environment
from service.local.errors import FolderInUse, LocalError, StillRunning
from service.local.lock import try_lock
from service.local.server_log import ServerLog
from service.local.system_account import NAME

_PORT = "5432"  # only part of the socket's name
# The kernel allows 107 bytes for the path of a socket.
_LONGEST_SOCKET = 100
# Recovery after a crash can take long. A Postgres that ends is noticed at once.
_START_SECONDS = 120.0
_STOP_SECONDS = 25.0
# The part of them for an immediate stop (SIGQUIT), after which the next start runs crash recovery.
_HURRY_SECONDS = 1.0
_TICK = 0.03
# The detail of an error can quote a row, and so an address. Logs hold no personal data.
_QUIET = {"log_error_verbosity": "terse"}

Pause = Callable[[float], None]


class Postgres:
    """The Postgres of one data folder; as a context manager, it starts on entry and stops on exit.

    Args:
        folder: the data folder, created if it does not exist. Postgres keeps ``postgres/``, ``postgres.log`` and locks
            in it, and ``postgres-programs/`` if the wheel's programs had to be copied.
        bin_folder: the folder of the Postgres programs; None: the one in the wheel.
        settings: further Postgres settings by name, such as ``{"max_connections": "200"}``.
    """

    def __init__(
        self, folder: Path, *, bin_folder: Path | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder.absolute()
        self._home = self.folder / "postgres"
        self._data = self._home / "pg"
        self._log = ServerLog(self.folder / "postgres.log")
        self._bin_folder = bin_folder
        self._settings = dict(settings or {})
        self._account = postgres_account()
        self._socket = _socket_folder(self._home, self._account)
        self._binaries: binaries.Binaries | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._launcher_lock: int | None = None

    @property
    def url(self) -> str:
        """The URL of the database as its owner, valid before the start too.

        It has no password, because only its account can enter the socket's folder.
        """
        return self.url_of(DATABASE)

    @property
    def service_url(self) -> str:
        """The URL of the database as the role of the service."""
        return self.url_of(DATABASE, SERVICE)

    def url_of(self, database: str, role: str = USER) -> str:
        """Return the URL of a database of this Postgres for a role."""
        return f"postgresql://{role}@/{quote(database)}?host={quote(str(self._socket), safe='')}&port={_PORT}"

    @property
    def shared_account(self) -> str | None:
        """A warning for the operator if Postgres runs as an account that other programs use too, else None."""
        if self._account.why_shared is None:
            return None
        return (
            f"Postgres runs as `{self._account.name}`, and any process of that account can read its files: no account "
            f"`{NAME}` could be made for it ({self._account.why_shared}). Make one, or start as another user than root."
        )

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The postmaster process, or None before it is started."""
        return self._process

    def start(self, pause: Pause = time.sleep) -> None:
        """Start Postgres and wait until it accepts connections.

        Args:
            pause: called with a number of seconds while waiting; an exception that it raises aborts the start, and
                `stop` cleans up.

        Raises:
            LocalError: Postgres cannot run here, or the folder is in use; the text says why and what to do.
        """
        self.prepare()
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                process = self.launch(pause)
                break
            except StillRunning:
                if time.monotonic() > deadline:
                    raise
                pause(_TICK)
        while not self._is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise LocalError(f"Postgres did not start. {self._log.tail()}")
            pause(_TICK)

    def prepare(self) -> None:
        """Lock the data folder for this process and create what Postgres needs in it; repeated calls do nothing.

        Raises:
            FolderInUse: another process uses the folder.
            LocalError: it cannot be used.
        """
        if self._binaries is not None:
            return
        try:
            self._make_folder(self.folder, 0o700 if self._account.is_self else 0o711)
            self._launcher_lock = try_lock(self.folder / ".lock")
        except OSError as error:
            raise LocalError(f"The data folder {self.folder} can't be used: {error.strerror}.") from None
        if self._launcher_lock is None:
            raise FolderInUse(
                f"The data folder {self.folder} is in use: `novaluna up` runs on it already. "
                "Stop that one first, or take another folder with --data."
            )
        self._open_way()
        self._take_over()
        self._make_folder(self._home, 0o700, self._account)
        self._binaries = binaries.prepare(self._bin_folder, self.folder / "postgres-programs", self._account)

    def launch(self, pause: Pause = time.sleep) -> subprocess.Popen[bytes]:
        """Start the postmaster without waiting until it accepts connections; create the cluster if there is none.

        Args:
            pause: as for `start`, while the cluster is created.

        Raises:
            StillRunning: processes of the previous Postgres still have its files open; try again in a moment.
            LocalError: the cluster cannot be created, or belongs to another version of Postgres.
        """
        self.prepare()
        assert self._binaries is not None
        # Inherited by every process of Postgres, so that it is held until the last one has ended.
        lock = try_lock(self.folder / ".postgres.lock")
        if lock is None:
            raise StillRunning(f"The former Postgres on {self.folder} is still shutting down.")
        try:
            self._make_folder(self._socket, 0o700, self._account)
            options = self._options()
            sync = self._settings.get("fsync") != "off"
            ClusterCreator(self._binaries, self._account, self._log, lock, pause).create(self._data, options, sync)
            with self._log.open() as log:
                self._process = spawn(
                    [self._binaries.program("postgres"), "-D", str(self._data), "-h", "", *options],
                    env=environment() | self._stale_pid(),
                    last_signal=signal.SIGINT,
                    account=self._account,
                    stdout=log,
                    stderr=log,
                    pass_fds=(lock,),
                    cwd=self._home,
                )
        finally:
            os.close(lock)
        return self._process

    def stop(self, seconds: float = _STOP_SECONDS) -> None:
        """Stop Postgres, wait until it has ended, and release the data folder; open transactions are rolled back.

        Args:
            seconds: the time for a regular stop and then an immediate one; after that, it is killed.
        """
        if self._process is not None:
            patient = max(0.0, seconds - _HURRY_SECONDS)
            for last, wait in ((signal.SIGINT, patient), (signal.SIGQUIT, _HURRY_SECONDS), (signal.SIGKILL, None)):
                if self._process.poll() is None:
                    self._process.send_signal(last)
                try:
                    self._process.wait(wait)
                    break
                except subprocess.TimeoutExpired:
                    continue
            self._process = None
        self._binaries = None
        if self._launcher_lock is not None:
            if self._socket != self._home:
                shutil.rmtree(self._socket, ignore_errors=True)
            os.close(self._launcher_lock)
            self._launcher_lock = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _open_way(self) -> None:
        """Make the data folder accessible to the account; refuse if a folder above it is not."""
        if blocking_folder(self.folder, self._account) == self.folder.resolve() and not self._account.is_self:
            self.folder.chmod(stat.S_IMODE(self.folder.stat().st_mode) | 0o011)
        blocking = blocking_folder(self.folder, self._account)
        if blocking is not None:
            raise LocalError(
                f"The data folder {self.folder} can't be used: Postgres refuses to run as root and so runs as "
                f"`{self._account.name}`, who may not pass {blocking}. Take a folder below one that everybody may pass "
                f"with --data (such as /var/lib/nova-luna), or open the way: chmod o+x {blocking}"
            )

    def _take_over(self) -> None:
        """Give files that an earlier release created as `nobody` to the account that Postgres runs as now."""
        former = former_uid()
        if self._account.is_self or former in (None, self._account.uid) or self._account.why_shared is not None:
            return
        if not self._home.is_dir() or self._home.is_symlink() or self._home.lstat().st_uid != former:
            return
        lock = try_lock(self.folder / ".postgres.lock")
        if lock is None:
            raise LocalError(f"The former Postgres on {self.folder} is still shutting down; start again in a moment.")
        try:
            change_owner(self._home, former, self._account)
        finally:
            os.close(lock)

    def _make_folder(self, folder: Path, mode: int, account: SystemAccount | None = None) -> None:
        """Create a folder with this mode, or check that an existing one belongs to the right account."""
        try:
            folder.mkdir(parents=folder == self.folder)
        except FileExistsError:
            if account is not None and (folder.is_symlink() or folder.lstat().st_uid != account.uid):
                raise LocalError(
                    f"{folder} belongs to {owner(folder)}, but Postgres would run as {account.name}. "
                    "Start as the user who made it, or take another folder with --data."
                ) from None
            return
        if account is not None and not account.is_self:
            os.chown(folder, account.uid, account.gid)
        folder.chmod(mode)

    def _options(self) -> list[str]:
        settings = {"unix_socket_directories": str(self._socket), "unix_socket_permissions": "0700"}
        settings |= _QUIET | self._settings
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def _stale_pid(self) -> dict[str, str]:
        """Return environment variables that make Postgres ignore a stale postmaster.pid.

        A kill -9 leaves that file behind, and another process may have its process id by now. While the lock is held,
        no other Postgres uses these files. Postgres does not take its grandparent's process id for a running
        postmaster.
        """
        try:
            pid = (self._data / "postmaster.pid").read_text().partition("\n")[0].strip()
        except FileNotFoundError:
            return {}
        return {"PG_GRANDPARENT_PID": pid} if pid.isdecimal() else {}

    def _is_ready(self) -> bool:
        assert self._binaries is not None
        where = ("-h", str(self._socket), "-p", _PORT, "-U", USER, "-d", DATABASE)
        argv = [self._binaries.program("pg_isready"), "-q", *where, "-t", "2"]
        return subprocess.run(argv, env=environment(), stdin=subprocess.DEVNULL, check=False).returncode == 0


def _socket_folder(home: Path, account: SystemAccount) -> Path:
    """Return the folder for the socket: the cluster's own, or a temporary one if that path is too long for a socket.

    The temporary folder's name is derived from the cluster's path, so it is the same at each start. If somebody else
    owns it, the launch refuses to use it.
    """
    if len(os.fsencode(home / f".s.PGSQL.{_PORT}")) <= _LONGEST_SOCKET:
        return home
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"nova-luna-{account.uid}-{digest}"
