"""The players of most tests of the API."""

import pytest

from tests.support.http_games import SignUp
from tests.support.web import Person


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def ben(sign_up: SignUp) -> Person:
    return sign_up("Ben")
