"""Running Postgres' own pg_dump and pg_restore."""

import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.backup.errors import KeepingError
from service.local.binaries import tools
from service.local.cluster import environment


class Feed:
    """The standard input of a program that may have read enough: what it doesn't take goes nowhere.

    Whether the program has done its work is told by its exit code alone.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._taken = True

    def write(self, data: bytes) -> int:
        """Passes it on, and says that all of it was."""
        if self._taken:
            try:
                self._pipe.write(data)
            except BrokenPipeError:
                self._taken = False
        return len(data)

    def flush(self) -> None:
        """Passes on what was written; to be asked by those who are given any stream."""
        if self._taken:
            try:
                self._pipe.flush()
            except BrokenPipeError:
                self._taken = False

    def close(self) -> None:
        """Ends the input. What was written last may be refused only now."""
        with suppress(BrokenPipeError):
            self._pipe.close()


@dataclass(frozen=True)
class Programs:
    """pg_dump and pg_restore of one folder, for one database.

    Attributes:
        url: the database. Its password is told in the environment, as everybody can read the arguments of a process.
    """

    folder: Path
    url: str

    @property
    def major(self) -> int:
        """Their version."""
        said = subprocess.run([self.folder / "pg_dump", "--version"], capture_output=True, text=True, check=True).stdout
        return int(said.split()[2].partition(".")[0])

    @property
    def database(self) -> str:
        """The argument that names the database."""
        given = {name: value for name, value in conninfo_to_dict(self.url).items() if name != "password"}
        return f"--dbname={make_conninfo('', **given)}"

    @contextmanager
    def running(
        self, argv: Sequence[str], *, stdin: int | IO[bytes] = subprocess.DEVNULL, stdout: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """One of them at work. When the block ends well, having closed its standard input, it must end well too.

        Raises:
            KeepingError: it failed; its own words are quoted.
        """
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                [self.folder / argv[0], *argv[1:]], stdin=stdin, stdout=stdout, stderr=said, env=self._environment()
            )
            try:
                yield process
                process.wait()
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            if process.returncode != 0:
                said.seek(0)
                first = said.read().decode(errors="replace").partition("\n")[0]
                why = first.removeprefix(f"{argv[0]}: ").removeprefix("error: ") or f"exit code {process.returncode}"
                raise KeepingError(f"{argv[0]} failed: {why}")

    def _environment(self) -> Mapping[str, str]:
        password = conninfo_to_dict(self.url).get("password")
        return environment() | ({"PGPASSWORD": str(password)} if password else {})


def programs(bin_folder: Path | None, url: str) -> Programs:
    """Those of this bin folder; None: of the wheel.

    Raises:
        LocalError: there are none.
    """
    return Programs(tools(bin_folder, ("pg_dump", "pg_restore")), url)
