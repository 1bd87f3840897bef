"""The page /verify, where anybody checks a record in the browser, and the scripts that do it."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, abort, request

from service.pages import requested_language
from service.pages.rendering import headed, page

blp = Blueprint("verifier_page", __name__)

_SHIPPED = Path(__file__).with_name("verifier")
_IN_SOURCES = Path(__file__).resolve().parents[2] / "verifier"
_FOLDER = _SHIPPED if _SHIPPED.is_dir() else _IN_SOURCES

# Read at the start, so that all are of the same release as the page.
_CONTENT = {path.stem: path.read_bytes() for path in sorted(_FOLDER.glob("*.mjs"))}

_SCRIPTS = "script-src 'self'; connect-src *"
"""The page runs its own scripts, and fetches a record from wherever its reader says."""


@blp.get("/verify")
def show_verifier() -> Response:
    """Show the page; a record is checked in the browser and is not sent here."""
    return page("verify.html", requested_language.reader(), policy=_SCRIPTS)


@blp.get("/verify/<name>.mjs")
def show_script(name: str) -> Response:
    """Send one of the verifier's scripts, the same as in the sources; 404 for any other name."""
    script = _CONTENT.get(name)
    if script is None:
        abort(404)
    answer = headed(Response(script, content_type="text/javascript; charset=utf-8"))
    answer.headers["Cache-Control"] = "no-cache"  # all scripts must be of the same release
    answer.add_etag()
    answer.make_conditional(request)
    return answer
