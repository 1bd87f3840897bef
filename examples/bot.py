"""Play every running game of an account: a bot in sixty lines, with nothing but the standard library.

    NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… python bot.py

It waits for its turns without polling, takes what covers most goals, and stops when no game is running any more.
"""

import json
import os
import urllib.error
import urllib.request
import uuid
from typing import Any

URL = os.environ.get("NOVALUNA_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["NOVALUNA_TOKEN"]
STALE = (409, 412)


def ask(path: str, body: object = None, **headers: str) -> Any:
    """Send a GET, or a POST if there is a body, and return what the service answers."""
    data = None if body is None else json.dumps(body).encode()
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=60) as response:
        return json.load(response)


def rate(moves: str, place: dict[str, Any]) -> tuple[int, int]:
    """Return the worth of a move: the number of goals it would cover, then how few spaces its disc would go."""
    preview = ask(f"{moves}?dry_run=true", place)
    return len(preview["covered"]), preview["moved"]["from"] - preview["moved"]["to"]


def move(game: str) -> None:
    """Make the best move that is legal in a game, of those on its first four cells."""
    legal, moves = ask(f"/v1/games/{game}/legal-moves"), f"/v1/games/{game}/moves"
    cells = [{"x": cell["x"], "y": cell["y"]} for cell in legal["cells"][:4]]
    places = [{"type": "place", "tile": tile, **cell} for tile in legal["tiles"] for cell in cells]
    best = max(places, key=lambda place: rate(moves, place)) if places else {"type": "refill"}
    try:
        ask(moves, {**best, "expected_version": legal["version"]}, **{"Idempotency-Key": str(uuid.uuid4())})
    except urllib.error.HTTPError as error:
        if error.code not in STALE:  # something came first; the next event brings the bot back here
            raise


def main() -> None:
    """Move wherever it is this account's turn, and wait for events, as long as games are running."""
    after = ask("/v1/events")["after"]
    while running := ask("/v1/games?mine=true&status=running")["items"]:
        for game in running:
            if game["turn"] == game["you"]:
                move(game["id"])
        after = ask(f"/v1/events?wait=30&after={after}")["after"]


if __name__ == "__main__":
    main()
