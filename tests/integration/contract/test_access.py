"""Operations that need a token: all routes of the application, compared with the document."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.api.json_response import JSON
from service.pages import resources
from tests.integration.contract.document import OPERATIONS
from tests.support.web import Person

ROOT = Path(__file__).resolve().parents[3]

PUBLIC = {
    ("POST", "/v1/sign-ins"),
    ("POST", "/v1/tokens"),
    ("GET", "/v1/games"),
    ("GET", "/v1/games/<id:game_id>"),
    ("GET", "/v1/games/<id:game_id>/moves"),
    ("GET", "/v1/games/<id:game_id>/moves/<int:seq>"),
    ("GET", "/v1/games/<id:game_id>/moves.atom"),
    ("GET", "/v1/games/<id:game_id>/legal-moves"),
    ("GET", "/v1/games/<id:game_id>/record"),
    ("GET", "/v1/games/<id:game_id>/seats/<int:seat>/goals"),
    ("GET", "/v1/games/<id:game_id>/checkpoints"),
    ("GET", "/v1/games/<id:game_id>/proofs/<number:version>"),
    ("GET", "/v1/games/<id:game_id>/proof"),
    ("GET", "/v1/solo-sessions/<id:session_id>/checkpoints"),
    ("GET", "/v1/solo-sessions/<id:session_id>/proofs/<number:version>"),
    ("GET", "/v1/solo-sessions/<id:session_id>/proof"),
    ("GET", "/v1/games/<id:game_id>/messages"),
    ("GET", "/v1/games/<id:game_id>/events"),
    ("GET", "/v1/games/<id:game_id>/board.svg"),
    ("GET", "/v1/games/<id:game_id>/board.png"),
    ("POST", "/v1/games/<id:game_id>/declines"),
    ("GET", "/v1/solo-sessions/<id:session_id>"),
    ("GET", "/v1/solo-sessions/<id:session_id>/moves"),
    ("GET", "/v1/solo-sessions/<id:session_id>/moves/<int:seq>"),
    ("GET", "/v1/solo-sessions/<id:session_id>/legal-moves"),
    ("GET", "/v1/solo-sessions/<id:session_id>/record"),
    ("GET", "/v1/solo-sessions/<id:session_id>/seats/<int:seat>/goals"),
    ("GET", "/v1/solo-sessions/<id:session_id>/events"),
    ("GET", "/v1/solo-sessions/<id:session_id>/board.svg"),
    ("GET", "/v1/solo-sessions/<id:session_id>/board.png"),
    ("GET", "/v1/games/<id:game_id>/moves.csv"),
    ("GET", "/v1/solo-sessions/<id:session_id>/moves.csv"),
    ("GET", "/v1/players/<id:player_id>/moves.csv"),
    ("GET", "/v1/games/<id:game_id>/story"),
    ("GET", "/v1/games/<id:game_id>/story.svg"),
    ("GET", "/v1/solo-sessions/<id:session_id>/story"),
    ("GET", "/v1/solo-sessions/<id:session_id>/story.svg"),
    ("GET", "/v1/imports/<id:import_id>"),
    ("GET", "/v1/imports/<id:import_id>/record"),
    ("GET", "/v1/imports/<id:import_id>/moves"),
    ("GET", "/v1/imports/<id:import_id>/moves/<int:seq>"),
    ("GET", "/v1/imports/<id:import_id>/legal-moves"),
    ("GET", "/v1/imports/<id:import_id>/board.svg"),
    ("GET", "/v1/imports/<id:import_id>/board.png"),
    ("GET", "/v1/imports/<id:import_id>/story"),
    ("GET", "/v1/imports/<id:import_id>/story.svg"),
    ("GET", "/v1/imports/<id:import_id>/moves.csv"),
    ("GET", "/v1/imports/<id:import_id>/seats/<int:seat>/goals"),
    ("GET", "/v1/invitation-link"),
    ("GET", "/v1/players/<id:player_id>"),
    ("GET", "/v1/players/<id:player_id>/games"),
    ("GET", "/v1/players/<id:player_id>/games.ndjson"),
    ("GET", "/v1/checkpoints"),
    ("GET", "/v1/checkpoints/<number:log>/checkpoints"),
    ("GET", "/v1/checkpoints/<number:log>/checkpoint"),
    ("GET", "/v1/checkpoints/<number:log>/checkpoints/<number:size>"),
    ("GET", "/v1/checkpoints/<number:log>/tile/<number:level>/<path:number>"),
    ("GET", "/v1/checkpoints/<number:log>/tile/entries/<path:number>"),
    ("GET", "/v1/checkpoints/<number:log>/consistency"),
    ("GET", "/v1/tiles"),
    ("GET", "/v1/rules"),
    ("GET", "/v1/rules/<version>"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/readyz/web"),
    ("GET", "/openapi.json"),
    ("GET", "/openapi.yaml"),
}
"""These routes need no token, and answer 404 for anything private. All others answer 401."""


def routes(app: Flask) -> set[tuple[str, str]]:
    """Return the routes of the API; those of pages have a table of their own (tests/unit/pages/page_rights.py)."""
    pages = {blueprint.name for blueprint in resources.BLUEPRINTS}
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] not in pages
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def an_address(rule: str) -> str:
    """Return a path for the rule, with ids of a table, token or seat that do not exist."""
    return re.sub(r"<(?:id|string):\w+>", "aaaaaaaaaaaa", re.sub(r"<int:\w+>", "1", rule))


def test_the_public_routes_exist(app: Flask) -> None:
    assert routes(app) >= PUBLIC


def test_all_other_routes_need_a_token(app: Flask, client: FlaskClient) -> None:
    for method, rule in sorted(routes(app) - PUBLIC):
        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Bearer {'A' * 43}"}):
            answer = client.open(an_address(rule), method=method, headers=headers, data=b"{", content_type="text/plain")
            assert answer.status_code == 401, (method, rule)
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_public_routes_do_not(client: FlaskClient) -> None:
    for method, rule in sorted(PUBLIC):
        assert client.open(an_address(rule), method=method).status_code not in (401, 403), (method, rule)


def test_a_wrong_token_is_refused_where_one_is_looked_at(client: FlaskClient) -> None:
    looked_at = [operation for operation in OPERATIONS if operation.takes_token]
    assert len(looked_at) > 50
    for operation in looked_at:
        path = re.sub(r"\{\w+_id\}", "aaaaaaaaaaaa", operation.path).replace("{seat}", "1").replace("{seq}", "1")
        answer = client.open(path, method=operation.method, headers={"Authorization": f"Bearer {'A' * 43}"})
        assert (answer.status_code, answer.get_json()["code"]) == (401, "token_invalid"), operation.id


@pytest.mark.slow
def test_an_operation_without_a_body_refuses_one(client: FlaskClient, sign_up: Callable[..., Person]) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    ids = {
        "token_id": client.get("/v1/tokens", headers=ann.headers).get_json()["items"][0]["id"],
        "player_id": ben.account,
        "session_id": client.post("/v1/solo-sessions", headers=ann.headers).get_json()["id"],
    }
    game = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).get_json()
    checked = 0
    for operation in OPERATIONS:
        names = set(re.findall(r"\{(\w+)\}", operation.path))
        if operation.method == "get" or operation.body is not None or not names <= {*ids, "game_id"}:
            continue
        checked += 1
        path = operation.path.format(game_id=game["id"], **ids)
        for data, content_type, status in ((b'{"x": 1}', JSON, 422), (b"{", JSON, 400), (b"x", "text/plain", 415)):
            answer = client.open(
                path, method=operation.method, headers=ann.headers, data=data, content_type=content_type
            )
            assert answer.status_code == status, (operation.id, data, answer.text)
    assert checked > 9
    for data in (b"", b"{}"):
        path = f"/v1/me/blocked/{ben.account}"
        assert client.put(path, headers=ann.headers, data=data, content_type=JSON).status_code in (200, 204)


def test_the_guide_names_what_looks_at_no_token(client: FlaskClient) -> None:
    guide = (ROOT / "docs" / "guide" / "signing-in.md").read_text(encoding="utf-8")
    looks_at_none = guide[guide.index("looks at no token") :].partition("\n\n")[0]
    for operation in OPERATIONS:
        if operation.method == "get" and operation.path.startswith("/v1/") and not operation.takes_token:
            beginning = "/".join(operation.path.split("/")[:3])
            named = "moves.atom" if operation.path.endswith("/moves.atom") else beginning
            assert f"`{named}`" in looks_at_none, operation.path


def test_the_document_says_the_same(app: Flask) -> None:
    documented = {(operation.method.upper(), operation.path) for operation in OPERATIONS if operation.needs_token}
    walked = {(method, re.sub(r"<\w+:(\w+)>", r"{\1}", rule)) for method, rule in routes(app) - PUBLIC}
    assert documented == walked


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_private_game_is_not_there_for_others(
    client: FlaskClient, sign_up: Callable[..., Person], visibility: str
) -> None:
    ann, eve = sign_up("Ann"), sign_up("Eve")
    made = client.post("/v1/games", json={"seats": 2, "visibility": visibility}, headers=ann.headers)
    path = made.headers["Location"]
    below = "moves moves/1 legal-moves record seats/0/goals messages board.svg board.png story moves.csv"
    for suffix in ("", *(f"/{name}" for name in below.split())):
        for headers in ({}, eve.headers):
            status = client.get(path + suffix, headers=headers).status_code
            assert (status == 404) or visibility == "public"
    unknown = client.get("/v1/games/aaaaaaaaaaaa", headers=eve.headers)
    if visibility == "private":
        seen = client.get(path, headers=eve.headers)
        assert seen.get_json()["code"] == unknown.get_json()["code"]
        assert client.get("/v1/games", headers=eve.headers).get_json()["items"] == []
