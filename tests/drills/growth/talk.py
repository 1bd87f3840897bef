"""Messages at a table, and notes: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

from collections.abc import Iterator

from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site


@scene("messages.list_messages")
def list_messages(site: Site) -> Iterator[None]:
    yield
    site.ask(None, "GET", f"/v1/games/{site.public(site.copied.finished)}/messages")


@scene("messages.list_messages", "deep")
def list_messages_deep(site: Site) -> Iterator[None]:
    yield
    path = f"/v1/games/{site.public(site.copied.finished)}/messages"
    site.ask(None, "GET", f"{path}?cursor={site.cursor(path, 2)}")


@scene("messages.say")
def say(site: Site) -> Iterator[None]:
    game = f"/v1/games/{site.my_turn()}"
    yield
    site.ask(site.reader, "POST", f"{game}/messages", {"text": "Well played."}, **{"Idempotency-Key": f"of-{game}"})


def _noting(endpoint: str, method: str, solo: bool) -> None:
    @scene(f"notes.{endpoint}")
    def ask(site: Site) -> Iterator[None]:
        player = site.stranger() if solo else site.reader
        table = f"/v1/solo-sessions/{site.solo(player)}" if solo else f"/v1/games/{site.my_turn()}"
        text = {"text": "a note"}
        made = site.ask(player, "POST", f"{table}/notes", text)["id"] if method != "POST" else None
        yield
        place = f"{table}/notes" if endpoint.startswith(("list", "write")) else f"{table}/notes/{made}"
        site.ask(player, method, place, text if method == "POST" else None)


for _which, _solo_too in (("note", False), ("solo_note", True)):
    _noting(f"list_{_which}s", "GET", _solo_too)
    _noting(f"get_{_which}", "GET", _solo_too)
    _noting(f"write_{_which}", "POST", _solo_too)
    _noting(f"delete_{_which}", "DELETE", _solo_too)
