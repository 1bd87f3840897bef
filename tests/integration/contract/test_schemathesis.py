"""Schemathesis sends what the document allows and what it does not, and compares the responses with the document.

Each operation is called in its scene, so that the requests reach existing resources, not only 404. `make test` sends
every third request, `make drill` all.
"""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.config import SchemathesisConfig

from tests.integration.contract.scenes import SCENES, Scene, World
from tests.support.web import Person

CONFIG = SchemathesisConfig.from_path(Path(__file__).resolve().parents[3] / "schemathesis.toml")
pytestmark = pytest.mark.drill
ID = re.compile(r"[A-Za-z0-9]{12}")


class Stage:
    """A stage that calls each operation in a scene of its own, which is set up at its first call.

    Args:
        world: has the people who call.
        every: 1 to send every case of an operation, 3 for the first of every three.
    """

    def __init__(self, world: World, every: int) -> None:
        self._world = world
        self._every = every
        self._scenes: dict[str, Scene] = {}
        self._cases = Counter[str]()

    def call(self, case: Case[Any]) -> None:
        """Send a case as the scene's caller, with the ids of the scene, and compare the response with the document."""
        operation = case.operation.definition.raw["operationId"]
        self._cases[operation] += 1
        if (self._cases[operation] - 1) % self._every:
            return
        if operation not in self._scenes:
            self._scenes[operation] = SCENES[operation](self._world)
        scene = self._scenes[operation]
        for name, value in case.path_parameters.items():
            if name in scene.path and ID.fullmatch(str(value)):
                case.path_parameters[name] = scene.path[name]
        plain = {"Accept-Encoding": "identity"}  # over WSGI, nothing decompresses a response before it is checked
        case.call_and_validate(headers=plain | (scene.caller.headers if scene.caller else {}))


@pytest.fixture
def stage(app: Flask, client: FlaskClient, sign_up: Callable[..., Person], amount: Callable[[int, int], int]) -> Stage:
    return Stage(World(app, client, sign_up), amount(1, 3))


@pytest.fixture
def document(app: Flask) -> Any:
    return schemathesis.openapi.from_wsgi("/openapi.json", app, config=CONFIG)


lazy = schemathesis.pytest.from_fixture("document")
# The same cases each time; the drill on the served document draws new ones.
bounded = settings(max_examples=1, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@lazy.include(
    tag=[
        "sign-ins",
        "tokens",
        "me",
        "quiet-times",
        "absences",
        "notifications",
        "calendar",
        "deliveries",
        "tiles",
        "rules",
        "health",
    ]
).parametrize()
@bounded
def test_accounts(case: Case[Any], stage: Stage) -> None:
    stage.call(case)


@pytest.mark.slow
@lazy.include(tag=["games", "players", "invitations", "rematches", "moves", "clocks"]).parametrize()
@bounded
def test_games(case: Case[Any], stage: Stage) -> None:
    stage.call(case)


@pytest.mark.slow
@lazy.include(tag="boards").parametrize()
@bounded
def test_boards(case: Case[Any], stage: Stage) -> None:
    stage.call(case)


@pytest.mark.slow
@lazy.include(tag="solo-sessions").parametrize()
@bounded
def test_solo_sessions(case: Case[Any], stage: Stage) -> None:
    stage.call(case)
