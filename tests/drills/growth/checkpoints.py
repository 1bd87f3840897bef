"""Logs of checkpoints, their tiles, and the proofs of games: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site
from tests.support.checkpointed import checkpoint


@scene("checkpoints.list_checkpoint_logs")
@scene("checkpoints.list_checkpoints")
@scene("checkpoints.get_newest_checkpoint")
@scene("checkpoints.get_checkpoint")
@scene("checkpoints.get_tile")
@scene("checkpoints.get_entries")
@scene("checkpoints.get_consistency")
def read_log(site: Site) -> Iterator[None]:
    old = size_of_log(site)
    checkpoint(site.context.settings, site.context.clock)
    new = size_of_log(site)
    yield
    log = "/v1/checkpoints/1"
    site.ask(None, "GET", "/v1/checkpoints")
    site.ask(None, "GET", f"{log}/checkpoints?limit=1")
    for path in ("checkpoint", f"checkpoints/{old}", "tile/entries/000", "tile/0/001", f"tile/1/000.p/{old // 256}"):
        answer = site.client.get(f"{log}/{path}")
        assert answer.status_code == 200, answer.text
    assert site.client.get(f"{log}/consistency?from={old}&to={new}").status_code == 200


@scene("proofs.list_game_checkpoints")
@scene("proofs.get_proof")
@scene("proofs.get_proof_bundle")
def prove_game(site: Site) -> Iterator[None]:
    game = f"/v1/games/{site.public(site.copied.finished)}"
    size = size_of_log(site)
    yield
    (leaf,) = site.ask(None, "GET", f"{game}/checkpoints")["leaves"]
    assert site.client.get(f"{game}/proofs/{leaf['version']}").status_code == 200
    site.ask(None, "GET", f"{game}/proof?from={size}")


@scene("proofs.list_solo_checkpoints")
@scene("proofs.get_solo_proof")
@scene("proofs.get_solo_proof_bundle")
def prove_solo(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = f"/v1/solo-sessions/{site.solo(player)}"
    checkpoint(site.context.settings, site.context.clock)
    yield
    site.ask(player, "GET", f"{solo}/checkpoints")
    caller = {"Authorization": f"Bearer {player.token}"}
    assert site.client.get(f"{solo}/proofs/0", headers=caller).status_code == 200
    site.ask(player, "GET", f"{solo}/proof")


def size_of_log(site: Site) -> int:
    """Return the size of the newest checkpoint, after one was made if there is none."""
    newest = "SELECT size FROM checkpoint_notes WHERE stage = 'published' ORDER BY size DESC LIMIT 1"
    if not site.sql(newest):
        checkpoint(site.context.settings, site.context.clock)
    return int(site.sql(newest)[0][0])
