"""``/v1/rules``: the rules by number, as the rulings of illegal moves name them."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response

from service.api.blueprint import Blueprint
from service.api.etags import conditional, not_modified
from service.api.flask_adapter import asked_language
from service.language.languages import CODES

blp = Blueprint("rules", __name__, description="How the game is played here.")

_SHIPPED = Path(__file__).with_name("rulings")
_IN_SOURCES = Path(__file__).resolve().parents[2] / "docs"
_FOLDER = _SHIPPED if _SHIPPED.is_dir() else _IN_SOURCES

_TYPE = "text/markdown"
_TEXT: dict[str, Any] = {"type": "string"}
_HEADERS = {
    "ETag": {"description": "Of the rules in this language.", "schema": {"type": "string"}},
    "Content-Language": {"description": "Of the rules.", "schema": {"type": "string", "enum": list(CODES)}},
}
_EXAMPLE = "# The rules by number\n\n…\n\n- 2.5 Landing on a taken space puts the disc on top.\n"


@cache
def rules(code: str) -> tuple[str, str]:
    """The text in one of the languages that there are, and its ETag."""
    name = "RULINGS.md" if code == "en" else f"RULINGS.{code}.md"
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'


@blp.route("/v1/rules", methods=["GET"])
@conditional
@blp.response(200, _TEXT, content_type=_TYPE, headers=_HEADERS, example=_EXAMPLE)
def get_rules() -> Any:
    """The rules by number.

    As Markdown, in the language that `Accept-Language` prefers; the numbers are the same in each, and the English text
    decides. An illegal move is refused with the number of its `rule`.
    """
    code = asked_language().code
    text, tag = rules(code)
    answer = not_modified(tag) or Response(text, content_type=f"{_TYPE}; charset=utf-8")
    answer.headers.update({"ETag": tag, "Content-Language": code, "Cache-Control": "public, max-age=86400"})
    answer.vary.add("Accept-Language")
    return answer
