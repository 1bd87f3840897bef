"""``/docs/assets``: style sheets and scripts, our own and those of Swagger UI, so that nothing comes from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from flask import Blueprint, Response, abort

from service.api.etags import cacheable
from service.api.headers import NOTHING, OF_PAGES

blp = Blueprint("docs_assets", __name__)

_OWN, _SWAGGER_UI = "service.pages.docs", "flask_swagger_ui"

_ASSETS = {
    "docs.css": (_OWN, "static", "text/css"),
    "reference.css": (_OWN, "static", "text/css"),
    "reference.js": (_OWN, "static", "text/javascript"),
    "search.js": (_OWN, "static", "text/javascript"),
    "swagger-ui.css": (_SWAGGER_UI, "dist", "text/css"),
    "swagger-ui-bundle.js": (_SWAGGER_UI, "dist", "text/javascript"),
}
"""The package, its folder, and the media type of each asset."""


# Read at the start, so that all are of the same release as the pages.
_CONTENT = {name: (files(package) / folder / name).read_bytes() for name, (package, folder, _) in _ASSETS.items()}


@blp.get("/docs/assets/<string:name>")
def get_asset(name: str) -> Response:
    """Return a style sheet or a script."""
    if name not in _ASSETS:
        abort(404)
    return cacheable(_CONTENT[name], _ASSETS[name][2], {"Content-Security-Policy": NOTHING, **OF_PAGES})
