"""The commands `novaluna checkpoints …`: what they print, and what they refuse."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from service.checkpoints.notes import SignedNote
from service.local import checkpoint_keys
from service.store.base import engine_url
from tests.support import world
from tests.support.at_once import at_once
from tests.support.command_line import environ, run_in

SEED = base64.b64encode(bytes(32)).decode()


class Host:
    """The command line with a database in which a game has started, and a data folder."""

    def __init__(self, database_url: str, owner_url: str, data: Path) -> None:
        self._database_url, self._owner_url, self.data = database_url, owner_url, data
        self.engine = create_engine(engine_url(database_url))
        with Session(self.engine) as session, session.begin():
            world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))

    def __call__(self, *arguments: str, **settings: str) -> tuple[int, str, str]:
        given = {f"NOVALUNA_CHECKPOINT_{name.upper()}": value for name, value in settings.items()}
        return run_in(environ(self._database_url, self.data) | given, "checkpoints", *arguments)

    def as_owner(self, *statements: str) -> None:
        """Run statements as the owner of the tables, whom no trigger stops."""
        engine = create_engine(engine_url(self._owner_url))
        with engine.begin() as connection:
            for table in ("checkpoint_keys", "checkpoint_notes", "checkpoint_batches"):
                connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER ALL"))
            for statement in statements:
                connection.execute(text(statement))
        engine.dispose()


@pytest.fixture
def host(database_url: str, owner_url: str, tmp_path: Path) -> Iterator[Host]:
    made = Host(database_url, owner_url, tmp_path)
    yield made
    made.engine.dispose()


@pytest.fixture
def keyed(host: Host) -> Host:
    """Return a host whose data folder has a key, as `novaluna up` makes one."""
    checkpoint_keys.load_or_create(host.data)
    return host


def test_make_prints_the_note_that_it_has_published(keyed: Host) -> None:
    code, out, err = keyed("make")
    named = "the log that has begun is named 127.0.0.1:8080/v1/checkpoints/1, and keeps that name\n"
    assert (code, err) == (0, f"novaluna: NOVALUNA_BASE_URL is not set, so {named}")
    assert SignedNote.parse(out).text.startswith("127.0.0.1:8080/v1/checkpoints/1\n256\n")
    code, out, err = keyed("make")
    assert (code, out.split("\n")[1], err) == (0, "512", "")


def test_make_without_a_key_offers_one(host: Host) -> None:
    code, out, err = host("make")
    assert (code, out) == (2, "")
    assert err.startswith("novaluna: NOVALUNA_CHECKPOINT_KEYS is not set. This is a new seed for it: ")


def test_status_says_what_there_is(keyed: Host) -> None:
    code, out, err = keyed("status")
    assert (code, err) == (0, "") and out.startswith("no log has begun; ")
    keyed("make")
    code, out, err = keyed("status")
    assert (code, err) == (0, "")
    first, key, newest, due = out.splitlines()
    assert first == "log 1: 127.0.0.1:8080/v1/checkpoints/1, open"
    assert key.startswith("  key 127.0.0.1:8080/v1/checkpoints/1+")
    assert newest.startswith("  size 256, root ") and newest.endswith(", no witness")
    assert due.startswith("next batch at ") and due.endswith("T00:10:00.000Z")


def test_status_names_what_is_missing(host: Host) -> None:
    code, _, err = host("status")
    assert (code, err) == (1, "novaluna: NOVALUNA_CHECKPOINT_KEYS is not set, so no checkpoints are made\n")


def test_status_names_a_batch_that_is_late(keyed: Host) -> None:
    keyed("make")
    keyed.as_owner("UPDATE checkpoint_batches SET made_at = made_at - interval '3 days'")
    code, _, err = keyed("status")
    assert code == 1 and err.startswith("novaluna: a batch was due more than an hour ago")


def test_status_and_make_name_a_log_that_went_back(keyed: Host) -> None:
    keyed("make")
    keyed("make")
    keyed.as_owner("DELETE FROM checkpoint_notes WHERE size = 512", "DELETE FROM checkpoint_batches WHERE size = 512")
    for command in ("status", "make"):
        code, _, err = keyed(command)
        assert code == 1 and err.startswith("novaluna: checkpoint_rolled_back: "), command
        assert "has a note of size 512, which the database lacks. Close the log" in err, command


def test_status_shows_what_is_not_signed_or_not_published(keyed: Host) -> None:
    keyed("make")
    keyed.as_owner("DELETE FROM checkpoint_notes WHERE stage = 'published'")
    assert "  a checkpoint is signed, and waits for witnesses\n" in keyed("status")[1]
    keyed.as_owner("DELETE FROM checkpoint_notes")
    assert "  a batch is stored and not signed\n" in keyed("status")[1]


def test_a_log_is_closed_and_the_next_one_begins(keyed: Host) -> None:
    assert keyed("close", "--reason", "x")[::2] == (
        1,
        "novaluna: no_open_log: No log is open. The next batch begins one: novaluna checkpoints make\n",
    )
    keyed("make")
    code, _, err = keyed("close", "--reason", "The key was lost.")
    assert (code, err) == (0, "novaluna: log 1 is closed; the next checkpoint begins the next log\n")
    assert keyed("make")[1].startswith("127.0.0.1:8080/v1/checkpoints/2\n256\n")
    assert "log 1: 127.0.0.1:8080/v1/checkpoints/1, closed at " in keyed("status")[1]
    assert keyed("close")[0] == 2


def test_a_key_is_rotated_in_the_data_folder(keyed: Host) -> None:
    (old,) = _seeds(keyed)
    keyed("make")
    code, _, err = keyed("rotate")
    assert (code, err) == (
        0,
        "novaluna: there is a new key beside the old one; start the service again, so that it uses it\n",
    )
    first, second = _seeds(keyed)
    assert first == old
    assert keyed("rotate")[2] == (
        "novaluna: Both keys sign for 90 days, so that everybody learns of the new one. Drop the old one when it has"
        " been entered.\n"
    )
    assert keyed("make")[1].count("\n— ") == 2
    assert "Drop the old one on 20" in keyed("rotate")[2]
    keyed.as_owner("UPDATE checkpoint_keys SET added_at = added_at - interval '90 days'")
    assert keyed("rotate")[2].startswith("novaluna: the old key is dropped;")
    assert _seeds(keyed) == [second]
    assert keyed("make")[1].count("\n— ") == 1


def test_keys_in_the_environment_are_printed_to_be_set(host: Host) -> None:
    code, out, err = host("rotate", keys=SEED)
    first, second = out.split()
    assert (code, first, len(base64.b64decode(second))) == (0, SEED, 32)
    assert err == "novaluna: Set NOVALUNA_CHECKPOINT_KEYS to this line, and start the worker again.\n"


def test_a_key_file_that_others_can_read_is_refused(keyed: Host) -> None:
    (keyed.data / "checkpoint-keys").chmod(0o644)
    code, _, err = keyed("make")
    assert code == 1 and "can be read by others. Close it: chmod 600" in err


def test_a_policy_that_is_none_is_refused(keyed: Host) -> None:
    file = keyed.data / "policy"
    file.write_text("quorum w1\n")
    code, _, err = keyed("status", policy=str(file))
    assert code == 2 and err.startswith("novaluna: NOVALUNA_CHECKPOINT_POLICY is wrong: line ")


def test_two_that_make_a_key_at_once_get_the_same(tmp_path: Path) -> None:
    assert checkpoint_keys.load(tmp_path) is None
    made = at_once(*[partial(checkpoint_keys.load_or_create, tmp_path / "new")] * 8)
    assert set(made) == {checkpoint_keys.load(tmp_path / "new")}
    assert (tmp_path / "new" / "checkpoint-keys").stat().st_mode & 0o777 == 0o600


def _seeds(host: Host) -> list[str]:
    return (checkpoint_keys.load(host.data) or "").split()
