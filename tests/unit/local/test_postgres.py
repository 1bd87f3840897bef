"""The embedded Postgres: it starts, it stops, and it is killed in every way."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from service.local.account import postgres_account
from service.local.child import spawn
from service.local.errors import FolderInUse, LocalError
from service.local.postgres import Postgres
from tests.support.running import processes

pytestmark = pytest.mark.xdist_group("postgres")  # they share one data folder

HASTY = {"fsync": "off"}
"""Processes are killed here, not machines, so the kernel has everything that they wrote."""

BIN_FOLDERS = [None, *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]


@pytest.fixture(scope="module")
def used_folder() -> Iterator[Path]:
    """Yield a data folder that already has its files, for tests that need no first start."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-test-"))
    with Postgres(folder, settings=HASTY):
        pass
    yield folder
    shutil.rmtree(folder)


@contextmanager
def launcher(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Yield a launcher in a process of its own, and its first line."""
    argv = [sys.executable, "-m", "tests.unit.local.launcher", str(folder)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline()
        process.kill()


def ask(postgres: Postgres, query: str) -> object:
    with psycopg.connect(postgres.url) as connection:
        row = connection.execute(query).fetchone()
        assert row is not None
        return row[0]


def keep(postgres: Postgres, number: int) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number integer)")
        connection.execute("INSERT INTO kept VALUES (%s)", (number,))


def forget(postgres: Postgres) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")


@pytest.mark.slow
@pytest.mark.parametrize("bin_folder", BIN_FOLDERS, ids=lambda folder: folder.parent.name if folder else "wheel")
def test_what_was_kept_is_there_after_a_stop(open_folder: Path, bin_folder: Path | None) -> None:
    data = open_folder / "data"
    settings = None if bin_folder is None else HASTY  # once with the real settings
    with Postgres(data, bin_folder=bin_folder, settings=settings) as postgres:
        keep(postgres, 7)
        assert ask(postgres, "SHOW fsync") == ("off" if settings else "on")
        assert ask(postgres, "SHOW listen_addresses") == ""
        assert ask(postgres, "SHOW server_encoding") == "UTF8"
        home = (data / "postgres").stat()
        assert stat.S_IMODE(home.st_mode) == 0o700
        assert home.st_uid == (pwd.getpwnam("nova-luna").pw_uid if os.getuid() == 0 else os.getuid())
    assert processes(data) == {}
    with Postgres(data, bin_folder=bin_folder, settings=settings) as postgres:
        assert ask(postgres, "SELECT number FROM kept") == 7


def test_a_folder_has_one_launcher_at_a_time(used_folder: Path) -> None:
    with Postgres(used_folder, settings=HASTY) as postgres:
        with pytest.raises(LocalError, match="in use"):
            Postgres(used_folder).start()
        assert ask(postgres, "SELECT 1") == 1


@pytest.mark.slow
def test_a_launcher_that_is_refused_leaves_the_socket_of_the_other(open_folder: Path) -> None:
    data = open_folder / ("long" * 25)  # so long that the socket's folder is not in it
    with Postgres(data, settings=HASTY) as postgres:
        with pytest.raises(FolderInUse), Postgres(data):
            pass
        assert ask(postgres, "SELECT 1") == 1


def test_one_of_four_first_starts_at_once_gets_the_folder(open_folder: Path) -> None:
    argv = [sys.executable, "-m", "tests.unit.local.launcher", str(open_folder)]
    pipe = subprocess.PIPE
    four = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
    said = [process.stdout.readline() for process in four if process.stdout]
    assert sorted(line.split()[0] for line in said) == ["ready", "refused:", "refused:", "refused:"]
    for process in four:
        process.communicate()
        assert process.returncode == 0


def test_killed_and_launched_again_it_has_every_acknowledged_row(used_folder: Path) -> None:
    with Postgres(used_folder, settings=HASTY) as postgres:
        forget(postgres)
        for number in range(3):
            keep(postgres, number)
            assert postgres.process is not None
            postgres.process.kill()
            postgres.process.wait()
            postgres.start()
            assert ask(postgres, "SELECT count(*) FROM kept") == number + 1


@pytest.mark.parametrize("both", [False, True], ids=["launcher", "launcher and Postgres"])
def test_a_killed_launcher_leaves_nothing_running(used_folder: Path, both: bool) -> None:
    with launcher(used_folder) as (process, said):
        if both:
            os.kill(int(said.split()[1]), signal.SIGKILL)
        process.kill()
        process.wait()
        with Postgres(
            used_folder, settings=HASTY
        ) as postgres:  # waits until the last process of the former Postgres is gone
            keep(postgres, 1)
    assert processes(used_folder) == {}


def test_a_stale_pid_that_another_process_bears_is_no_obstacle(used_folder: Path) -> None:
    with Postgres(used_folder, settings=HASTY) as postgres:
        assert postgres.process is not None
        postgres.process.kill()
        postgres.process.wait()
    pid_file = used_folder / "postgres" / "pg" / "postmaster.pid"
    stale = pid_file.read_text().splitlines()
    bystander = spawn(
        ["sleep", "60"], env={"PATH": os.defpath}, last_signal=signal.SIGKILL, account=postgres_account(), cwd="/"
    )
    try:
        pid_file.write_text("\n".join([str(bystander.pid), *stale[1:]]) + "\n")
        with Postgres(used_folder, settings=HASTY) as postgres:
            assert ask(postgres, "SELECT 1") == 1
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_first_start_that_was_cut_short_is_made_anew(open_folder: Path) -> None:
    account = postgres_account()
    half = open_folder / "postgres" / "pg.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    os.chown(half.parent, account.uid, account.gid)
    with Postgres(open_folder, settings=HASTY) as postgres:
        assert ask(postgres, "SELECT current_database()") == "novaluna"


def test_a_path_too_long_for_a_socket_has_it_elsewhere(open_folder: Path) -> None:
    data = open_folder / ("d" * 60) / ("e" * 60)
    data.parent.mkdir()
    data.parent.chmod(0o711)  # whatever the umask
    with Postgres(data, settings=HASTY) as postgres:
        assert ask(postgres, "SELECT 1") == 1
        folder = Path(str(psycopg.conninfo.conninfo_to_dict(postgres.url)["host"]))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()


def test_its_log_quotes_no_row(used_folder: Path) -> None:
    with Postgres(used_folder, settings=HASTY) as postgres, psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TEMPORARY TABLE people (address text UNIQUE)")
        for _ in range(2):
            try:
                connection.execute("INSERT INTO people VALUES (%s)", ("ann@example.org",))
            except psycopg.errors.UniqueViolation as error:
                assert "ann@example.org" in str(error.diag.message_detail)
    log = (used_folder / "postgres.log").read_text()
    assert "duplicate key value" in log and "ann@example.org" not in log


def test_files_of_another_version_are_refused(used_folder: Path) -> None:
    version = used_folder / "postgres" / "pg" / "PG_VERSION"
    right = version.read_text()
    version.write_text("12\n")
    try:
        with pytest.raises(LocalError, match="made by Postgres 12"), Postgres(used_folder):
            pass
    finally:
        version.write_text(right)


def test_a_start_that_fails_shows_why(used_folder: Path) -> None:
    with pytest.raises(LocalError, match="no_such_setting"), Postgres(used_folder, settings={"no_such_setting": "1"}):
        pass
    assert processes(used_folder) == {}


def test_a_bin_folder_without_programs_is_refused_by_its_variable(open_folder: Path) -> None:
    with (
        pytest.raises(LocalError, match=r"^NOVALUNA_POSTGRES_BIN is wrong"),
        Postgres(open_folder / "data", bin_folder=open_folder),
    ):
        pass
