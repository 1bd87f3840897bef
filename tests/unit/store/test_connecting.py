"""How processes connect: with time-outs that fit who waits, or through a pooler, where the host sets them."""

import os
import re
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from service.config import Settings
from service.store.connecting import OWNER, READS, WEB, WORK, connect_args
from service.store.timeouts import connection_class, listening_class

MANUAL = Path(__file__).parents[3] / "docs" / "OPERATING.md"
SETTINGS = Settings(database_url="postgresql:///none", secret_keys=())


def test_behind_a_pooler_the_host_sets_what_the_web_server_does() -> None:
    zone, *timeouts = re.findall(r"-c (\w+=\w+)", str(connect_args(SETTINGS, WEB, "novaluna")["options"]))
    assert zone == "timezone=UTC"
    told = re.findall(r"ALTER ROLE nova_service SET (\w+) = '(\w+)';", MANUAL.read_text())
    assert timeouts == [f"{name}={value}" for name, value in told] != []


def test_a_pooler_gets_no_options_but_the_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    told = connect_args(replace(SETTINGS, database_pooler="transaction"), WEB, "novaluna")
    assert told == {"connect_timeout": 3, "application_name": "novaluna", "prepare_threshold": None}
    assert os.environ["PGTZ"] == "UTC"


def test_parts_that_can_wait_longer_have_longer_time_outs() -> None:
    assert READS.statement < WEB.statement < WORK.statement
    assert READS.lock < WEB.lock < WORK.lock
    assert (OWNER.statement, OWNER.idle) == (0, 0), "a migration may take long"
    assert 0 < OWNER.lock < WEB.lock, "nobody fails behind a lock that a migration waits for"


def test_only_a_connection_that_may_wait_long_can_listen(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as speaker:
        with listening_class(WEB).connect(database_url, autocommit=True) as listening:
            listening.execute("LISTEN heard")
            speaker.execute("NOTIFY heard, 'word'")
            assert [each.payload for each in listening.notifies(timeout=60, stop_after=1)] == ["word"]
        with connection_class(WEB).connect(database_url) as limited, pytest.raises(NotImplementedError, match="listen"):
            limited.notifies(timeout=0)
