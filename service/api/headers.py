"""Headers that every response has, and those that pages for browsers have in addition."""

NOSNIFF = ("X-Content-Type-Options", "nosniff")
OWN = ("Cache-Control", "private, no-cache")
BY_READER = ("Vary", "Authorization")

_FEATURES = ("camera", "display-capture", "geolocation", "microphone", "payment", "publickey-credentials-get", "usb")

OF_PAGES = {
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _FEATURES),
}
"""Headers that isolate a page from other sites and turn browser features off.

Each page has its own Content-Security-Policy too.
"""

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of a response that is not a page."""

_OF_OTHERS = {"Content-Security-Policy": NOTHING, **OF_PAGES, "Cache-Control": "no-store"}
"""Headers of other responses to browsers, such as those to an unknown address or a body that is too large."""


def complete(path: str, headers: list[tuple[str, str]]) -> None:
    """Add the headers that a response does not have yet.

    Responses of the API are private to one reader, unless the view says otherwise; browsers may not guess media types;
    and every other response has the headers of a page.
    """
    given = {name.lower(): value for name, value in headers}
    if "x-content-type-options" not in given:
        headers.append(NOSNIFF)
    if not path.startswith("/v1/"):
        headers.extend([(name, value) for name, value in _OF_OTHERS.items() if name.lower() not in given])
        return
    stored = given.get("cache-control")
    if stored is None:
        headers.append(OWN)
    elif "public" in stored:
        return
    if "vary" not in given:
        headers.append(BY_READER)
    elif "authorization" not in given["vary"].lower():
        headers[:] = [(name, f"{value}, Authorization" if name.lower() == "vary" else value) for name, value in headers]
