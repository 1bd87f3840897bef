"""The programs in examples/ play on a running service."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from examples import terminal
from examples.terminal import Terminal
from tests.drills.service import Service
from tests.support.busy_account import FAULTS, busy_account
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


@pytest.mark.parametrize("is_faulty", [False, True])
def test_a_bot_goes_on_where_others_move_first_and_events_are_gone(is_faulty: bool) -> None:
    """Also where requests are answered by a proxy, too much is to do, or nobody answers."""
    with busy_account(is_faulty=is_faulty) as account:
        environ = os.environ | {"NOVALUNA_URL": account.address, "NOVALUNA_TOKEN": "token"}
        program = [sys.executable, str(ROOT / "examples" / "bot.py")]
        bot = subprocess.run(program, env=environ, capture_output=True, text=True, timeout=60, check=False)
        assert (bot.returncode, bot.stderr.count(" is sent again in ")) == (0, len(FAULTS) if is_faulty else 0)


async def until(holds: Any, pilot: Any) -> None:
    for _ in range(1200):
        await pilot.pause(0.05)
        if holds():
            return
    raise AssertionError(f"waited in vain; the client shows {shown(pilot.app)}")


def shown(app: Terminal) -> str:
    return str(app.query_one("#around").render())


@pytest.mark.slow
def test_the_terminal_client_plays_with_keys_and_follows(service: Service) -> None:
    (ann,) = service.sign_up(1, "terminal")
    table = service.api.insist("POST", "/v1/games", ann, {"seats": 2, "bots": 1}, expected=201).json()
    path = f"/v1/games/{table['id']}"
    service.api.insist("POST", "/v1/games", ann, {"seats": 2}, expected=201)  # it is not running, so it is not shown

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
            await app.list_games()  # as after an event at another table
            await pilot.press("enter")
            await until(lambda: moves_of(0) == had + 1, pilot)
            version = game(service, path, ann)["version"]
            eventually(lambda: game(service, path, ann)["turn"]["seat"] == 0)
            latest = game(service, path, ann)
            await until(lambda: latest["last_move"]["notation"] in shown(app), pilot)  # what the bot did, by its event
            assert latest["version"] >= version

    asyncio.run(play())


def test_the_terminal_client_shows_an_answer_that_is_not_the_services() -> None:
    async def play() -> None:
        app = Terminal("http://nova.example", "token")
        app._http._transport = httpx.MockTransport(lambda _: httpx.Response(502, html="<h1>Bad Gateway</h1>"))
        async with app.run_test(size=(130, 44)) as pilot:
            await pilot.press("s")
            await until(lambda: "The service answers 502." in shown(app), pilot)

    asyncio.run(play())


class LostPlace(httpx.AsyncHTTPTransport):
    """A connection on which the first place in the list of events is one that the service does not have any more."""

    is_lost = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if "after" in request.url.params and not self.is_lost:
            self.is_lost = True
            request.url = request.url.copy_set_param("after", "00000000-1")
        return await super().handle_async_request(request)


@pytest.mark.slow
def test_the_terminal_client_goes_on_where_events_are_gone(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "RETRY_SECONDS", 3600.0)
    ann, ben = service.sign_up(2, "lost")
    table = service.api.insist("POST", "/v1/games", ann, {"seats": 2}, expected=201).json()
    path = f"/v1/games/{table['id']}"
    service.api.insist("POST", f"{path}/players", ben, {}, expected=201)

    async def play() -> None:
        app = Terminal(service.running.address, ann.token)
        app._http._transport = transport = LostPlace()
        async with app.run_test(size=(130, 44)) as pilot:
            await until(lambda: app.query_one("#games").option_count == 1, pilot)  # type: ignore[attr-defined]
            await pilot.press("enter")
            await until(lambda: " discs" in shown(app), pilot)
            service.api.insist("POST", f"{path}/messages", ann, {"text": "Hello"}, expected=201)
            await until(lambda: transport.is_lost, pilot)
            mover = (ann, ben)[game(service, path, ann)["turn"]["seat"]]
            legal = service.api.insist("GET", f"{path}/legal-moves", mover, expected=200).json()
            move = {"type": "place", "tile": legal["tiles"][0], "x": 0, "y": 0, "expected_version": legal["version"]}
            service.api.insist("POST", f"{path}/moves", mover, move, expected=201)
            made = game(service, path, ann)["last_move"]["notation"]
            await until(lambda: f"Last move: {made}" in shown(app), pilot)

    asyncio.run(play())
