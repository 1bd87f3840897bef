"""A clock that is stepped for some processes by Debian's libfaketime, which reads the offset from a file."""

import re
from pathlib import Path

HOUR = 3600

_LEFT_BEHIND = re.compile(r"(sem\.)?faketime_(sem|shm)_(\d+)")

MISSING = "needs libfaketime, which Debian has in its package faketime"

_LIBRARY = "faketime/libfaketimeMT.so.1"
_FOLDERS = ("/usr/lib", "/usr/local/lib")


class SteppedClock:
    """The wall clock of processes that are started with `environ`; their monotonic clock is left alone.

    Args:
        file: the file with the offset, which is created; every account may read it.
        library: see `library`.
    """

    def __init__(self, file: Path, library: Path) -> None:
        self._file = file
        self.step(0)
        file.chmod(0o644)
        self.environ = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_CACHE_DURATION": "1",  # without a job it never looks again
            "NO_FAKE_STAT": "1",
            "PYTHONPATH": str(Path(__file__).with_name("stepped")),
        }

    def step(self, seconds: int) -> None:
        """Put the clock a number of seconds ahead of the true time, or behind it if negative.

        It takes up to 2 seconds to show.
        """
        new = self._file.with_name(self._file.name + ".new")
        new.write_text(f"{seconds:+d}\n")
        new.chmod(0o644)
        new.rename(self._file)


def clear_up() -> None:
    """Remove what libfaketime left in shared memory for processes that are gone, which happens if they are killed."""
    for path in Path("/dev/shm").iterdir():
        kept = _LEFT_BEHIND.fullmatch(path.name)
        if kept and not Path("/proc", kept[3]).exists():
            path.unlink(missing_ok=True)


def library() -> Path | None:
    """Return the library for processes with threads, or None if it is not installed."""
    for folder in map(Path, _FOLDERS):
        for path in (folder / _LIBRARY, *folder.glob(f"*/{_LIBRARY}")):
            if path.exists():
                return path
    return None


def bin_folder(folder: Path, programs: Path, clock: SteppedClock) -> Path:
    """Create and return a folder with the programs of a Postgres that uses this clock."""
    folder.mkdir()
    folder.chmod(0o755)
    for program in programs.iterdir():
        (folder / program.name).symlink_to(program)
    told = " ".join(f"{name}='{value}'" for name, value in clock.environ.items() if name != "PYTHONPATH")
    server = folder / "postgres"
    server.unlink()
    server.write_text(f"#!/bin/sh\nexec env {told} '{programs / 'postgres'}' \"$@\"\n")
    server.chmod(0o755)
    return folder
