"""The files in which processes count: their blocks are reserved, and those of ended processes are put together.

This extends private parts of `prometheus_client`, which decides when it is imported whether processes share counts. So
this module is imported after `service.metrics` has set that.
"""

from __future__ import annotations

import fcntl
import io
import mmap
import os
import struct
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog
from prometheus_client import values
from prometheus_client.mmap_dict import _INITIAL_MMAP_SIZE, MmapedDict

_KINDS = ("counter", "histogram")
_ENDED = "ended"
"""The name of the file of ended processes, which has that of a process in its place."""

_AGAIN = 0.01

_ENTRY = struct.calcsize("i") + 8 + struct.calcsize("dd")
"""The most bytes that an entry takes beside its key."""

_log = structlog.get_logger(__name__)
_warned = False


class CountsFile(MmapedDict):
    """A file of counts whose blocks are reserved before it is mapped into memory.

    The library maps files with holes, and when the disk is full, writing into one ends the process with SIGBUS. Where
    no block is left, this one counts on in memory that nobody is shown; counting never raises an error.
    """

    def __init__(self, filename: str) -> None:
        self.is_stored = True
        try:
            _reserve(Path(filename))
            super().__init__(filename)  # type: ignore[no-untyped-call]  # the library's
        except OSError as error:
            self._f, self._fname = io.BytesIO(), filename
            self._positions: dict[str, int] = {}
            self._used, self._capacity = 8, _INITIAL_MMAP_SIZE
            self._leave_the_file(mmap.mmap(-1, self._capacity), error)

    def _init_value(self, key: str) -> None:
        while self._used + len(key.encode()) + _ENTRY > self._capacity:
            self._grow(2 * self._capacity)
        super()._init_value(key)  # type: ignore[no-untyped-call]  # the library's, which has room now

    def _grow(self, capacity: int) -> None:
        if self.is_stored:
            try:
                os.posix_fallocate(self._f.fileno(), 0, capacity)
                self._m = mmap.mmap(self._f.fileno(), capacity)
            except OSError as error:
                self._leave_the_file(_larger(self._m, capacity), error)
        else:
            self._m = _larger(self._m, capacity)
        self._capacity = capacity

    def _leave_the_file(self, memory: mmap.mmap, error: OSError) -> None:
        global _warned
        self._m, self.is_stored = memory, False
        if not _warned:
            _warned = True
            _log.warning("no room for metrics: those of this process are missing", why=error.strerror)


def _larger(memory: mmap.mmap, capacity: int) -> mmap.mmap:
    larger = mmap.mmap(-1, capacity)
    larger[: len(memory)] = memory[:]
    return larger


def _reserve(file: Path) -> None:
    """Create a file with its blocks, or reserve those of one that is there; readers never find it without any."""
    if file.exists():
        with file.open("r+b") as found:
            os.posix_fallocate(found.fileno(), 0, max(os.fstat(found.fileno()).st_size, _INITIAL_MMAP_SIZE))
        return
    made = file.with_suffix(".new")
    try:
        with made.open("wb") as new:
            os.posix_fallocate(new.fileno(), 0, _INITIAL_MMAP_SIZE)
        made.rename(file)
    except OSError:
        made.unlink(missing_ok=True)
        raise


def use() -> None:
    """Let the library count in such files."""
    values.MmapedDict = CountsFile  # type: ignore[attr-defined, assignment]  # no other way


@contextmanager
def alone_in(folder: Path, seconds: float) -> Iterator[None]:
    """Keep other processes from putting files together during the block, which takes milliseconds.

    Raises:
        BlockingIOError: another process was in such a block all this time.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    until = time.monotonic() + seconds
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
            time.sleep(_AGAIN)  # under gevent, to wait for the lock would hold up everybody
        yield
    finally:
        os.close(descriptor)


def put_together(folder: Path) -> None:
    """Add the counts of ended processes to one file for each kind of metric, and remove theirs.

    The caller is `alone_in` the folder. Without room for that file, all are left as they are. A process that is killed
    between the two steps leaves counts that are added twice, never some that go back.
    """
    ended = defaultdict(list)
    for file in folder.glob("*_*.db"):
        kind, _, process = file.stem.rpartition("_")
        if kind in _KINDS and process.isdecimal() and not _runs(int(process)):
            ended[kind].append(file)
    for kind, files in ended.items():
        together, made = folder / f"{kind}_{_ENDED}.db", folder / f"{kind}_{_ENDED}.sum"
        sums: dict[str, float] = defaultdict(float)
        for file in (together, *files):
            for key, value in _counts(file):
                sums[key] += value
        made.unlink(missing_ok=True)
        written = CountsFile(str(made))
        for key, value in sums.items():
            written.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]  # the library's
        written.close()  # type: ignore[no-untyped-call]  # the library's
        if not written.is_stored:
            made.unlink(missing_ok=True)
            continue
        made.replace(together)
        for file in files:
            file.unlink()


def _counts(file: Path) -> list[tuple[str, float]]:
    """Return the counters in a file; none if it is not there, or was never complete."""
    try:
        found = MmapedDict.read_all_values_from_file(file)  # type: ignore[no-untyped-call]  # the library's
        return [(key, value) for key, value, *_ in found]
    except (FileNotFoundError, RuntimeError, UnicodeDecodeError, struct.error):
        return []


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:  # there is none, or it is somebody else's, and so none that counts here
        return False
    return True
