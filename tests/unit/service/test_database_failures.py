"""What commands say if the database refuses what they do: read-only, not migrated, without rights, or away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from service.access.address_hash import address_hashes
from service.access.return_path import references
from service.store.migrate import upgrade
from tests.support.command_line import environ
from tests.support.command_line import run_in as novaluna
from tests.support.databases import as_service
from tests.support.releases import FIRST

_KEY, _SENT = "k" * 32, "turn.G4mE8sWqKzRt.7.a"
_REASON = ("--reason", "a drill")


@pytest.fixture(scope="module")
def bare(make_module_database: Callable[[], str]) -> str:
    """Return the URL of a database without tables."""
    return make_module_database()


@pytest.fixture(scope="module")
def read_only(make_module_database: Callable[[], str]) -> str:
    """Return the URL of a database with an account that takes no writes."""
    url = make_module_database()
    upgrade(url, as_service(url))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO accounts (id, email, created_at) VALUES ('a', 'ann@example.net', now())")
        connection.execute(
            "INSERT INTO tokens (id, hash, account, created_at, expires_at) VALUES ('t', sha256(''), 'a', now(), now())"
        )
        connection.execute(
            "INSERT INTO deliveries (key, account, kind, state, address_hash, reference, queued_at, at)"
            " VALUES (%s, 'a', 'turn', 'sent', %s, %s, now(), now())",
            (_SENT, address_hashes((_KEY,), "ann@example.net")[0], references((_KEY,), _SENT)[0]),
        )
        connection.execute(f'ALTER DATABASE "{connection.info.dbname}" SET default_transaction_read_only = on')
    return url


@pytest.fixture
def bounce(tmp_path: Path) -> str:
    """Return the path of a report that came to the return path of a mail."""
    (reference,) = references((_KEY,), _SENT)
    report = Path(__file__).parents[1] / "reading" / "bounces" / "gmail-no-such-user.eml"
    file = tmp_path / "report.eml"
    file.write_bytes(f"Delivered-To: nova-luna+bounce-{reference}@example.org\n".encode() + report.read_bytes())
    return str(file)


@pytest.mark.parametrize(
    "arguments",
    [
        ("account", "find", "ann"),
        ("games", "stuck"),
        ("game", "end", "G4mE8sWqKzRt", *_REASON),
        ("rebuild",),
        ("checkpoints", "status"),
        ("checkpoints", "rotate"),
        ("checkpoints", "close", *_REASON),
        ("new-epoch",),
        ("export", "--parquet", "moves.parquet"),
    ],
    ids=" ".join,
)
def test_a_database_that_is_not_migrated_is_said(bare: str, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    named = tuple(str(tmp_path / each) if each.endswith(".parquet") else each for each in arguments)
    code, _, err = novaluna(environ(bare, tmp_path), *named)
    assert (
        code == 1 and "the database can't be used: it has not the schema of this version: run novaluna migrate" in err
    )
    assert "SELECT" not in err


@pytest.mark.parametrize(
    "arguments",
    [("account", "suspend", "a"), ("account", "revoke-tokens", "a"), ("new-epoch",)],
    ids=" ".join,
)
def test_a_database_that_is_read_only_is_said(read_only: str, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, _, err = novaluna(environ(read_only, tmp_path), *arguments)
    assert code == 1 and err.startswith("novaluna: the database can't be used: it is read-only (")


def test_a_log_in_a_read_only_database_is_not_split(make_database: Callable[[], str], tmp_path: Path) -> None:
    url = make_database()
    upgrade(url, as_service(url))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{connection.info.dbname}" SET default_transaction_read_only = on')
    code, _, err = novaluna(environ(url, tmp_path), "partition-log")
    assert code == 1 and err.startswith("novaluna: the database can't be used: it is read-only (")


def test_a_role_without_rights_is_told_of_the_owners(make_database: Callable[[], str], tmp_path: Path) -> None:
    owner = make_database()
    upgrade(owner, as_service(owner))
    code, _, err = novaluna(environ(as_service(owner), tmp_path), "partition-log")
    assert code == 1 and "NOVALUNA_OWNER_URL" in err


def test_a_report_of_a_bounce_is_kept_until_it_can_be_recorded(
    bare: str, read_only: str, bounce: str, tmp_path: Path
) -> None:
    for url, why in ((bare, "run novaluna migrate"), (read_only, "is read-only")):
        code, _, err = novaluna(environ(url, tmp_path), "bounces", bounce)
        assert code == 75 and why in err
    code, _, err = novaluna(environ("mysql://nova", tmp_path), "bounces", bounce)
    assert code == 75 and "DATABASE_URL is wrong" in err


def test_a_database_of_up_that_does_not_run_names_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    for arguments in (("new-epoch",), ("audit", "--all"), ("account", "find", "ann")):
        code, _, err = novaluna({}, *arguments, "--data", str(tmp_path))
        assert code in (1, 2) and "start novaluna up first" in err


def test_an_argument_that_is_not_utf_8_is_refused(database_url: str, tmp_path: Path) -> None:
    for arguments in (
        ("account", "find", "a\udcff"),
        ("account", "rename", "a", "a\udcff"),
        ("game", "end", "a\udcff", *_REASON),
        ("game", "end", "a", "--reason", "a\udcff"),
        ("mailbox", "a\udcff"),
        ("audit", "--all", "--after", "a\udcff"),
    ):
        code, _, err = novaluna(environ(database_url, tmp_path), *arguments)
        assert code == 2 and "it is not UTF-8: a\N{REPLACEMENT CHARACTER}" in err


def test_rebuild_fails_if_a_log_can_not_be_corrected(make_database: Callable[[], str], tmp_path: Path) -> None:
    owner = make_database()
    FIRST.fill(owner)
    upgrade(owner, as_service(owner))
    with psycopg.connect(owner) as connection:
        connection.execute("UPDATE progress SET version = 99")
    given = environ(owner, tmp_path)
    assert novaluna(given, "rebuild", "--dry-run").code == 1
    assert novaluna(given, "rebuild").code == 0
    with psycopg.connect(owner) as connection:
        connection.execute("ALTER TABLE setups DISABLE TRIGGER USER")
        connection.execute("UPDATE setups SET header = '{}' WHERE game = (SELECT min(game) FROM setups)")
        connection.execute("ALTER TABLE setups ENABLE TRIGGER USER")
    code, out, err = novaluna(given, "rebuild")
    assert code == 1 and "it can't be rebuilt" in out and "1 of them not corrected" in err


def test_a_mailbox_of_another_account_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(folder))

    for method in ("iterdir", "is_dir"):
        with monkeypatch.context() as patched:
            patched.setattr(Path, method, refuse)
            code, out, err = novaluna({}, "mailbox", "--data", str(tmp_path))
        assert (code, out) == (2, "") and "can't be read by this account: run the command as" in err
