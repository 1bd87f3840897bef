"""Backups: a restore returns what was there, and one that is not possible changes nothing."""

import io
import os
import random
import stat
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pyrage
import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from service.backup import checksum, commands, older_server
from service.backup.dump import backup
from service.backup.encryption import decrypt
from service.backup.errors import BackupError
from service.backup.postgres_tools import Feed, find_postgres_tools
from service.backup.restore import open_verified, restore
from service.commands.rebuild import rebuild
from service.local.postgres import Postgres
from service.store import migrate
from service.store.base import engine_url
from tests.drills.service import open_folder
from tests.support.databases import as_service
from tests.support.releases import FIRST

CONTENT = {
    table: f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)), count(*) FROM {table} t"
    for table in (
        "accounts",
        "tokens",
        "tables",
        "seats",
        "draw_secrets",
        "setups",
        "log",
        "progress",
        "invitations",
        "idempotency",
        "procrastinate_jobs",
        "procrastinate_events",
    )
}

IDENTITY = pyrage.x25519.Identity.generate()
KEY = str(IDENTITY)


@pytest.fixture(scope="module")
def kept(make_module_database: Callable[[], str]) -> str:
    """Return the URL of a database with games."""
    url = make_module_database()
    FIRST.fill(url)
    migrate.upgrade(url, as_service(url))
    return url


