"""Cross-origin resource sharing (Fetch Standard): pages of any other site may call the API.

A caller is known by an access token, which a page has only if its user gave it one, and never by a cookie. So any
origin is allowed, and none may send credentials of the browser's own. The pages for people are not shared.
"""

API = "/v1/"
"""The prefix of the API's addresses."""

_DOCUMENTS = frozenset({"/openapi.json", "/openapi.yaml", "/healthz", "/readyz", "/readyz/web"})
"""The addresses outside of `API` that are shared with other sites."""

HEADERS = (("Access-Control-Allow-Origin", "*"), ("Access-Control-Expose-Headers", "*"))
"""The headers of every shared response, errors included.

Without credentials, the wildcard exposes all headers.
"""

REQUEST_HEADERS = (
    "Accept-Language",
    "Authorization",
    "Cache-Control",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
)
"""The headers that a page of another site may send.

They are the same for all routes, since a header that does not apply to a request is ignored.
"""

_SECONDS = 24 * 60 * 60


def is_shared(path: str) -> bool:
    """Return whether pages of other sites may read what is at this path."""
    return path.startswith(API) or path in _DOCUMENTS


def preflight(methods: str) -> list[tuple[str, str]]:
    """Return the headers that answer a preflight request for a path with these methods."""
    return [
        ("Access-Control-Allow-Methods", methods),
        ("Access-Control-Allow-Headers", ", ".join(REQUEST_HEADERS)),
        ("Access-Control-Max-Age", str(_SECONDS)),
    ]
