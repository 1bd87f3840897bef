"""openapi.yaml is what the code generates, is complete, and its examples match its schemas."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.app import openapi_yaml
from tests.integration.contract.document import DOCUMENT, OPERATIONS, Operation, fits, resolved
from tests.integration.contract.documented import BEGINNINGS

FILE = Path(__file__).resolve().parents[3] / "openapi.yaml"


def test_the_file_is_what_the_code_gives() -> None:
    assert FILE.read_text(encoding="utf-8") == openapi_yaml(), "run `make openapi`"


def test_document_names_no_machine() -> None:
    assert DOCUMENT["servers"] == [{"url": "/"}]
    assert "127.0.0.1" not in FILE.read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_served_document_is_the_same(offline: FlaskClient) -> None:
    answer = offline.get("/openapi.json")
    assert answer.json == DOCUMENT
    assert offline.get("/openapi.json", headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    written = offline.get("/openapi.yaml")
    assert (written.mimetype, written.text) == ("application/yaml", openapi_yaml())


def test_each_operation_has_an_id_of_its_own() -> None:
    assert [name for name, number in Counter(operation.id for operation in OPERATIONS).items() if number > 1] == []


def _patterns(part: object) -> Iterator[str]:
    """Yield every regular expression in a part of the document."""
    within = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    if isinstance(part, dict) and isinstance(part.get("pattern"), str):
        yield part["pattern"]
    for each in within:
        yield from _patterns(each)


def test_each_pattern_holds_for_the_whole_text_in_every_language() -> None:
    found = set(_patterns(DOCUMENT))
    assert found
    for pattern in found:
        assert pattern.startswith("^") and pattern.endswith("$"), f"{pattern} fits texts that have it anywhere in them"
        assert not re.search(r"\\[AZz]", pattern), f"{pattern} has an anchor that ECMA-262 does not know"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.id)
def test_each_operation_says_what_it_does_and_shows_it(operation: Operation) -> None:
    assert operation.data["summary"]
    if operation.body:
        fits(operation.body["schema"], operation.body["example"])
    good = {status: answer for status, answer in operation.data["responses"].items() if status[0] == "2"}
    assert good
    for status, answer in good.items():
        contents = resolved(answer).get("content", {})
        assert len(contents) <= 1, "generated clients would make a type that is either of both"
        for media_type, content in contents.items():
            if media_type in BEGINNINGS:
                continue
            assert media_type in ("application/json", "text/markdown", "text/plain")
            fits(content["schema"], content["example"])
        assert ("content" in resolved(answer)) == (status != "204")
    for status, answer in operation.data["responses"].items():
        if status[0] not in "23":
            assert list(resolved(answer)["content"]) == ["application/problem+json"]


def test_each_read_with_an_etag_takes_if_none_match_and_answers_304() -> None:
    tagged = [o for o in OPERATIONS if o.method == "get" and "ETag" in o.answer(200).get("headers", {})]
    assert {"getGame", "listLegalMoves", "getRecord", "getSoloSession", "listTiles", "getRules"} <= {
        o.id for o in tagged
    }
    for operation in tagged:
        assert "If-None-Match" in operation.header_examples
        assert set(operation.answer(304)["headers"]) == {"ETag"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_each_operation_names_what_any_can_be_refused_with(operation: Operation) -> None:
    named = operation.data["responses"].keys()
    takes_token = operation.data.get("security", DOCUMENT["security"]) != []
    assert "default" in named or {"429", "503", *(("401", "403") if takes_token else ())} <= named


def test_no_response_with_a_secret_is_stored_under_a_key() -> None:
    keyed = [
        op for op in OPERATIONS if "Idempotency-Key" in [each.get("name") for each in op.data.get("parameters", ())]
    ]
    assert len(keyed) > 10
    secret = re.compile(r"link=|\"token\"|\"code\"")
    done = {op.id: [part for code, part in op.data["responses"].items() if code[0] == "2"] for op in keyed}
    assert [name for name, responses in done.items() if secret.search(json.dumps([*map(resolved, responses)]))] == []


def test_the_guide_names_each_post_that_takes_no_key() -> None:
    guide = (Path(__file__).parents[3] / "docs/guide/moving.md").read_text(encoding="utf-8")
    paragraph = next(part for part in guide.split("\n\n") if "a key has no effect" in part)
    keyless = {
        each.path
        for each in OPERATIONS
        if each.method == "post"
        and "Idempotency-Key" not in [header.get("name") for header in each.data.get("parameters", ())]
    }
    assert set(re.findall(r"`POST (\S+)`", paragraph)) == keyless


def test_each_link_leads_to_an_operation_with_what_it_needs() -> None:
    by_id = {operation.id: operation for operation in OPERATIONS}
    found = [
        (operation, answer, link)
        for operation in OPERATIONS
        for answer in map(resolved, operation.data["responses"].values())
        for link in answer.get("links", {}).values()
    ]
    assert len(found) > 40
    for operation, answer, link in found:
        target = by_id[link["operationId"]]
        assert set(link["parameters"]) == set(re.findall(r"{(\w+)}", target.path)), (operation.id, target.id)
        for value in (*link["parameters"].values(), *link.get("requestBody", {}).values()):
            if value.startswith("$request.path."):
                assert f"{{{value.removeprefix('$request.path.')}}}" in operation.path
            elif value.startswith("$response.body#/"):
                part = answer["content"]["application/json"]["example"]
                for step in value.removeprefix("$response.body#/").split("/"):
                    part = part[int(step) if isinstance(part, list) else step]
        if "requestBody" in link:
            assert set(link["requestBody"]) <= set(by_id[link["operationId"]].body["example"])  # type: ignore[index]


def _untyped(part: object, place: str = "") -> Iterator[str]:
    """Yield the place of every object and property of a part of the document of which nothing is known."""
    if isinstance(part, list):
        for number, each in enumerate(part):
            yield from _untyped(each, f"{place}/{number}")
    if not isinstance(part, dict):
        return
    if part.get("type") == "object" and "properties" not in part and not part.get("additionalProperties"):
        yield place
    for name, property in part.get("properties", {}).items():
        if not {"type", "$ref", "anyOf", "oneOf"} & set(property):
            yield f"{place}/{name}"
    for name, each in part.items():
        if name != "example":
            yield from _untyped(each, f"{place}/{name}")


def test_every_value_has_a_type_but_the_data_of_a_mark() -> None:
    assert list(_untyped(DOCUMENT["components"]["schemas"])) == ["/Mark/data"]
    assert list(_untyped(DOCUMENT["paths"])) == []


def test_nothing_of_its_libraries_is_left_in_it() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert "X-Pagination" not in text
    assert "PaginationMetadata" not in text
    assert {"Problem", "WrongField"} <= set(DOCUMENT["components"]["schemas"])
