"""A Postgres of our own in a folder: made at the first start, reached through a socket that nobody else can enter.

It outlives no launcher: a clean stop, Ctrl-C and kill -9 of the launcher all end it, and the next start waits until the
last process of the one before is gone, so two never write the same files. As root it runs as a
system account of its own (`service.local.system_account`).
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
from service.local.account import Account, blocking_folder, former_uid, give, owner, postgres_account
from service.local.child import spawn
from service.local.cluster import DATABASE, SERVICE, USER, Maker, environment
from service.local.errors import LocalError, StillRunning
from service.local.lock import try_lock
from service.local.server_log import ServerLog
from service.local.system_account import NAME

_PORT = "5432"  # of the socket's name only
#: What the kernel takes for a socket's path is 107 bytes.
_LONGEST_SOCKET = 100
#: Recovery after a crash can take its time; a Postgres that ends is noticed at once.
_START_SECONDS = 120.0
_STOP_SECONDS = 25.0
#: Of these, for a stop without finishing what it writes, which the next start makes good.
_HURRY_SECONDS = 1.0
_TICK = 0.03
#: The detail of an error can quote a row, and so an address; nothing personal stands in a log.
_QUIET = {"log_error_verbosity": "terse"}

Pause = Callable[[float], None]


class Postgres:
    """The Postgres of one data folder. A context manager: starts on entering, stops on leaving.

    Args:
        folder: the data folder; made if need be. Postgres keeps ``postgres/``, ``postgres.log`` and locks in it, and
            ``postgres-programs/`` where the wheel's programs had to be copied.
        bin_folder: where the programs are; None: in the wheel.
        settings: further settings of Postgres by name, such as ``{"max_connections": "200"}``.
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
        """The address of its database as its owner, also before it is started. There is no password: its folder is closed."""
        return self.url_of(DATABASE)

    @property
    def service_url(self) -> str:
        """The same as the role that the service works as."""
        return self.url_of(DATABASE, SERVICE)

    def url_of(self, database: str, role: str = USER) -> str:
        """The same for another database in it, or as another role."""
        return f"postgresql://{role}@/{quote(database)}?host={quote(str(self._socket), safe='')}&port={_PORT}"

    @property
    def shared_account(self) -> str | None:
        """A sentence for people if it runs as an account that other programs use as well."""
        if self._account.why_shared is None:
            return None
        return (
            f"Postgres runs as `{self._account.name}`, and any process of that account can read its files: no account "
            f"`{NAME}` could be made for it ({self._account.why_shared}). Make one, or start as another user than root."
        )

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The postmaster, if it was started."""
        return self._process

    def start(self, pause: Pause = time.sleep) -> None:
        """Starts it and waits until it takes connections.

        Args:
            pause: called with seconds while waiting; an exception out of it ends the start, and `stop` cleans up.

        Raises:
            LocalError: it can't run here, or the folder is in use; the text says why and what to do.
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
        """Takes the folder for this process, and makes in it what Postgres needs. Does nothing the second time.

        Raises:
            LocalError: another process has the folder, or it can't be used.
        """
        if self._binaries is not None:
            return
        try:
            self._make_folder(self.folder, 0o700 if self._account.is_self else 0o711)
            self._launcher_lock = try_lock(self.folder / ".lock")
        except OSError as error:
            raise LocalError(f"The data folder {self.folder} can't be used: {error.strerror}.") from None
        if self._launcher_lock is None:
            raise LocalError(
                f"The data folder {self.folder} is in use: `novaluna up` runs on it already. "
                "Stop that one first, or take another folder with --data."
            )
        self._open_way()
        self._take_over()
        self._make_folder(self._home, 0o700, self._account)
        self._binaries = binaries.prepare(self._bin_folder, self.folder / "postgres-programs", self._account)

    def launch(self, pause: Pause = time.sleep) -> subprocess.Popen[bytes]:
        """Starts the process without waiting for it to take connections; makes the cluster if there is none.

        Args:
            pause: as for `start`, while the cluster is made.

        Raises:
            StillRunning: processes of the former one still have its files open; try again in a moment.
            LocalError: the cluster can't be made, or is another version's.
        """
        self.prepare()
        assert self._binaries is not None
        # Held by Postgres alone from here on, and so by each of its processes, until the last one is gone.
        lock = try_lock(self.folder / ".postgres.lock")
        if lock is None:
            raise StillRunning(f"The former Postgres on {self.folder} is still shutting down.")
        try:
            self._make_folder(self._socket, 0o700, self._account)
            options = self._options()
            sync = self._settings.get("fsync") != "off"
            Maker(self._binaries, self._account, self._log, lock, pause).make(self._data, options, sync)
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
        """Stops it (open transactions are rolled back), waits until it is gone, and gives the folder free.

        Args:
            seconds: for stopping in order, and at last in a hurry; after that it is killed.
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
            os.close(self._launcher_lock)
            self._launcher_lock = None
        if self._socket != self._home:
            shutil.rmtree(self._socket, ignore_errors=True)

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
        """Sees to it that the account gets into the data folder. Folders above are not ours to open."""
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
        """Give what a former release ran as `nobody` to the account that Postgres has now."""
        former = former_uid()
        if self._account.is_self or former in (None, self._account.uid) or self._account.why_shared is not None:
            return
        if not self._home.is_dir() or self._home.is_symlink() or self._home.lstat().st_uid != former:
            return
        lock = try_lock(self.folder / ".postgres.lock")
        if lock is None:
            raise LocalError(f"The former Postgres on {self.folder} is still shutting down; start again in a moment.")
        try:
            give(self._home, former, self._account)
        finally:
            os.close(lock)

    def _make_folder(self, folder: Path, mode: int, account: Account | None = None) -> None:
        """Makes a folder with this mode, or checks that the one that is there belongs to whom it should."""
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
        """Tells Postgres not to mind a postmaster.pid that a kill -9 left, whose number another process may bear now.

        With the lock held there is no other Postgres on these files; the number of its grandparent is one that
        Postgres takes for no sign of life.
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


def _socket_folder(home: Path, account: Account) -> Path:
    """The cluster's own folder, or where its path is too long for a socket's, one in the folder for temporary files.

    That one is named by what it stands for, so that it is the same at each start. Someone else's is refused later.
    """
    if len(os.fsencode(home / f".s.PGSQL.{_PORT}")) <= _LONGEST_SOCKET:
        return home
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"nova-luna-{account.uid}-{digest}"
