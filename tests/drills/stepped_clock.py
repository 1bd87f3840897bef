"""A clock that is stepped for some processes: Debian's libfaketime, which reads by how much from a file."""

import re
from pathlib import Path

HOUR = 3600

_LEFT_BEHIND = re.compile(r"(sem\.)?faketime_(sem|shm)_(\d+)")

MISSING = "needs libfaketime, which Debian has in its package faketime"

_LIBRARY = "faketime/libfaketimeMT.so.1"
_FOLDERS = ("/usr/lib", "/usr/local/lib")


class SteppedClock:
    """The wall clock of the processes that are started with `environ`; the monotonic one goes on as it does.

    Args:
        file: where it is kept, made here; every account may read it.
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
            "FAKETIME_CACHE_DURATION": "1",  # without any it never looks again
            "NO_FAKE_STAT": "1",
            "PYTHONPATH": str(Path(__file__).with_name("stepped")),
        }

    def step(self, seconds: int) -> None:
        """Has it go so many seconds before the true time, or after it if negative; seen within 2 seconds."""
        new = self._file.with_name(self._file.name + ".new")
        new.write_text(f"{seconds:+d}\n")
        new.chmod(0o644)
        new.rename(self._file)


def clear_up() -> None:
    """Removes what libfaketime keeps in shared memory for processes that are gone.

    It doesn't do so if they are killed.
    """
    for path in Path("/dev/shm").iterdir():
        kept = _LEFT_BEHIND.fullmatch(path.name)
        if kept and not Path("/proc", kept[3]).exists():
            path.unlink(missing_ok=True)


def library() -> Path | None:
    """The library for processes with threads, if it is installed."""
    for folder in map(Path, _FOLDERS):
        for path in (folder / _LIBRARY, *folder.glob(f"*/{_LIBRARY}")):
            if path.exists():
                return path
    return None


def bin_folder(folder: Path, programs: Path, clock: SteppedClock) -> Path:
    """A folder, made here, with the programs of a Postgres that goes by this clock."""
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
