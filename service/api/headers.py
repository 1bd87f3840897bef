"""Headers that every answer has."""

from flask import Flask, Response, request


def init_app(app: Flask) -> None:
    """Marks what the API answers as one reader's own unless its view says otherwise, and forbids guessing types."""

    def complete(response: Response) -> Response:
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        if request.path.startswith("/v1/"):
            response.headers.setdefault("Cache-Control", "private, no-cache")
            if not response.cache_control.public:
                response.vary.add("Authorization")
        return response

    app.after_request(complete)
