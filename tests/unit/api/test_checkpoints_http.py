"""The resources of checkpoints: what they give verifies, says how long it may be kept, and reveals no private game."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine import audit
from service.checkpoints import merkle, tiles
from service.checkpoints.bundles import Bundle
from service.checkpoints.notes import Checkpoint, SignedNote
from service.checkpoints.policies import Policy
from service.checkpoints.proofs import Consistency, Proof
from service.checkpoints.verifying import Known, Proved, verify
from service.jobs.checkpoints import CheckpointMaker
from service.queries.checkpoint_audit import compare
from service.store.unit import transaction
from tests.support.checkpointed import checkpoint_of
from tests.support.http_games import Game, start, start_solo
from tests.support.web import Person

SignUp = Callable[..., Person]


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    return start(client, sign_up(), sign_up())


@pytest.fixture
def shown(app: Flask, client: FlaskClient, game: Game) -> Game:
    """Return a game with two leaves: at version 0 and, two checkpoints later, at version 1."""
    checkpoint_of(app)
    game.move()
    checkpoint_of(app)
    checkpoint_of(app)
    return game


def _policy(client: FlaskClient) -> Policy:
    (log,) = client.get("/v1/checkpoints").get_json()["logs"]
    return Policy.parse(log["policy"])


def _newest(client: FlaskClient) -> Checkpoint:
    return _policy(client).check(SignedNote.parse(client.get("/v1/checkpoints/1/checkpoint").data))


def test_there_is_no_log_before_the_first_batch(client: FlaskClient) -> None:
    assert client.get("/v1/checkpoints").get_json() == {"logs": []}
    for path in ("checkpoint", "checkpoints", "checkpoints/256", "tile/0/000", "tile/entries/000"):
        answer = client.get(f"/v1/checkpoints/1/{path}")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_log"), path


def test_the_list_of_logs_gives_keys_and_a_policy(client: FlaskClient, shown: Game) -> None:
    answer = client.get("/v1/checkpoints")
    (log,) = answer.get_json()["logs"]
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    assert (log["log"], log["origin"], log["state"], log["size"]) == (1, "127.0.0.1:8080/v1/checkpoints/1", "open", 768)
    (key,) = log["keys"]
    assert (key["signs"], key["endorsement"]) == (True, None)
    assert log["policy"] == f"log {key['vkey']} http://127.0.0.1:8080/v1/checkpoints/1\nquorum none\n"


def test_checkpoints_are_listed_newest_first_in_pages(client: FlaskClient, shown: Game) -> None:
    first = client.get("/v1/checkpoints/1/checkpoints?limit=2")
    assert first.headers["Cache-Control"] == "public, max-age=60"
    assert [item["size"] for item in first.get_json()["items"]] == [768, 512]
    second = client.get(f"/v1/checkpoints/1/checkpoints?limit=2&cursor={first.get_json()['next']}").get_json()
    assert ([item["size"] for item in second["items"]], second["next"]) == ([256], None)
    (item,) = second["items"]
    assert item["witnesses"] == [] and item["signed_at"].endswith("Z")


def test_a_note_can_be_kept_for_five_seconds(client: FlaskClient, shown: Game) -> None:
    newest = client.get("/v1/checkpoints/1/checkpoint")
    assert newest.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert newest.headers["Cache-Control"] == "public, max-age=5"
    assert newest.data == client.get("/v1/checkpoints/1/checkpoints/768").data
    assert client.get("/v1/checkpoints/1/checkpoints/500").get_json()["code"] == "no_such_checkpoint"


def test_tiles_make_up_the_root_and_are_kept_for_a_year(client: FlaskClient, shown: Game) -> None:
    entries = []
    for number in range(3):
        answer = client.get(f"/v1/checkpoints/1/tile/entries/{number:03}")
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Type"] == "application/octet-stream"
        bundle = tiles.unpack_entries(answer.data)
        entries += bundle
        hashes = client.get(f"/v1/checkpoints/1/tile/0/{number:03}")
        assert hashes.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert tiles.hashes_of(hashes.data) == [merkle.leaf_hash(entry) for entry in bundle]
    assert merkle.root_of([merkle.leaf_hash(entry) for entry in entries]) == _newest(client).root
    for width in (1, 2, 3):
        partial = tiles.hashes_of(client.get(f"/v1/checkpoints/1/tile/1/000.p/{width}").data)
        assert len(partial) == width
        note = SignedNote.parse(client.get(f"/v1/checkpoints/1/checkpoints/{256 * width}").data)
        assert merkle.root_of(partial) == _policy(client).check(note).root


UNKNOWN_TILES = """
    0/003 0/0 0/x000/000 0/000.p/1 0/000.p/256 1/000 1/000.p/4 1/000.p/0 1/000.p/03 1/001.p/1 2/000.p/1 7/000 63/000
    -1/000 a/000 entries/003 entries/000.p/3 entries/abc 0/x999/x999/x999/x999/x999/999
    entries/x999/x999/x999/x999/x999/999
