"""The players of most tests of the API, and a proxy that counts their statements."""

from collections.abc import Iterator

import pytest

from tests.support.counting_proxy import CountingProxy, counting
from tests.support.http_games import SignUp
from tests.support.web import Person


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def ben(sign_up: SignUp) -> Person:
    return sign_up("Ben")


@pytest.fixture
def proxy(database_url: str) -> Iterator[CountingProxy]:
    """Yield a proxy that counts the statements that pass through it to the database."""
    with counting(database_url) as proxy:
        yield proxy
