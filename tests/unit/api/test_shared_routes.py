"""The routes that applications share in tests: whoever asks first, whoever asks meanwhile finds them."""

from flask import Flask

from tests.support.at_once import at_once
from tests.support.shared_routes import SharedMap


class Application(Flask):
    url_map_class = SharedMap


def test_two_threads_that_ask_first_both_find_a_route() -> None:
    for number in range(20):
        app = Application("routes")
        for each in range(60):
            app.add_url_rule(f"/{number}/{each}", endpoint=str(each), view_func=str)

        def status(app: Flask = app, path: str = f"/{number}/59") -> int:
            return app.test_client().get(path).status_code

        assert list(at_once(status, status)) == [200, 200]
