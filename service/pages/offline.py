"""The pages as an app that shows the last seen tables without network: its manifest, icons and service worker.

The worker (`static/service-worker.js`) keeps pages of tables in the browser, although no cache may: they are this
browser's own, it shows them only without network, and it forgets them when the browser signs out.
"""

from __future__ import annotations

import json
from importlib.resources import files

from flask import Blueprint, Response, request

from service.api.etags import cacheable
from service.api.headers import NOTHING, OF_PAGES
from service.pages.rendering import headed, icon, page_response, rendered, style, visitor
from service.pictures.palette import SKY

blp = Blueprint("offline_page", __name__)

ICONS = (192, 512)
"""The widths of the icons in pixels."""

REGISTERING = "script-src 'self'"
"""The policy of pages with the script that registers the worker."""

_OF_WORKER = "default-src 'none'; connect-src 'self'"
_MANIFEST = {
    "id": "/",
    "start_url": "/tables",
    "scope": "/",
    "display": "standalone",
    "background_color": SKY,
    "theme_color": SKY,
    "icons": [
        {"src": f"/icon-{width}.png", "sizes": f"{width}x{width}", "type": "image/png", "purpose": "any maskable"}
        for width in ICONS
    ],
}
# Read at the start, so that all are of the same release as the pages.
_STATIC = {
    name: (files("service.pages") / "static" / name).read_bytes()
    for name in ("service-worker.js", "offline.mjs", *(f"icon-{width}.png" for width in ICONS))
}
_PUBLIC = {"Content-Security-Policy": NOTHING, **OF_PAGES}


@blp.get("/manifest.webmanifest")
def show_manifest() -> Response:
    """Send the manifest, by which a browser can install the pages as an app."""
    language = visitor().language
    named = {"name": language.say("Nova Luna by post"), "short_name": "Nova Luna", "lang": language.code}
    manifest = json.dumps(named | _MANIFEST, ensure_ascii=False)
    response = headed(Response(manifest, content_type="application/manifest+json"))
    response.vary.update(("Accept-Language", "Cookie"))
    return response


@blp.get("/icon-<int:width>.png")
def show_png(width: int) -> Response:
    """Send the icon as PNG of a width that the manifest names."""
    if width not in ICONS:
        return headed(Response(status=404))
    return cacheable(_STATIC[f"icon-{width}.png"], "image/png", _PUBLIC)


@blp.get("/service-worker.js")
def show_worker() -> Response:
    """Send the service worker, which browsers compare with the one that they have."""
    return _script("service-worker.js", _OF_WORKER)


@blp.get("/scripts/offline.mjs")
def show_registration() -> Response:
    """Send the script that registers the worker."""
    return _script("offline.mjs", NOTHING)


@blp.get("/offline")
def show_offline() -> Response:
    """Show the page that the worker shows without network, with a place for the tables that were seen last.

    It is kept for whoever uses the browser then, so it depends on the reader's language alone.
    """
    reader = visitor()
    frame = {"style": style(), "icon": icon(), "me": None, "with_language": str}
    return page_response(rendered("offline.html", reader, **frame), reader)


def _script(name: str, policy: str) -> Response:
    response = headed(Response(_STATIC[name], content_type="text/javascript; charset=utf-8"), policy)
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response
