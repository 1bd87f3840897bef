"""Read replicas: everything that is requested without a token can be answered by a read-only database."""

from __future__ import annotations

import psycopg
from flask import Flask

from tests.support.http_games import SignUp, start

_ASKED = ("", "/moves", "/moves/1", "/seats/0/goals", "/legal-moves", "/record", "/messages", "/board.svg")


def test_spectators_need_a_database_that_reads_only(app: Flask, sign_up: SignUp, owner_url: str) -> None:
    game = start(app.test_client(), sign_up(), sign_up())
    game.move()
    with psycopg.connect(owner_url, autocommit=True) as connection:
        database = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{database}" SET default_transaction_read_only = on'.encode())
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s AND pid <> "
            "pg_backend_pid()",
            [database],
        )
    client = app.test_client()
    for asked in ("/v1/games", "/v1/games?status=running", "/v1/tiles", *(f"{game.path}{part}" for part in _ASKED)):
        answer = client.get(asked)
        assert answer.status_code == 200, answer.text
    assert client.get(game.path).get_json()["version"] == 1
    refused = game.post(game.players[0], {"type": "resign"})
    assert refused.status_code >= 500
    assert game.view()["version"] == 1
