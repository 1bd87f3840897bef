"""The programs in examples/ play on a running service."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from examples.terminal import Terminal
from tests.drills.service import Service
from tests.support.running import eventually
from tests.support.shared_service import SHARE_SERVICE

ROOT = Path(__file__).parents[2]

pytestmark = SHARE_SERVICE


def game(service: Service, path: str, who: Any) -> Any:
    return service.api.insist("GET", path, who, expected=200).json()


@pytest.mark.slow
def test_two_bots_play_their_game_to_its_end(service: Service) -> None:
    ann, ben = service.sign_up(2, "bots")
    table = service.api.insist("POST", "/v1/games", ann, {"seats": 2, "discs": 5}, expected=201).json()
    path = f"/v1/games/{table['id']}"
    service.api.insist("POST", f"{path}/players", ben, {}, expected=201)
    bots = [
        subprocess.Popen(
            [sys.executable, ROOT / "examples" / "bot.py"],
            env=os.environ | {"NOVALUNA_URL": service.running.address, "NOVALUNA_TOKEN": player.token},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for player in (ann, ben)
    ]
    assert [bot.communicate(timeout=120)[0] for bot in bots] == ["", ""]
    assert [bot.returncode for bot in bots] == [0, 0]
    assert game(service, path, ann)["result"]["reason"] in ("discs", "tiles")


@pytest.mark.slow
def test_the_terminal_client_plays_with_keys_and_follows(service: Service) -> None:
    (ann,) = service.sign_up(1, "terminal")
    table = service.api.insist("POST", "/v1/games", ann, {"seats": 2, "bots": 1}, expected=201).json()
    path = f"/v1/games/{table['id']}"

    async def until(holds: Any, pilot: Any) -> None:
        for _ in range(1200):
            await pilot.pause(0.05)
            if holds():
                return
        raise AssertionError(f"waited in vain; the client shows {shown(pilot.app)}")

    def shown(app: Terminal) -> str:
        return str(app.query_one("#around").render())

    def moves_of(seat: int) -> int:
        log = service.api.insist("GET", f"{path}/moves", ann, expected=200).json()["items"]
        return sum(entry["seat"] == seat and entry["move"]["type"] == "place" for entry in log)

    async def play() -> None:
        app = Terminal(service.running.address, ann.token)
        async with app.run_test(size=(130, 44)) as pilot:
            await until(lambda: app.query_one("#games").option_count == 1, pilot)  # type: ignore[attr-defined]
            await pilot.press("enter")
            await until(lambda: " discs" in shown(app), pilot)
            eventually(lambda: game(service, path, ann)["turn"]["seat"] == 0)
            await until(lambda: "your turn" in str(app.query_one("#middle").border_title), pilot)
            had = moves_of(0)
            await pilot.press("2", "enter")
            await until(lambda: "Covers" in shown(app), pilot)
            assert moves_of(0) == had
            await pilot.press("enter")
            await until(lambda: moves_of(0) == had + 1, pilot)
            version = game(service, path, ann)["version"]
            eventually(lambda: game(service, path, ann)["turn"]["seat"] == 0)
            latest = game(service, path, ann)
            await until(lambda: latest["last_move"]["notation"] in shown(app), pilot)  # what the bot did, by its event
            assert latest["version"] >= version

    asyncio.run(play())
