"""Find which partitions of the log all requests about a game look into, by the counters of Postgres."""

from __future__ import annotations

import time
from typing import Any

import psycopg
from flask.testing import FlaskClient

from bench import served
from bench.copied import Copied
from service.app import create_app
from service.config import Settings

_KEY = "for-measurements-only-and-32-characters-long"
_SECONDS = 30.0

_COUNTED = """
    SELECT relname, seq_scan, coalesce(idx_scan, 0), n_tup_ins FROM pg_stat_user_tables WHERE relname ~ '^log_[0-9]+$'
"""

# A process of Postgres adds to the counters when it ends, at the latest.
_END = """
    SELECT count(*), count(*) FILTER (WHERE pg_terminate_backend(pid))
      FROM pg_stat_activity WHERE usename = %s AND backend_type = 'client backend'
"""


def touched(database: served.Database, made: Copied) -> set[str]:
    """Return the partitions that are looked into by all GETs of a running game and by a move."""
    settings = Settings(database_url=database.service_url, secret_keys=(_KEY,), data_dir=database.folder)
    client = create_app(settings).test_client()
    headers = {"Authorization": f"Bearer {made.reader.token}"}
    mine = _get(client, "/v1/games?my_turn=true&limit=1", headers)["items"][0]
    path = f"/v1/games/{mine['id']}"
    _flush(database)
    before = _counts(database)
    shown = _get(client, path, headers)
    for each in ("moves", "legal-moves"):
        _get(client, f"{path}/{each}", headers)
    _get(client, f"{path}?at=1", headers)
    move = {"type": "resign", "expected_version": shown["version"]}
    played = client.post(f"{path}/moves", json=move, headers=headers)
    assert played.status_code == 201, played.text
    _get(client, f"{path}/record", headers)
    _flush(database)
    after = _counts(database)
    return {name for name, counts in after.items() if counts != before[name]}


def _get(client: FlaskClient, path: str, headers: dict[str, str]) -> Any:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def _counts(database: served.Database) -> dict[str, tuple[Any, ...]]:
    with psycopg.connect(database.url) as connection:
        return {row[0]: row[1:] for row in connection.execute(_COUNTED)}


def _flush(database: served.Database) -> None:
    deadline = time.monotonic() + _SECONDS
    role = psycopg.conninfo.conninfo_to_dict(database.service_url)["user"]
    with psycopg.connect(database.url, autocommit=True) as connection:
        while True:
            row = connection.execute(_END, [role]).fetchone()
            if row is None or not row[0]:
                return
            if time.monotonic() > deadline:
                raise TimeoutError("the application's connections did not end")
            time.sleep(0.05)
