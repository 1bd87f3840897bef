"""Run the service for the demonstration: `novaluna up` in a process of its own, in a new data folder."""

import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo.errors import StepFailed
from service.config import KNOWN
from service.local.account import blocking_folder, postgres_account
from service.local.child import spawn

USUAL_PORT = 8080

_READY = re.compile(rb"ready at (http://\S+) ")
_READY_SECONDS = 120.0
_STOP_SECONDS = 40.0
_LIMITS = {name: "0" for name in KNOWN if name.startswith("NOVALUNA_LIMIT_")}


@dataclass(frozen=True)
class Service:
    """A running service.

    Attributes:
        address: its URL, without a slash at the end.
        data: its data folder.
        log: the file with its log lines.
    """

    address: str
    data: Path
    log: Path
    process: subprocess.Popen[bytes]

    def wait(self) -> int:
        """Wait until the service ends, and return its exit code."""
        return self.process.wait()

    def last_words(self, lines: int = 12) -> str:
        """Return the end of its log."""
        return last_lines(self.log, lines)


def last_lines(file: Path, lines: int) -> str:
    """Return the end of a text file; empty if it does not exist."""
    if not file.exists():
        return ""
    return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])


def free_port(asked: int | None) -> int:
    """Return the port to use: the requested one, else the usual one if it is free, else 0 for any free one."""
    if asked is not None:
        return asked
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", USUAL_PORT))
        except OSError:
            return 0
    return USUAL_PORT


@contextmanager
def running(port: int) -> Iterator[Service]:
    """Start the service in a new data folder, and wait until it is ready; at the end, stop it and remove the folder.

    It has a Postgres and a Maildir of its own and no limits, whatever the environment says: no other database is
    written to, and no mail leaves the machine.

    Raises:
        StepFailed: the service does not start; the text has the end of its log.
    """
    folder = _folder()
    log = folder / "service.log"
    try:
        with log.open("wb") as errors:
            process = spawn(
                [sys.executable, "-m", "service.cli", "up", "--port", str(port), "--data", str(folder / "data")],
                env=_environment(os.environ),
                last_signal=signal.SIGTERM,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        try:
            yield Service(_address(process, log), folder / "data", log, process)
        finally:
            _stop(process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if name != "DATABASE_URL" and name[:9] != "NOVALUNA_"}
    if bin_folder := environ.get("NOVALUNA_POSTGRES_BIN"):
        kept["NOVALUNA_POSTGRES_BIN"] = bin_folder
    return kept | _LIMITS


def _folder() -> Path:
    """Create a folder that the account which Postgres runs as can enter; under root that is another account."""
    account = postgres_account()
    for base in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp", "/var/lib")):
        if not os.access(base, os.W_OK | os.X_OK) or blocking_folder(Path(base), account):
            continue
        folder = Path(tempfile.mkdtemp(prefix="nova-luna-play-", dir=base))
        folder.chmod(0o711)
        return folder
    raise StepFailed(f"there is no folder for temporary files that `{account.name}`, as whom Postgres runs, may enter")


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Read the line that the launcher writes when everything is ready."""
    assert process.stdout is not None
    deadline = time.monotonic() + _READY_SECONDS
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise StepFailed(f"the service was not ready within {_READY_SECONDS:.0f} s. {last_lines(log, 12)}")
        read = os.read(process.stdout.fileno(), 4096)
        if not read:
            raise StepFailed(f"the service ended before it was ready. {last_lines(log, 12)}")
        line += read
    found = _READY.search(line)
    if found is None:
        raise StepFailed(f"the service did not say where it answers, but {line!r}")
    return found[1].decode()


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    finally:  # it took too long, or the user interrupted again
        process.kill()  # the kernel then kills its children
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