"""


def test_tiles_that_no_published_checkpoint_has_are_unknown(client: FlaskClient, shown: Game) -> None:
    for path in UNKNOWN_TILES.split():
        answer = client.get(f"/v1/checkpoints/1/tile/{path}")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "no_such_tile"), path
        assert "immutable" not in answer.headers["Cache-Control"]


def test_consistency_is_proved_between_published_sizes(client: FlaskClient, shown: Game) -> None:
    for old, new in ((256, 512), (256, 768), (512, 768), (768, 768)):
        answer = client.get(f"/v1/checkpoints/1/consistency?from={old}&to={new}")
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        step = Consistency.parse(answer.text)
        older = _policy(client).check(SignedNote.parse(client.get(f"/v1/checkpoints/1/checkpoints/{old}").data))
        newer = _policy(client).check(SignedNote.parse(step.note))
        assert (step.old, newer.size) == (old, new)
        assert merkle.is_consistent(old, new, older.root, newer.root, step.path)


OTHER_SIZES = {
    "from=256&to=500": (404, "no_such_checkpoint"),
    "from=255&to=256": (404, "no_such_checkpoint"),
    "from=512&to=256": (422, "wrong_fields"),
    "from=256": (422, "wrong_fields"),
    "from=0&to=256": (422, "wrong_fields"),
    "from=256&to=9007199254740992": (422, "wrong_fields"),
    "from=256&to=512&more=1": (422, "wrong_fields"),
}


def test_other_sizes_have_no_consistency(client: FlaskClient, shown: Game) -> None:
    for query, expected in OTHER_SIZES.items():
        answer = client.get(f"/v1/checkpoints/1/consistency?{query}")
        assert (answer.status_code, answer.get_json()["code"]) == expected, query


def test_leaves_say_which_checkpoint_had_them_first(client: FlaskClient, shown: Game) -> None:
    answer = shown.get("/checkpoints")
    leaves = answer.get_json()["leaves"]
    assert "private" in answer.headers["Cache-Control"]
    assert [(leaf["version"], leaf["status"], leaf["size"]) for leaf in leaves] == [
        (0, "running", 256),
        (1, "running", 512),
    ]
    assert answer.get_json()["next_at"] == "2026-11-28T00:10:00.000Z"


def test_a_bundle_verifies_with_the_record(client: FlaskClient, shown: Game) -> None:
    answer = shown.get("/proof?from=256")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{shown.id}.proof.json"'
    kept = _policy(client).check(SignedNote.parse(client.get("/v1/checkpoints/1/checkpoints/256").data))
    record = json.loads(shown.get("/record").data)
    found = verify(record, Bundle.parse(answer.data), _policy(client), Known(kept.size, kept.root))
    assert [(proved.version, proved.status, proved.size) for proved in found] == [
        (0, "running", 768),
        (1, "running", 768),
    ]


def test_a_bundle_verifies_alone_and_from_any_size(client: FlaskClient, shown: Game) -> None:
    record = json.loads(shown.get("/record").data)
    assert len(verify(record, Bundle.parse(shown.get("/proof").data), _policy(client))) == 2
    for size in (512, 768):
        note = SignedNote.parse(client.get(f"/v1/checkpoints/1/checkpoints/{size}").data)
        known = Known(size, _policy(client).check(note).root)
        bundle = Bundle.parse(shown.get(f"/proof?from={size}").data)
        assert len(verify(record, bundle, _policy(client), known)) == 2


def test_a_finished_game_has_a_finished_leaf(app: Flask, client: FlaskClient, game: Game) -> None:
    game.post(game.to_move(), {"type": "resign"})
    checkpoint_of(app)
    record = json.loads(game.get("/record").data)
    bundle = Bundle.parse(game.get("/proof").data)
    (proved,) = verify(record, bundle, _policy(client))
    assert proved == Proved(len(record["log"]), "finished", proved.index, 256)


def test_a_proof_is_that_of_the_bundle(client: FlaskClient, shown: Game) -> None:
    answer = shown.get("/proofs/1")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{shown.id}-1.tlog-proof"'
    assert Proof.parse(answer.text).version == 1
    assert answer.text == shown.get("/proof").get_json()["proofs"][1]


def test_what_no_checkpoint_has_is_named(client: FlaskClient, game: Game) -> None:
    for path in ("proofs/0", "proofs/1", "proof", "proofs/99999", "proofs/x", "proofs/9007199254740992"):
        answer = game.get(f"/{path}")
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_in_checkpoint"), path
    assert game.get("/checkpoints").get_json()["leaves"] == []


def test_a_bundle_from_an_unknown_size_is_refused(client: FlaskClient, shown: Game) -> None:
    assert shown.get("/proof?from=300").get_json()["code"] == "no_such_checkpoint"


def test_what_is_signed_and_not_published_is_not_shown(
    app: Flask, client: FlaskClient, shown: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown.move()
    monkeypatch.setattr(CheckpointMaker, "_publish", lambda *_: None)
    checkpoint_of(app)
    assert _newest(client).size == 768
    assert [leaf["version"] for leaf in shown.get("/checkpoints").get_json()["leaves"]] == [0, 1]
    assert shown.get("/proofs/2").status_code == 404
    for path in ("tile/entries/003", "tile/0/003", "tile/1/000.p/4", "checkpoints/1024"):
        assert client.get(f"/v1/checkpoints/1/{path}").status_code == 404, path


def test_a_solo_session_has_no_proofs_for_others(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    game = start_solo(client, sign_up())
    checkpoint_of(app)
    stranger = sign_up()
    for path in ("/checkpoints", "/proofs/0", "/proof"):
        assert game.get(path).status_code == 200
        answer: Any = game.get(path, reader=stranger)
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")
        assert client.get(f"{game.path}{path}").status_code == 404


def test_erasing_a_player_leaves_chain_and_proofs_valid(app: Flask, client: FlaskClient, shown: Game) -> None:
    gone, other = shown.players
    kept = Bundle.parse(shown.get("/proof").data)
    assert client.delete("/v1/me", headers=gone.headers).status_code == 204
    checkpoint_of(app)
    line = shown.get("/record", reader=other).data
    audit.check(line)
    fresh = Bundle.parse(shown.get("/proof?from=256", reader=other).data)
    assert [proved.status for proved in verify(json.loads(line), kept, _policy(client))] == ["running", "running"]
    first = _policy(client).check(SignedNote.parse(client.get("/v1/checkpoints/1/checkpoints/256").data))
    proved = verify(json.loads(line), fresh, _policy(client), Known(256, first.root))
    assert [each.status for each in proved] == ["running", "running", "finished"]
    with app.app_context(), transaction() as session:
        assert list(compare(session)) == []
