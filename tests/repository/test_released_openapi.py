"""Check that what released versions of the API document promised is still there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

_ROOT = Path(__file__).parents[2]
_RELEASED = sorted((_ROOT / "docs" / "openapi").glob("*.yaml"))
_METHODS = ("get", "put", "post", "patch", "delete")


def _document(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return loaded


def _operations(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(method, path) for path, item in document["paths"].items() for method in _METHODS if method in item}


def _required_parameters(document: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (method, path, parameter["name"])
        for method, path in _operations(document)
        for parameter in document["paths"][path][method].get("parameters", ())
        if parameter.get("required") and parameter.get("in") != "path"
    }


def _properties(document: dict[str, Any]) -> set[tuple[str, str]]:
    schemas = document["components"]["schemas"]

    def variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
        return [schemas[part["$ref"].rpartition("/")[2]] for part in schema.get("oneOf", ()) if "$ref" in part]

    return {
        (name, field)
        for name, schema in schemas.items()
        for part in (schema, *variants(schema))
        for field in part.get("properties", ())
    }


@pytest.mark.parametrize("released", _RELEASED, ids=lambda path: path.stem)
def test_a_released_api_is_only_added_to(released: Path) -> None:
    then, now = _document(released), _document(_ROOT / "openapi.yaml")
    assert _operations(then) - _operations(now) == set()
    assert _properties(then) - _properties(now) == set()
    added = {parameter for parameter in _required_parameters(now) if parameter[:2] in _operations(then)}
    assert added - _required_parameters(then) == set()


def test_the_document_of_the_latest_release_is_kept() -> None:
    changes = (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    latest = next(line for line in changes.splitlines() if line.startswith("## [") and "Unreleased" not in line)
    version = latest.removeprefix("## [").partition("]")[0]
    assert (_ROOT / "docs" / "openapi" / f"{version}.yaml").is_file()
