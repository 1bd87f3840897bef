"""Each route, called by everybody who may or may not call it, answers with the status of the table of rights.

What it answers the owner, who sends the document's example, is as the document says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.context import context_of
from service.ids import new_id
from tests.integration.contract.document import OPERATIONS, Operation
from tests.integration.contract.documented import check_as_documented
from tests.integration.contract.rights import CALLERS, RIGHTS
from tests.integration.contract.scenes import SCENES, Scene, World
from tests.support.web import Person

_BY_ID = {operation.id: operation for operation in OPERATIONS}

_NEW_TOKEN = """
    INSERT INTO tokens (id, account, hash, created_at, expires_at)
    SELECT %s, account, %s, created_at, created_at - %s * interval '1 day' FROM tokens WHERE hash = %s
"""
_SUSPEND = """
    WITH suspended AS (UPDATE accounts SET suspended_at = created_at WHERE id = %(id)s)
    UPDATE tokens SET suspended = %(whether)s WHERE account = %(id)s
"""
_SEATED = """
    SELECT accounts.email FROM seats JOIN tables ON key = game JOIN accounts ON accounts.id = seats.account
    WHERE tables.id = %s ORDER BY seats.seat
"""


class Stage:
    """A scene of an operation, which is set up anew once a request has changed something."""

    def __init__(self, world: World, operation: Operation, database: psycopg.Connection[Any]) -> None:
        self.world = world
        self.database = database
        self._operation = operation
        self._set_up = SCENES[operation.id]
        self._scene: Scene | None = None

    @property
    def scene(self) -> Scene:
        """The scene as it stands."""
        if self._scene is None:
            self._scene = self._set_up(self.world)
        return self._scene

    def call(self, person: Person | None, check: Callable[[Operation, TestResponse], None] | None = None) -> int:
        """Return the status of the operation's example, sent by a person in this scene; the response may be checked."""
        operation, scene = self._operation, self.scene
        headers = operation.header_examples | (person.headers if person else {})
        headers.pop("Idempotency-Key", None)  # a second request is not the first one again
        answer = self.world.client.open(
            operation.path.format(**scene.path),
            method=operation.method,
            query_string={**operation.query_examples, **scene.query},
            json={**operation.body["example"], **scene.known} if operation.body else None,
            headers=headers,
        )
        if check is not None:
            check(operation, answer)
        answer.close()  # unread otherwise, as it may be a stream
        if operation.method != "get" and answer.status_code < 300:
            self._scene = None
            self.__dict__.pop("dan", None)  # who may have deleted himself
        return answer.status_code

    @cached_property
    def dan(self) -> Person:
        """Somebody who has to do with nothing in the scene."""
        return self.world.sign_up("Dan", "dan@example.org")

    @property
    def owner(self) -> Person:
        """The one for whom the scene was made."""
        return self.scene.caller or self.dan

    @property
    def table(self) -> str | None:
        """The id of the table or solo session."""
        return self.scene.path.get("game_id") or self.scene.path.get("session_id")

    def set_visibility(self, visibility: str) -> str:
        """Make the table public or private, and return what it was."""
        [[before]] = self.database.execute("SELECT visibility FROM tables WHERE id = %s", (self.table,)).fetchall()
        self.database.execute("UPDATE tables SET visibility = %s WHERE id = %s", (visibility, self.table))
        context_of(self.world.app).tables.clear()
        return str(before)

    def other_token(self, person: Person, days_ago: int) -> tuple[str, Person]:
        """Return the id of another token of a person, which expired some days ago, and the person with it."""
        token, id = "A" * 42 + str(days_ago), new_id()
        known, hashed = (hashlib.sha256(text.encode()).digest() for text in (person.token, token))
        self.database.execute(_NEW_TOKEN, (id, hashed, days_ago, known))
        return id, replace(person, token=token)


def nobody(stage: Stage) -> int:
    return stage.call(None)


def expired(stage: Stage) -> int:
    _, person = stage.other_token(stage.owner, days_ago=1)
    return stage.call(person)


def revoked(stage: Stage) -> int:
    id, person = stage.other_token(stage.owner, days_ago=0)
    stage.database.execute("UPDATE tokens SET expires_at = NULL WHERE id = %s", (id,))
    assert stage.world.client.get("/v1/me", headers=person.headers).status_code == 200
    assert stage.world.client.delete(f"/v1/tokens/{id}", headers=person.headers).status_code == 204
    return stage.call(person)


def suspended(stage: Stage) -> int:
    person = stage.owner
    stage.database.execute(_SUSPEND, {"id": person.account, "whether": True})
    status = stage.call(person, _refused_as_suspended)
    stage.database.execute(_SUSPEND.replace("= created_at", "= NULL"), {"id": person.account, "whether": False})
    return status


def _refused_as_suspended(operation: Operation, answer: TestResponse) -> None:
    if operation.needs_token:
        assert (answer.status_code, answer.get_json()["code"]) == (403, "account_suspended"), answer.text


def outsider(stage: Stage) -> int | None:
    if stage.table is None:
        return None
    before = stage.set_visibility("private")
    status = stage.call(stage.dan)
    if stage.table is not None:
        stage.set_visibility(before)
    return status


def stranger(stage: Stage) -> int:
    return stage.call(stage.dan)


def blocked(stage: Stage) -> int:
    eve, owner = stage.world.sign_up("Eve", "eve@example.org"), stage.owner
    others = stage.database.execute(_SEATED, (stage.table,)).fetchall()
    blockers = [stage.world.sign_up("Ann", email) for (email,) in others if email != owner.email]
    for blocker in {owner.account: owner, **{each.account: each for each in blockers}}.values():
        path = f"/v1/me/blocked/{eve.account}"
        assert stage.world.client.put(path, headers=blocker.headers).status_code == 204
    return stage.call(eve)


def player(stage: Stage) -> int | None:
    if "game_id" not in stage.scene.path:
        return None
    others = [email for (email,) in stage.database.execute(_SEATED, (stage.table,)) if email != stage.owner.email]
    if others:
        return stage.call(stage.world.sign_up("Ben", others[0]))
    cleo = stage.world.sign_up("Cleo", "cleo@example.org")
    before = stage.set_visibility("public")
    stage.world.made(cleo, f"/v1/games/{stage.table}/players", {})
    stage.set_visibility(before)
    return stage.call(cleo)


def owner(stage: Stage) -> int:
    return stage.call(stage.scene.caller, check_as_documented)


CALLS: dict[str, Callable[[Stage], int | None]] = {
    call.__name__: call for call in (nobody, expired, revoked, suspended, outsider, stranger, blocked, player, owner)
}


def test_each_route_has_its_rights() -> None:
    assert set(RIGHTS) == set(_BY_ID), "each route needs a row in rights.py"
    assert tuple(CALLS) == CALLERS
    assert set(SCENES) == set(_BY_ID), "and a scene"


@pytest.mark.slow
@pytest.mark.parametrize("operation", RIGHTS)
def test_a_route_answers_each_caller_by_the_table(
    operation: str, app: Flask, client: FlaskClient, sign_up: Callable[..., Person]
) -> None:
    world = World(app, client, sign_up)
    with psycopg.connect(world.owner_url, autocommit=True) as database:
        stage = Stage(world, _BY_ID[operation], database)
        assert {caller: call(stage) for caller, call in CALLS.items()} == RIGHTS[operation]
