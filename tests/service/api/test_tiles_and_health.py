"""The catalogue, and the two addresses for whoever watches over the service."""

from collections.abc import Callable

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Engine, text

from engine.tiles import ALL


def test_all_tiles_are_public_and_may_be_kept(offline: FlaskClient) -> None:
    answer = offline.get("/v1/tiles")
    assert [(t["id"], t["color"], t["cost"], [g["asks"] for g in t["goals"]]) for t in answer.json["items"]] == [
        (tile.id, tile.color, tile.cost, list(tile.goals)) for tile in ALL
    ]
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    assert "Vary" not in answer.headers
    for tag in (answer.headers["ETag"], f"W/{answer.headers['ETag']}", '"other", ' + answer.headers["ETag"], "*"):
        again = offline.get("/v1/tiles", headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == answer.headers["ETag"]
    assert offline.get("/v1/tiles", headers={"If-None-Match": '"other"'}).status_code == 200
    assert offline.head("/v1/tiles").status_code == 200


def test_health_needs_nothing(offline: FlaskClient) -> None:
    assert offline.get("/healthz").json == {"status": "ok"}


def test_readiness_names_what_is_missing(client: FlaskClient, offline: FlaskClient, owner: Engine) -> None:
    away = offline.get("/readyz")
    assert (away.status_code, away.json["code"]) == (503, "not_ready")
    assert away.json["checks"]["database"] == "does not answer"

    unattended = client.get("/readyz")
    assert unattended.status_code == 503
    assert unattended.json["checks"] == {
        "database": "ok",
        "migrations": "ok",
        "worker": "no sign of life in the last 60 seconds",
    }

    def run(statement: str) -> None:
        with owner.begin() as connection:
            connection.execute(text(statement))

    run("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '61 seconds')")
    assert client.get("/readyz").status_code == 503
    run("INSERT INTO procrastinate_workers DEFAULT VALUES")
    assert client.get("/readyz").json == {
        "status": "ready",
        "checks": {"database": "ok", "migrations": "ok", "worker": "ok"},
    }
    run("UPDATE alembic_version SET version_num = '0001'")
    behind = client.get("/readyz")
    assert behind.status_code == 503
    assert "novaluna migrate" in behind.json["checks"]["migrations"]


def test_a_later_schema_is_no_reason_to_stop_and_none_to_start(make_app: Callable[..., Flask], owner: Engine) -> None:
    def migrations(client: FlaskClient) -> str:
        return client.get("/readyz").json["checks"]["migrations"]

    before = make_app().test_client()
    assert migrations(before) == "ok"
    with owner.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    # It was there first: the next release is about to take over, and its schema must do for this one meanwhile.
    assert migrations(before) == "ok"
    assert "later version" in migrations(make_app().test_client())
