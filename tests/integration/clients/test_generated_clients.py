"""Clients are generated from openapi.yaml, pass the strict checks, play whole games, and refuse wrong requests."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.drills.service import Service
from tests.integration.clients.conftest import TypeScript
from tests.integration.clients.toolchain import ROOT, copied, installed, need_node, run, type_errors
from tests.support.busy_account import busy_account
from tests.support.shared_service import SHARE_SERVICE

pytestmark = [SHARE_SERVICE, pytest.mark.slow]  # and one process generates the clients


def check_outcome(outcome: dict[str, Any], service: Service) -> None:
    """Check that what a client saw of its games is what the service has."""
    match = service.api.insist("GET", f"/v1/games/{outcome['match']['id']}", None, expected=200).json()
    assert match["status"] == "finished"
    assert outcome["match"] == {"id": match["id"], **{name: match["result"][name] for name in ("reason", "ranking")}}
    assert outcome["log"][0] == "clock"
    assert (len(outcome["log"]), outcome["log"][-1]) == (match["version"], outcome["last"])
    assert outcome["colors"] == [tile["color"] for display in match["displays"] for tile in display["tiles"]]
    assert outcome["svg"] == "<svg"
    assert outcome["solo"]["phase"] == 2
    solo = service.api.insist("GET", f"/v1/solo-sessions/{outcome['solo']['id']}/record", None, expected=200).json()
    assert solo["result"]["reason"] == outcome["solo"]["reason"]
    assert solo["result"]["score"] == outcome["solo"]["score"]


def test_the_typescript_client_plays_whole_games(typescript: TypeScript, service: Service) -> None:
    assert typescript.errors("types") == typescript.errors("play") == []
    players = service.sign_up(2, "typescript")
    program = str(typescript.folder / "compiled" / "play.js")
    said = run("node", program, service.running.address, *(player.token for player in players))
    check_outcome(json.loads(said), service)


def test_the_typescript_client_refuses_wrong_requests(typescript: TypeScript) -> None:
    assert typescript.errors("refused") == []


def test_the_typescript_bot_plays_a_game_against_a_bot(typescript: TypeScript, service: Service) -> None:
    assert typescript.errors("bot") == []
    (player,) = service.sign_up(1, "bot")
    asked = {"seats": 2, "bots": 1, "discs": 5}
    game = service.api.insist("POST", "/v1/games", player, asked, expected=201).json()
    environ = {"NOVALUNA_URL": service.running.address, "NOVALUNA_TOKEN": player.token}
    assert run("node", str(typescript.folder / "compiled" / "bot.js"), environ=environ) == ""
    assert service.api.insist("GET", f"/v1/games/{game['id']}", player, expected=200).json()["status"] == "finished"


@pytest.mark.parametrize("is_faulty", [False, True])
def test_the_typescript_bot_goes_on_where_others_move_first(typescript: TypeScript, is_faulty: bool) -> None:
    """Also where requests are answered by a proxy, too much is to do, or nobody answers."""
    with busy_account(is_faulty=is_faulty) as account:
        environ = {"NOVALUNA_URL": account.address, "NOVALUNA_TOKEN": "token"}
        assert run("node", str(typescript.folder / "compiled" / "bot.js"), environ=environ) == ""


def test_the_typescript_bot_is_built_by_the_commands_in_its_header(service: Service, tmp_path: Path) -> None:
    """Nothing is downloaded: the packages that the commands name are put there."""
    need_node()
    bot = ROOT / "examples" / "bot.ts"
    install, *building, start = re.findall(r"^//   (.+)$", bot.read_text(encoding="utf-8"), re.MULTILINE)
    documented = re.findall(r"^np[mx] .+$", (ROOT / "docs/clients/README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [install, *building] == [each.replace("client.ts", "bot.ts") for each in documented]
    copied([bot], tmp_path)
    program, _, packages = install.partition(" install ")
    assert program == "npm"
    installed(packages.split(), tmp_path)
    (player,) = service.sign_up(1, "header")
    for command in (*building, start):
        filled = command.replace("https://nova.example", service.running.address).replace("…", player.token)
        run("sh", "-c", filled, cwd=tmp_path, environ={"npm_config_offline": "true"})


@pytest.mark.drill
@pytest.mark.long
def test_the_python_client_passes_strict_checks_and_refuses(python: Path) -> None:
    assert type_errors(python) == []


def test_the_python_client_plays_whole_games(python: Path, service: Service) -> None:
    players = service.sign_up(2, "python")
    tokens = (player.token for player in players)
    outcome = json.loads(run(sys.executable, "play.py", service.running.address, *tokens, cwd=python))
    assert outcome.pop("png") == "PNG"
    check_outcome(outcome, service)
