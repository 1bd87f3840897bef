"""Headers that every answer has, and those that a page for a browser has beside."""

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
"""What a page tells the browser to keep from other sites, and not to do for it. Each has a Content-Security-Policy of its
own too."""

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The Content-Security-Policy of what is no page."""

_OF_OTHERS = {"Content-Security-Policy": NOTHING, **OF_PAGES, "Cache-Control": "no-store"}
"""What an answer to a browser has that is none of a page's own: a method or address that there is not, a body that is too
large."""


def complete(path: str, headers: list[tuple[str, str]]) -> None:
    """Add to the headers of an answer those that are missing.

    What the API answers is one reader's own, unless its view says otherwise; types are not guessed; and whatever else a
    browser may be answered has the headers of a page.
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
