"""Play every running game of an account: a bot in eighty lines, with nothing but the standard library.

    NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… python bot.py

It waits for its turns without polling, takes what covers most goals, and stops when no game is running any more.
"""

import json
import os
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

URL = os.environ.get("NOVALUNA_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["NOVALUNA_TOKEN"]


def ask(path: str, body: object = None, **headers: str) -> Any:
    """Send a GET, or a POST if there is a body, and return what the service answers."""
    data = None if body is None else json.dumps(body).encode()
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=60) as response:
        return json.load(response)


def games(query: str) -> Iterator[Any]:
    """Yield the games that a query finds, page by page."""
    cursor: str | None = ""
    while cursor is not None:
        page = ask(f"/v1/games?{query}&limit=100{cursor and f'&cursor={cursor}'}")
        yield from page["items"]
        cursor = page["next"]


def rate(moves: str, place: dict[str, Any]) -> tuple[int, int]:
    """Return the worth of a move: the number of goals it would cover, then how few spaces its disc would go."""
    preview = ask(f"{moves}?dry_run=true", place)
    return len(preview["covered"]), preview["moved"]["from"] - preview["moved"]["to"]


def move(game: str) -> None:
    """Make the best move that is legal in a game, of those on its first four cells."""
    legal, moves = ask(f"/v1/games/{game}/legal-moves"), f"/v1/games/{game}/moves"
    cells = [{"x": cell["x"], "y": cell["y"]} for cell in legal["cells"][:4]]
    seen = {"expected_version": legal["version"]}
    places = [{"type": "place", "tile": tile, **cell, **seen} for tile in legal["tiles"] for cell in cells]
    best = max(places, key=lambda place: rate(moves, place)) if places else {"type": "refill", **seen}
    ask(moves, best, **{"Idempotency-Key": str(uuid.uuid4())})


def move_unless_late(game: str) -> None:
    """Move in a game, unless something else happened there first; the event of that brings the bot back."""
    try:
        move(game)
    except urllib.error.HTTPError as error:
        if error.code != 409 and json.load(error).get("code") != "not_your_turn":
            raise


def wait(after: str) -> str:
    """Wait until something happens after a place in the list of events, and return the place to go on from."""
    try:
        page = ask(f"/v1/events?wait=30&after={after}")
    except urllib.error.HTTPError as error:
        if error.code != 410:  # what happened since is no longer kept; all games are read again in any case
            raise
        page = json.load(error)
    return str(page["after"])


def main() -> None:
    """Move wherever it is this account's turn, and wait for events, as long as games are running."""
    after = ask("/v1/events")["after"]
    while next(games("mine=true&status=running"), None):
        for game in games("my_turn=true"):
            move_unless_late(game["id"])
        after = wait(after)


if __name__ == "__main__":
    main()
