"""A whole service as a person starts it: `novaluna up` in a process of its own."""

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
"""SIGINT is ignored, as a shell does it for what it starts by `&`."""

_ANY_PORT = ("--port", "0")

UP = ("service.cli", "up")
"""The module that is run, and its first arguments."""

_MAIL_IN = re.compile(r"Mail is taken in at (\S+)\n")
_READY = re.compile(r"ready at (http://\S+) ")


class Running:
    """A `novaluna up`: its address, its data folder and its process.

    Its standard error is in the file ``up.err`` beside the data folder.
    """

    def __init__(self, data: Path, process: subprocess.Popen[str], address: str) -> None:
        self.data = data
        self.process = process
        self.address = address

    def mail_in(self) -> str:
        """Where it takes mail in, which it says once: call this once."""
        assert self.process.stdout is not None
        said = _MAIL_IN.fullmatch(self.process.stdout.readline())
        assert said
        return said[1]

    def pids(self, part: str) -> list[int]:
        """The processes, youngest last, whose command line has this text in it: "gunicorn", "worker" or "postgres"."""
        return sorted((pid for pid, command in processes(self.data).items() if part in command), key=_begun)

    def stop(self, with_signal: signal.Signals = signal.SIGTERM, seconds: float = 60.0) -> int:
        """Stops it and returns its exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(seconds)


def start(
    data: Path, environ: Mapping[str, str] | None = None, *arguments: str, program: Sequence[str] = UP
) -> subprocess.Popen[str]:
    """Starts `novaluna up` on any free port, as a script does it in the background, and doesn't wait for it.

    Args:
        environ: NOVALUNA_… and other variables beside those that the interpreter needs.
        arguments: further ones for the command, such as ``--port``.
        program: another one that takes the same arguments and says the same when it is ready.
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
    """Starts it, waits until it says that it is ready, and stops it in the end."""
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
    """A port of 127.0.0.1 for a server that is started a moment later, or twice.

    It is none of those that kernels give to whoever connects or asks for any port (from 32768 on), so nobody else gets
    it meanwhile.
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
    """The command lines of all running processes that work for this data folder, by number."""
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
        except OSError:  # it ended meanwhile, or is somebody else's
            continue
        if ours and command:
            found[int(entry.name)] = command
    return found


def _begun(pid: int) -> int:
    """When a process began, in the kernel's ticks. Their numbers don't tell: they begin anew at some time."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # it ended meanwhile
        return 0
    return int(told.rpartition(")")[2].split()[19])


def eventually(holds: Callable[[], object], seconds: float = 60.0, every: float = 0.02) -> None:
    """Waits until something that other processes bring about holds, looking every so many seconds.

    Fails when it doesn't in `seconds`.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(every)
