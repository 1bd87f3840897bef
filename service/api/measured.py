"""Counts each request by the template of its address, where metrics are told."""

import time

from flask import Flask, Response, g, request

from service import metrics


def init_app(app: Flask) -> None:
    """Has the application count, if this process does."""
    if not metrics.is_on():
        return

    def begin() -> None:
        g.measured_from = time.perf_counter()

    def end(response: Response) -> Response:
        route = request.url_rule.rule if request.url_rule else metrics.NO_ROUTE
        metrics.answered(request.method, route, response.status_code, time.perf_counter() - g.measured_from)
        return response

    app.before_request(begin)
    app.after_request(end)
