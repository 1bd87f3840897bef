"""The script of a table's page: one module, which needs no other."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from flask import Blueprint, Response, request

from service.pages.rendering import headed

blp = Blueprint("script", __name__)

POLICY = "script-src 'self'; connect-src 'self'"
"""What a page that loads the script allows it: to run, and to ask this site alone."""

#: Read at the start, so that it is that of the release whose pages load it.
_SCRIPT = (files("service.pages") / "static" / "table.mjs").read_bytes()

_FOR_EVER = "public, max-age=31536000, immutable"


@blp.get("/scripts/table.mjs")
def show_script() -> Response:
    """Send the script; by the address that pages of this release have, for ever to be kept."""
    answer = headed(Response(_SCRIPT, content_type="text/javascript; charset=utf-8"))
    answer.headers["Cache-Control"] = _FOR_EVER if request.args.get("v") == version() else "no-cache"
    answer.set_etag(version())
    answer.make_conditional(request)
    return answer


@cache
def version() -> str:
    """Return the version of the script for its address: the beginning of its hash."""
    return sha256(_SCRIPT).hexdigest()[:12]