@pytest.fixture(scope="module")
def sealed(kept: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an encrypted backup of that database."""
    file = tmp_path_factory.mktemp("backups") / "nova.backup"
    backup(find_postgres_tools(None, kept), file, str(IDENTITY.to_public()))
    return file


def put_back(url: str, source: Path | io.BytesIO, key: str | None) -> list[str]:
    def finish() -> list[str]:
        migrate.upgrade(url, as_service(url))
        engine = create_engine(engine_url(as_service(url)))
        with Session(engine) as session:
            differences: list[str] = list(rebuild(session, write=False))
        engine.dispose()
        return differences

    with open_verified(find_postgres_tools(None, url), source, key) as (file, notes):
        return notes + restore(find_postgres_tools(None, url), file, key, finish)


def content(url: str) -> dict[str, object]:
    with psycopg.connect(url) as connection:
        return {table: connection.execute(query).fetchone() for table, query in CONTENT.items()}


def test_what_comes_back_is_what_was_there(kept: str, sealed: Path, make_database: Callable[[], str]) -> None:
    assert stat.S_IMODE(sealed.stat().st_mode) == 0o600
    assert [path.name for path in sealed.parent.iterdir()] == [sealed.name]
    written = sealed.read_bytes()
    assert written.startswith(b"age-encryption.org/v1\n") and b"PGDMP" not in written
    assert pyrage.decrypt(written, [IDENTITY]).startswith(b"PGDMP")
    url = make_database()
    assert put_back(url, sealed, KEY) == []
    assert content(url) == content(kept)
    with psycopg.connect(as_service(url)) as connection:
        connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('q', 't')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE log SET move = 'resign'")


def test_a_backup_of_an_older_schema_is_brought_to_this_one(make_database: Callable[[], str]) -> None:
    old, url, stream = make_database(), make_database(), io.BytesIO()
    FIRST.fill(old)
    backup(find_postgres_tools(None, old), stream, None)
    stream.seek(0)
    assert put_back(url, stream, KEY) == []
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (78,)
    engine = create_engine(engine_url(url))
    with engine.connect() as connection:
        assert migrate.state(connection) == migrate.CURRENT
    engine.dispose()


def test_a_backup_from_before_checksums_is_put_back_and_said(make_database: Callable[[], str]) -> None:
    old, stream = make_database(), io.BytesIO()
    FIRST.fill(old)
    backup(find_postgres_tools(None, old), stream, None)
    before = io.BytesIO(stream.getvalue()[: -checksum.LENGTH])
    (said,) = put_back(make_database(), before, None)
    assert "from before backups had a checksum" in said
    for bad in (stream.getvalue()[: -checksum.LENGTH - 1], stream.getvalue()[:9000]):
        with pytest.raises(BackupError, match="cut short"):
            put_back(make_database(), io.BytesIO(bad), None)


def cut(sealed: Path) -> bytes:
    return sealed.read_bytes()[:-1000]


def turned(sealed: Path) -> bytes:
    written = bytearray(sealed.read_bytes())
    written[len(written) // 2] ^= 1
    return bytes(written)


def whole(sealed: Path) -> bytes:
    return sealed.read_bytes()


def cut_plain(sealed: Path) -> bytes:
    plain = pyrage.decrypt(sealed.read_bytes(), [IDENTITY])
    return bytes(plain[: len(plain) * 3 // 4])


def turned_plain(sealed: Path) -> bytes:
    written = bytearray(pyrage.decrypt(sealed.read_bytes(), [IDENTITY]))
    written[len(written) // 2] ^= 1
    return bytes(written)


def without_sum(sealed: Path) -> bytes:
    return bytes(pyrage.decrypt(sealed.read_bytes(), [IDENTITY]))[: -checksum.LENGTH]


@pytest.mark.parametrize(
    ("made", "key", "why"),
    [
        (whole, None, "is encrypted. Give its identity"),
        (whole, str(IDENTITY.to_public()), "is encrypted. Give its identity"),
        (whole, str(pyrage.x25519.Identity.generate()), "for another key than NOVALUNA_BACKUP_KEY"),
        (cut, KEY, "cut short"),
        (turned, KEY, "is damaged|damaged at its end"),
        (cut_plain, None, "cut short"),
        (turned_plain, None, "is damaged"),
        (without_sum, None, "cut short"),
        (lambda _: b"", None, "no backup of the service"),
        (lambda _: b"PGDMP and then nothing", None, "cut short.*pg_restore failed: "),
        (lambda _: pyrage.encrypt(b"a letter", [IDENTITY.to_public()]), KEY, "cut short.*pg_restore failed: "),
    ],
    ids=[
        "no key",
        "recipient",
        "other key",
        "cut",
        "turned",
        "plain, cut",
        "plain, turned",
        "no sum",
        "empty",
        "nothing",
        "a letter",
    ],
)
def test_what_cannot_be_put_back_is_said_and_changes_nothing(
    sealed: Path, make_database: Callable[[], str], made: Callable[[Path], bytes], key: str | None, why: str
) -> None:
    url = make_database()
    with pytest.raises(BackupError, match=why) as said:
        put_back(url, io.BytesIO(made(sealed)), key)
    assert "\n" not in str(said.value)
    assert count_tables(url) == 0


@pytest.mark.drill
def test_any_changed_byte_and_any_cut_is_found(
    sealed: Path, make_database: Callable[[], str], amount: Callable[[int], int]
) -> None:
    url, rng = make_database(), random.Random(12)
    plain = bytes(pyrage.decrypt(sealed.read_bytes(), [IDENTITY]))
    for written, key in ((plain, None), (sealed.read_bytes(), KEY)):
        for _ in range(amount(50)):
            place = rng.randrange(len(written))
            changed = written[:place] + bytes([written[place] ^ (1 << rng.randrange(8))]) + written[place + 1 :]
            for bad in (changed, written[:place]):
                with pytest.raises(BackupError):
                    put_back(url, io.BytesIO(bad), key)
    assert count_tables(url) == 0


@pytest.mark.parametrize("was_there", [False, True])
def test_a_restore_that_fails_leaves_no_folder(sealed: Path, tmp_path: Path, was_there: bool) -> None:
    folder, bad = tmp_path / "data", tmp_path / "bad.backup"
    if was_there:
        folder.mkdir()
    for written in (cut(sealed), turned(sealed), cut_plain(sealed), turned_plain(sealed), b""):
        bad.write_bytes(written)
        with pytest.raises(BackupError):
            commands.restore(str(bad), str(folder), {"NOVALUNA_BACKUP_KEY": KEY})
        assert not list(folder.iterdir()) if was_there else not folder.exists()


def count_tables(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert row is not None
        return int(row[0])


def test_a_program_that_has_read_enough_ends_nothing(sealed: Path) -> None:
    reading, writing = os.pipe()
    feed = Feed(os.fdopen(writing, "wb"))
    feed.write(b"a little, which stays in the buffer")
    os.close(reading)
    feed.close()

    reading, writing = os.pipe()
    os.close(reading)
    feed = Feed(os.fdopen(writing, "wb"))
    decrypt(KEY, io.BytesIO(whole(sealed)), feed)
    with pytest.raises(BackupError, match="cut short"):  # nobody needs its content, but it must be read to the end
        decrypt(KEY, io.BytesIO(cut(sealed)), feed)
    feed.close()


def test_a_backup_that_nobody_takes_has_failed(kept: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    nobody = os.fdopen(writing, "wb")
    with pytest.raises(BackupError, match="could not be written: Broken pipe"):
        backup(find_postgres_tools(None, kept), nobody, None)
    with suppress(BrokenPipeError):
        nobody.close()


def test_other_databases_and_later_versions_are_no_backups_of_this_one(make_database: Callable[[], str]) -> None:
    other, url = make_database(), make_database()
    with psycopg.connect(other, autocommit=True) as connection:
        with pytest.raises(BackupError, match="no tables of the service"):
            backup(find_postgres_tools(None, other), io.BytesIO(), None)
        connection.execute("CREATE TABLE log (); CREATE TABLE setups ()")
        for made, why in (
            ("SELECT", "holds another database"),
            ("CREATE TABLE alembic_version AS SELECT '9999' AS version_num", "a later version of the service"),
        ):
            connection.execute(made)
            stream = io.BytesIO()
            backup(find_postgres_tools(None, other), stream, None)
            stream.seek(0)
            with pytest.raises(BackupError, match=why):
                put_back(url, stream, None)
    assert count_tables(url) == 0


def test_nothing_is_put_over_what_is_there(kept: str, sealed: Path) -> None:
    before = content(kept)
    with pytest.raises(BackupError, match="The database is not empty"):
        put_back(kept, sealed, KEY)
    assert content(kept) == before


def test_a_backup_that_fails_leaves_the_one_before(kept: str, tmp_path: Path) -> None:
    file = tmp_path / "nova.backup"
    file.write_text("the one before")
    with pytest.raises(BackupError, match=r"may not read all tables and sequences\. Lead NOVALUNA_OWNER_URL"):
        backup(find_postgres_tools(None, as_service(kept)), file, KEY)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("nova.backup", "the one before")]
    with pytest.raises(BackupError, match="can't be written: No such file or directory"):
        backup(find_postgres_tools(None, kept), tmp_path / "nowhere" / "nova.backup", None)


def test_what_is_no_file_is_written_to_and_never_replaced(kept: str, tmp_path: Path) -> None:
    pipe, full = tmp_path / "pipe", tmp_path / "full"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_bytes)
        backup(find_postgres_tools(None, kept), pipe, None)
        with open_verified(find_postgres_tools(None, kept), io.BytesIO(read.result(10)), None) as (_, notes):
            assert notes == []
    full.symlink_to("/dev/full")
    with pytest.raises(BackupError, match="full could not be written: No space left on device"):
        backup(find_postgres_tools(None, kept), full, None)
    assert pipe.is_fifo() and full.is_char_device()
    assert sorted(tmp_path.iterdir()) == [full, pipe]


def test_a_named_pipe_is_restored_from_as_standard_input_is(
    kept: str, sealed: Path, make_database: Callable[[], str], tmp_path: Path
) -> None:
    pipe, url = tmp_path / "pipe", make_database()
    os.mkfifo(pipe)
    given = {"DATABASE_URL": as_service(url), "NOVALUNA_OWNER_URL": url, "NOVALUNA_BACKUP_KEY": KEY}
    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(pipe.write_bytes, sealed.read_bytes())
        assert commands.restore(str(pipe), None, given) == []
        written.result(10)
    assert content(url) == content(kept)


def test_a_full_folder_for_temporary_files_is_named(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = open("/dev/full", "w+b", buffering=0)  # noqa: SIM115 - the code under test closes it
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda: full)
    monkeypatch.setattr(tempfile, "tempdir", "/full")
    tools = find_postgres_tools(None, "")
    with (
        pytest.raises(BackupError, match=r"in /full: No space left on device. .* by TMPDIR"),
        open_verified(tools, io.BytesIO(sealed.read_bytes()), KEY),
    ):
        pass

    def refuse() -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with (
        pytest.raises(BackupError, match=r"No usable temporary directory found. .* by TMPDIR"),
        tools.running(["pg_dump", "--version"], stdout=subprocess.DEVNULL),
    ):
        pass


OLDER = Path("/usr/lib/postgresql/15/bin")
NEEDS_OLDER = pytest.mark.skipif(not (OLDER / "postgres").exists(), reason="needs Debian's PostgreSQL 15")


@pytest.mark.slow
@NEEDS_OLDER
def test_an_older_server_takes_all_of_a_backup_or_nothing(kept: str, sealed: Path) -> None:
    with open_folder("older") as folder, Postgres(folder / "data", bin_folder=OLDER) as older:
        tools = find_postgres_tools(None, older.url)
        with pytest.raises(BackupError, match="pg_restore failed: invalid"):
            older_server.restore(replace(tools, folder=_tools_that_fail(folder)), (), lambda _: None)
        assert count_tables(older.url) == 0
        assert put_back(older.url, sealed, KEY) == []
        assert content(older.url) == content(kept)


def _tools_that_fail(folder: Path) -> Path:
    """Return a folder with a pg_restore that fails after it has printed something, and the real psql."""
    real = find_postgres_tools(None, "").folder
    made = folder / "tools"
    made.mkdir()
    (made / "psql").symlink_to(real / "psql")
    (made / "pg_restore").write_text("#!/bin/sh\necho 'CREATE TABLE half (one integer);'\necho invalid >&2\nexit 1\n")
    (made / "pg_restore").chmod(0o755)
    return made


@NEEDS_OLDER
def test_programs_older_than_the_server_are_refused(kept: str) -> None:
    with pytest.raises(BackupError, match="is a Postgres 18, and pg_dump here is version 15"):
        backup(find_postgres_tools(OLDER, kept), io.BytesIO(), None)


@pytest.mark.slow
def test_backup_starts_a_postgres_that_does_not_run() -> None:
    with open_folder() as folder:
        data, file = folder / "data", folder / "nova.backup"
        postgres = Postgres(data)
        with postgres:
            migrate.upgrade(postgres.url, postgres.service_url)
            with psycopg.connect(postgres.url) as connection:
                connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('q', 'here')")
            commands.backup(str(file), str(data), {})
            file.unlink()
        commands.backup(str(file), str(data), {})
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(postgres.url)
        again = Postgres(folder / "again")
        assert commands.restore(str(file), str(again.folder), {}) == []
        with again, psycopg.connect(again.url) as connection:
            assert connection.execute("SELECT task_name FROM procrastinate_jobs").fetchall() == [("here",)]
