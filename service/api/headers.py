"""Headers that every answer has."""

from flask import Flask, Response, request


def init_app(app: Flask) -> None:
    """Marks what the API answers as one reader's own unless its view says otherwise, and forbids guessing types."""

    def complete(response: Response) -> Response:
        headers = response.headers
        if "X-Content-Type-Options" not in headers:
            headers["X-Content-Type-Options"] = "nosniff"
        if request.path.startswith("/v1/"):
            kept = headers.get("Cache-Control")
            if kept is None:
                headers["Cache-Control"] = "private, no-cache"
            if kept is None or not response.cache_control.public:
                if "Vary" in headers:
                    response.vary.add("Authorization")
                else:  # which is shorter than parsing what isn't there, on each answer
                    headers["Vary"] = "Authorization"
        return response

    app.after_request(complete)
