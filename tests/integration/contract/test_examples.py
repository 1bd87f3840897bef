"""Every example of the document is sent and accepted, and the response is as documented."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.integration.contract.document import OPERATIONS, Operation, fits
from tests.integration.contract.scenes import SCENES, World
from tests.support.web import Person

#: The beginnings of responses that are neither JSON nor Markdown, by type; the document has no examples of them.
BEGINNINGS = {
    "image/svg+xml": b"<svg ",
    "image/png": b"\x89PNG",
    "application/atom+xml": b"<?xml ",
    "application/x-ndjson": b"{",
    "text/csv": b"game,kind,seq,",
    "application/octet-stream": b"",  # hashes begin with anything
}


def test_each_operation_has_its_scene() -> None:
    assert set(SCENES) == {operation.id for operation in OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_an_example_is_accepted(
    operation: Operation, app: Flask, client: FlaskClient, sign_up: Callable[..., Person]
) -> None:
    scene = SCENES[operation.id](World(app, client, sign_up))
    headers = operation.header_examples | (scene.caller.headers if scene.caller else {})
    body = {**operation.body["example"], **scene.known} if operation.body else None
    answer = client.open(
        operation.path.format(**scene.path),
        method=operation.method,
        query_string={**operation.query_examples, **scene.query},
        json=body,
        headers=headers,
    )
    assert 200 <= answer.status_code < 300, answer.text
    documented = operation.answer(answer.status_code)
    if "content" not in documented:
        assert answer.data == b""
        return
    content = documented["content"][answer.mimetype]
    for name in documented.get("headers", {}):
        assert name in answer.headers or name == "Link"
    if answer.mimetype in BEGINNINGS:
        assert answer.data.startswith(BEGINNINGS[answer.mimetype])
        return
    if answer.mimetype in ("text/markdown", "text/plain"):
        fits(content["schema"], answer.text)
        return
    fits(content["schema"], answer.get_json())
    assert set(content["example"]) == set(answer.get_json()), "the example has the answer's members"
