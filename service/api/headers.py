"""Headers that every response has, those of the API, and those of pages for browsers."""

from service.api import cors

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

    Responses of the API are private to one reader, unless the view says otherwise, and shared with pages of all sites;
    browsers may not guess media types; and every other response has the headers of a page.
    """
    given = dict(headers)  # their names are ours or Flask's, which spell them alike
    if NOSNIFF[0] not in given:
        headers.append(NOSNIFF)
    if cors.is_shared(path):
        headers.extend(cors.HEADERS)
    if not path.startswith(cors.API):
        headers.extend([header for header in _OF_OTHERS.items() if header[0] not in given])
        return
    stored = given.get(OWN[0])
    if stored is None:
        headers.append(OWN)
    elif "public" in stored:
        return
    vary = given.get(BY_READER[0])
    if vary is None:
        headers.append(BY_READER)
    elif BY_READER[1] not in vary:
        headers[headers.index((BY_READER[0], vary))] = BY_READER[0], f"{vary}, {BY_READER[1]}"
