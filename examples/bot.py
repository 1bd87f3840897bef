"""Play every running game of an account: a bot in a hundred lines, with nothing but the standard library.

    NOVALUNA_URL=https://nova.example NOVALUNA_TOKEN=… python bot.py

It waits for its turns without polling, takes what covers most goals, and stops when no game is running any more. While
the service cannot be reached or has too much to do, it waits and sends its request again.
"""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

URL = os.environ.get("NOVALUNA_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["NOVALUNA_TOKEN"]

PAUSE = 2.0
"""Seconds before a request is sent again, if the service does not say how many."""


def ask(path: str, body: object = None, **headers: str) -> Any:
    """Send a GET, or a POST if there is a body, until the service answers, and return the answer.

    A move that is sent again has the same `Idempotency-Key`, so it is made once.
    """
    data = None if body is None else json.dumps(body).encode()
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    while True:
        try:
            with urllib.request.urlopen(urllib.request.Request(URL + path, data, headers), timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 502, 503, 504):
                raise
            problem, pause = str(error), float(error.headers.get("Retry-After", PAUSE))
        except (OSError, http.client.HTTPException) as error:
            problem, pause = repr(error), PAUSE
        print(f"{problem}: {path} is sent again in {pause:g} s", file=sys.stderr)
        time.sleep(pause)


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
