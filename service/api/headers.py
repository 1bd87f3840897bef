"""Headers that every answer has, and those that a page for a browser has beside."""

from flask import Flask, Response, request

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


def init_app(app: Flask) -> None:
    """Marks what the API answers as one reader's own unless its view says otherwise, forbids guessing types, and gives the
    headers of a page to whatever else a browser may be answered."""

    def complete(response: Response) -> Response:
        headers = response.headers
        if NOSNIFF[0] not in headers:
            headers[NOSNIFF[0]] = NOSNIFF[1]
        if request.path.startswith("/v1/"):
            kept = headers.get("Cache-Control")
            if kept is None:
                headers[OWN[0]] = OWN[1]
            if kept is None or not response.cache_control.public:
                if "Vary" in headers:
                    response.vary.add("Authorization")
                else:  # which is shorter than parsing what isn't there, on each answer
                    headers[BY_READER[0]] = BY_READER[1]
        else:
            for name, value in _OF_OTHERS.items():
                headers.setdefault(name, value)
        return response

    app.after_request(complete)
