"""``/v1/rules``: the rules by number and by version, to which refusals of illegal moves refer."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response

from engine import rules as versions
from engine.errors import UnknownRules
from service.api.blueprint import Blueprint
from service.api.etags import conditional, not_modified
from service.api.flask_adapter import asked_language
from service.api.openapi_annotations import refuses
from service.errors import NotFound
from service.language.languages import CODES

blp = Blueprint("rules", __name__, description="The rules of the game as they are played here, and those of old games.")

_SHIPPED = Path(__file__).with_name("rulings")
_IN_SOURCES = Path(__file__).resolve().parents[2] / "docs"

FOLDERS: dict[str, Path] = {"1": _SHIPPED if _SHIPPED.is_dir() else _IN_SOURCES}
"""The folder with the texts of each version of the rules, in every language."""

_NEWEST = "public, max-age=86400"
_FOR_EVER = "public, max-age=31536000, immutable"
_TYPE = "text/markdown"
_TEXT: dict[str, Any] = {"type": "string"}
_HEADERS = {
    "ETag": {"description": "The ETag of the rules in this language.", "schema": {"type": "string"}},
    "Content-Language": {
        "description": "The language of the rules.",
        "schema": {"type": "string", "enum": list(CODES)},
    },
    "Content-Location": {
        "description": "The address of this version of the rules.",
        "schema": {"type": "string", "format": "uri-reference"},
    },
}
_EXAMPLE = "# The rules by number\n\n…\n\n- 2.5 Landing on a taken space puts the disc on top.\n"


def rules(code: str, version: str | None = None) -> tuple[str, str]:
    """Return the text of a version of the rules in a language, and its ETag; None is the newest version.

    Raises:
        UnknownRules: there is no such version.
    """
    found = versions.newest() if version is None else versions.of(version)
    return _read(FOLDERS[found.version] / ("RULINGS.md" if code == "en" else f"RULINGS.{code}.md"))


@cache
def _read(file: Path) -> tuple[str, str]:
    text = file.read_text(encoding="utf-8")
    return text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'


@blp.route("/v1/rules", methods=["GET"])
@conditional
@blp.response(200, _TEXT, content_type=_TYPE, headers=_HEADERS, example=_EXAMPLE)
def get_rules() -> Any:
    """Get the rules by number.

    The text is Markdown, in the language that `Accept-Language` prefers. The numbers are the same in every language,
    and the English text is authoritative. The refusal of an illegal move names the number of its `rule`. These are the
    rules of the newest version, by which a game is played that starts now.
    """
    return _answer(versions.newest().version, _NEWEST)


@blp.route("/v1/rules/<version>", methods=["GET"])
@conditional
@refuses(404)
@blp.response(200, _TEXT, content_type=_TYPE, headers=_HEADERS, example=_EXAMPLE)
def get_rules_of_version(version: str) -> Any:
    """Get the rules of a version by number.

    A game is played to its end by the version that it was started with, which it names in `rules`, and so does its
    record. The text is like that of `GET /v1/rules`; the rulings of a version never change.
    """
    try:
        return _answer(versions.of(version).version, _FOR_EVER)
    except UnknownRules as error:
        raise NotFound("unknown_rules", error.phrase) from None


def _answer(version: str, caching: str) -> Response:
    code = asked_language().code
    text, tag = rules(code, version)
    answer = not_modified(tag) or Response(text, content_type=f"{_TYPE}; charset=utf-8")
    told = {"ETag": tag, "Content-Language": code, "Content-Location": f"/v1/rules/{version}"}
    answer.headers.update({**told, "Cache-Control": caching})
    answer.vary.add("Accept-Language")
    return answer
