"""An application that answers with what it was told of a request, as JSON; at `/crash` it fails in several ways."""

import json
import threading
import warnings
from typing import TYPE_CHECKING

import gevent

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

ADDRESS = "ann@example.org"


def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> list[bytes]:
    if environ["PATH_INFO"] == "/crash":
        warnings.warn(f"a warning about {ADDRESS}", stacklevel=1)
        gevent.spawn(fail, "a greenlet").join()
        thread = threading.Thread(target=fail, args=("a thread",))
        thread.start()
        thread.join()
        fail("a request")
    told = {name: value for name, value in environ.items() if isinstance(value, str)}
    body = json.dumps(told | {"body": environ["wsgi.input"].read().decode()}).encode()
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def fail(where: str) -> None:
    raise OSError(28, "No space left on device", f"/mail/{ADDRESS}/{where}")
