"""An application that answers with what it was told of a request, as JSON."""

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
    told = {name: value for name, value in environ.items() if isinstance(value, str)}
    body = json.dumps(told | {"body": environ["wsgi.input"].read().decode()}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]
