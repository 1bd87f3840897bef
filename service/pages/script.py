"""The script of a table's page: one module, and another that it loads to check a record."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from flask import Blueprint, Response, request

from service.pages.rendering import headed

blp = Blueprint("script", __name__)

POLICY = "script-src 'self'; connect-src 'self'"
"""What a page that loads the script allows it: to run, and to ask this site alone."""

# Read at the start, so that they are those of the release whose pages load them.
_SCRIPT, _CHECK = ((files("service.pages") / "static" / name).read_bytes() for name in ("table.mjs", "check.mjs"))

_FOR_EVER = "public, max-age=31536000, immutable"


@blp.get("/scripts/table.mjs")
def show_script() -> Response:
    """Send the script; by the address that pages of this release have, for ever to be kept."""
    return _script(_SCRIPT, _FOR_EVER if request.args.get("v") == version() else "no-cache")


@blp.get("/scripts/check.mjs")
def show_check() -> Response:
    """Send the script that checks a record."""
    return _script(_CHECK, "no-cache")


def _script(script: bytes, caching: str) -> Response:
    answer = headed(Response(script, content_type="text/javascript; charset=utf-8"))
    answer.headers["Cache-Control"] = caching
    answer.set_etag(_hash(script))
    answer.make_conditional(request)
    return answer


def _hash(script: bytes) -> str:
    return sha256(script).hexdigest()[:12]


@cache
def version() -> str:
    """Return the version of the script for its address: the beginning of its hash."""
    return _hash(_SCRIPT)
