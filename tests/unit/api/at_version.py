"""A process started later prints the views of games at each of their versions, as one reader gets them.

Its arguments are DATABASE_URL, a secret key, a token, and paths of games.
"""

import json
import sys

from service.app import create_app
from service.config import Settings


def main(database_url: str, key: str, token: str, *games: str) -> None:
    """Print a JSON object with the bodies by version for each path."""
    client = create_app(Settings(database_url=database_url, secret_keys=(key,))).test_client()
    headers = {"Authorization": f"Bearer {token}"}
    views: dict[str, list[str]] = {}
    for game in games:
        last = client.get(game, headers=headers).get_json()["version"]
        views[game] = [client.get(f"{game}?at={at}", headers=headers).text for at in range(last + 1)]
    print(json.dumps(views))


if __name__ == "__main__":
    main(*sys.argv[1:])
