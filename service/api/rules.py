"""``/v1/rules``: the rules by number, to which refusals of illegal moves refer."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from flask import Response

from service.api.blueprint import Blueprint
from service.api.etags import conditional, not_modified
from service.api.flask_adapter import asked_language
from service.language.languages import CODES

blp = Blueprint("rules", __name__, description="The rules of the game as they are played here.")

_SHIPPED = Path(__file__).with_name("rulings")
_IN_SOURCES = Path(__file__).resolve().parents[2] / "docs"
_FOLDER = _SHIPPED if _SHIPPED.is_dir() else _IN_SOURCES

_TYPE = "text/markdown"
_TEXT: dict[str, Any] = {"type": "string"}
_HEADERS = {
    "ETag": {"description": "The ETag of the rules in this language.", "schema": {"type": "string"}},
    "Content-Language": {
        "description": "The language of the rules.",
        "schema": {"type": "string", "enum": list(CODES)},
    },
}
_EXAMPLE = "# The rules by number\n\n…\n\n- 2.5 Landing on a taken space puts the disc on top.\n"


@cache
def rules(code: str) -> tuple[str, str]:
    """Return the text of the rules in a language, and its ETag."""
    name = "RULINGS.md" if code == "en" else f"RULINGS.{code}.md"
    text = (_FOLDER / name).read_text(encoding="utf-8")
    return text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'


@blp.route("/v1/rules", methods=["GET"])
@conditional
@blp.response(200, _TEXT, content_type=_TYPE, headers=_HEADERS, example=_EXAMPLE)
def get_rules() -> Any:
    """Get the rules by number.

    The text is Markdown, in the language that `Accept-Language` prefers. The numbers are the same in every language,
    and the English text is authoritative. The refusal of an illegal move names the number of its `rule`.
    """
    code = asked_language().code
    text, tag = rules(code)
    answer = not_modified(tag) or Response(text, content_type=f"{_TYPE}; charset=utf-8")
    answer.headers.update({"ETag": tag, "Content-Language": code, "Cache-Control": "public, max-age=86400"})
    answer.vary.add("Accept-Language")
    return answer
