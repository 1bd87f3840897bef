"""Plays a game in an application that counts, sends its mails, and prints what its metrics port serves.

It is a process of its own, since the metrics library decides at its import whether processes share their counts.
"""

import asyncio
import os
import sys
from dataclasses import replace
from datetime import UTC, datetime

import psycopg

from service import logs, metrics, metrics_port
from service.app import create_app
from service.config import Settings
from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext, sessions
from service.mail.transport import make_transport
from service.store.connecting import TimeoutPolicy
from tests.support.metrics import told
from tests.support.web import KEYS, codes_for

BREW, LOST = "BREW", "/v1/nothing/here"


def main() -> None:
    """Play the game with the settings from the environment."""
    logs.configure(sys.stderr)
    settings = replace(Settings.from_environ(os.environ), secret_keys=KEYS)
    metrics.begin(settings)
    app = create_app(settings)
    client = app.test_client()

    def sign_up(email: str) -> dict[str, str]:
        assert client.post("/v1/sign-ins", json={"email": email}).status_code == 202
        made = client.post("/v1/tokens", json={"email": email, "code": codes_for(app, email)[0]})
        return {"Authorization": f"Bearer {made.get_json()['token']}"}

    ann, ben = sign_up("ann@example.org"), sign_up("ben@example.org")
    made = client.post("/v1/games", json={"seats": 2, "discs": "full"}, headers=ann)
    game = f"/v1/games/{made.get_json()['id']}"
    assert client.post(f"{game}/players", headers=ben).status_code == 201
    for version in range(3):
        legal = client.get(f"{game}/legal-moves", headers=ann).get_json()
        move = {"type": "place", "tile": legal["tiles"][0], **legal["cells"][0], "expected_version": version}
        by_seat = [client.post(f"{game}/moves", json=move, headers=who).status_code for who in (ann, ben)]
        assert sorted(by_seat) in ([201, 409], [201, 422]), by_seat
    client.post(f"{game}/moves", json={"type": "resign"}, headers=ann)
    client.open(LOST, method=BREW)
    hasty = create_app(settings, policy=TimeoutPolicy(statement=1, lock=1, idle=5)).test_client()
    with psycopg.connect(settings.database_url) as other:
        other.execute("LOCK TABLE tables")
        assert hasty.get(game, headers=ann).status_code == 503
    context = WorkerContext(settings, sessions(settings, 4), make_transport(settings), lambda: datetime.now(UTC))
    asyncio.run(work(context, until_idle=True))
    if (child := os.fork()) == 0:  # a second process of the web server
        client.get("/healthz")
        os._exit(0)
    os.waitpid(child, 0)
    client.get("/healthz")
    metrics_port.offer(settings)
    sys.stdout.write(told(settings.metrics_port))


if __name__ == "__main__":
    main()
