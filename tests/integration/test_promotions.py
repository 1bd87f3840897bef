"""A standby takes over while a web process goes on, and lacks what was acknowledged last: it is taken for lost."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.store.connecting import WEB
from service.store.primary import NotPrimary
from service.store.timeouts import connection_class
from tests.integration.replicated import pair
from tests.support import web
from tests.support.clock import utcnow
from tests.support.http_games import Game, start
from tests.support.web import Person


@pytest.mark.slow
def test_what_a_new_primary_lacks_is_not_taken_for_what_comes() -> None:
    with pair() as both, ExitStack() as stack:
        app = web.make(utcnow, database_url=both.url)
        stack.callback(web.close, app)
        client = app.test_client()
        ann, ben, eve = (web.sign_up(app, f"{name}@example.org", name) for name in ("Ann", "Ben", "Eve"))
        game = start(client, ann, ben)
        kept = game.move().headers["ETag"]
        path = client.post("/v1/games", json={"seats": 3, "visibility": "public"}, headers=ann.headers).location
        after = _events(client, ann, "")["after"]
        both.cut()

        mover, other = game.to_move(), _other(game)
        undone = game.move().headers["ETag"]
        joined = client.post(f"{path}/players", json={}, headers=ben.headers)
        assert joined.status_code == 201
        both.place_events()
        told = _events(client, ann, f"?after={after}")
        assert told["items"], "the stream told of what is lost"
        both.take_over()

        seen = client.get(game.path, headers={"If-None-Match": undone, **ann.headers})
        assert (seen.status_code, seen.headers["ETag"]) == (200, kept)
        gone = _events(client, ann, f"?after={told['after']}")
        assert gone["code"] == "events_gone"
        stale = game.post(mover, other, {"If-Match": undone})
        assert stale.get_json()["code"] == "stale_version"
        again = game.post(mover, other)
        assert again.status_code == 201 and again.headers["ETag"] != undone
        both.place_events()
        assert _events(client, ann, f"?after={gone['after']}")["items"][0]["etag"] == again.headers["ETag"]
        assert client.get(f"{path}", headers=ann.headers).headers["ETag"] != joined.headers["ETag"]
        assert client.post(f"{path}/players", json={}, headers=eve.headers).headers["ETag"] != joined.headers["ETag"]

        both.return_of_the_former()
        with pytest.raises(NotPrimary):
            connection_class(WEB).connect(both.url)


def _events(client: FlaskClient, reader: Person, query: str) -> Any:
    return client.get(f"/v1/events{query}", headers=reader.headers).get_json()


def _other(game: Game) -> dict[str, object]:
    """Return another legal move than the first one."""
    legal = game.get("/legal-moves").get_json()
    cell = legal["cells"][-1]
    place = {"type": "place", "tile": legal["tiles"][-1], "x": cell["x"], "y": cell["y"]}
    return {**place, "expected_version": legal["version"]}
