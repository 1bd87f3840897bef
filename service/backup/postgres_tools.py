"""Run the Postgres programs pg_dump and pg_restore."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.backup.errors import BackupError
from service.backup.temporary_files import temporary_file
from service.local.binaries import tools
from service.local.cluster import environment


class Feed:
    """The standard input of a program that may stop reading early; what it does not read is discarded.

    Only the program's exit code says whether it succeeded.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._taken = True

    def write(self, data: bytes) -> int:
        """Write the data, unless the program has stopped reading; return its length in any case."""
        if self._taken:
            try:
                self._pipe.write(data)
            except BrokenPipeError:
                self._taken = False
        return len(data)

    def flush(self) -> None:
        """Flush the pipe, unless the program has stopped reading."""
        if self._taken:
            try:
                self._pipe.flush()
            except BrokenPipeError:
                self._taken = False

    def close(self) -> None:
        """Close the pipe, even if the program does not read the last bytes."""
        with suppress(BrokenPipeError):
            self._pipe.close()


@dataclass(frozen=True)
class PostgresTools:
    """The programs pg_dump and pg_restore in one folder, for one database.

    Attributes:
        url: the database. Its password goes into the environment, because everybody can read the arguments of a
            process.
    """

    folder: Path
    url: str

    @property
    def major(self) -> int:
        """The major version of the programs."""
        said = subprocess.run([self.folder / "pg_dump", "--version"], capture_output=True, text=True, check=True).stdout
        return int(said.split()[2].partition(".")[0])

    @property
    def database(self) -> str:
        """The command-line argument that names the database, without its password."""
        given = {name: value for name, value in conninfo_to_dict(self.url).items() if name != "password"}
        return f"--dbname={make_conninfo('', **given)}"

    @contextmanager
    def running(
        self, argv: Sequence[str], *, stdin: int | IO[bytes] = subprocess.DEVNULL, stdout: int | IO[bytes]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program during the block; after a block that ends normally, wait for it and check its exit code.

        The block must close the program's standard input.

        Raises:
            BackupError: the program failed; the text quotes its error message.
        """
        with temporary_file() as said:
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
                raise BackupError(f"{argv[0]} failed: {why}")

    def _environment(self) -> Mapping[str, str]:
        password = conninfo_to_dict(self.url).get("password")
        return environment() | ({"PGPASSWORD": str(password)} if password else {})


def find_postgres_tools(bin_folder: Path | None, url: str) -> PostgresTools:
    """Return the tools in this bin folder; None: those in the wheel.

    Raises:
        LocalError: the programs are missing.
    """
    return PostgresTools(tools(bin_folder, ("pg_dump", "pg_restore")), url)
