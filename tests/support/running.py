"""Run a whole service as a person starts it: `novaluna up` in a process of its own."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_IN_BACKGROUND = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
"""A command prefix that ignores SIGINT, as a shell does for a command that is started with `&`."""

_ANY_PORT = ("--port", "0")

UP = ("service.cli", "up")
"""The module to run, and its first arguments."""

_MAIL_IN = re.compile(r"Mail is taken in at (\S+)\n")
_READY = re.compile(r"ready at (http://\S+) ")


class Running:
    """A running `novaluna up`: its address, its data folder and its process.

    Its standard error is in the file ``up.err`` beside the data folder.
    """

    def __init__(self, data: Path, process: subprocess.Popen[str], address: str) -> None:
        self.data = data
        self.process = process
        self.address = address

    def mail_in(self) -> str:
        """Return the address that it receives mail at. It prints that once, so call this once."""
        assert self.process.stdout is not None
        said = _MAIL_IN.fullmatch(self.process.stdout.readline())
        assert said
        return said[1]

    def pids(self, part: str) -> list[int]:
        """Return the processes, youngest last, whose command line contains a text such as "worker" or "gunicorn"."""
        return sorted((pid for pid, command in processes(self.data).items() if part in command), key=_begun)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM, seconds: float = 60.0) -> int:
        """Stop it, and return its exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(seconds)


def start(
    data: Path, environ: Mapping[str, str] | None = None, *arguments: str, program: Sequence[str] = UP
) -> subprocess.Popen[str]:
    """Start `novaluna up` on any free port, as a script does in the background, without waiting for it.

    Args:
        data: the data folder.
        environ: NOVALUNA_… and other variables beside those that the interpreter needs.
        arguments: further arguments of the command, such as ``--port``.
        program: another program that takes the same arguments and prints the same when it is ready.
    """
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "PATH", "TMPDIR") if name in os.environ}
    with data.with_name("up.err").open("a") as err:
        return subprocess.Popen(
            [
                *_IN_BACKGROUND,
                sys.executable,
                "-m",
                *program,
                "--data",
                str(data),
                *(arguments or _ANY_PORT),
            ],
            env=kept | dict(environ or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=err,
            text=True,
        )


@contextmanager
def up(
    data: Path, environ: Mapping[str, str] | None = None, *arguments: str, program: Sequence[str] = UP
) -> Iterator[Running]:
    """Start it, wait until it says that it is ready, and stop it at the end of the block."""
    process = start(data, environ, *arguments, program=program)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        ready = _READY.search(line)
        assert ready, f"{line!r}; {data.with_name('up.err').read_text()[-2000:]}"
        yield Running(data, process, ready[1])
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


def free_port() -> int:
    """Return a port of 127.0.0.1 for a server that is started a moment later, or twice.

    It is none of those that the kernel gives to clients and to servers that ask for any port (from 32768 on), so nobody
    else gets it meanwhile.
    """
    for port in random.sample(range(12_000, 32_000), 1000):
        with socket.socket() as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def processes(data: Path) -> dict[int, str]:
    """Return the command lines of all running processes that work for this data folder, by process id."""
    told = f"NOVALUNA_DATA={data}".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            ours = told in (entry / "environ").read_bytes().split(b"\0") or (entry / "cwd").readlink().is_relative_to(
                data
            )
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")  # just being made
        except OSError:  # it has ended, or is somebody else's
            continue
        if ours and command:
            found[int(entry.name)] = command
    return found


def _begun(pid: int) -> int:
    """Return when a process started, in clock ticks. Process ids do not tell, because they wrap around."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # it has ended
        return 0
    return int(told.rpartition(")")[2].split()[19])


def eventually(holds: Callable[[], object], seconds: float = 60.0, every: float = 0.02) -> None:
    """Wait until a condition that other processes bring about holds; fail if it does not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(every)
